package ledger

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	// InstallFolder is where the records of installations are, in the state directory.
	InstallFolder = "install"
	// InstalledMember is the member of such a record with the id of the ledger that was
	// there. Older builds wrote none.
	InstalledMember = "ledger"
	// Replaced is the id in a record that no ledger has: the record was lost, and no person
	// at a terminal installed checkrein again.
	Replaced = "replaced"

	maxInstallRecord = 64 << 20
	// youngFor is how long a ledger counts as new for a host without a record.
	youngFor = 24 * time.Hour
)

// IsReplaced reports whether the ledger is not the one with which checkrein was installed
// for a host: the records of the installation name another, or there is no record and the
// ledger is new. It writes nothing. The caller has seen that checkrein is installed there.
func (l *Ledger) IsReplaced(host string) bool {
	names, err := l.opts.Dir.Names(InstallFolder)
	if err != nil && !state.IsMissing(err) {
		return false
	}
	var id string
	if l.hasKey() {
		key, err := l.Key()
		if err != nil {
			return false // which is reported on its own
		}
		id = key.ID()
	}
	found := false
	for _, name := range names {
		if !strings.HasPrefix(name, host+"-user.") && !strings.HasPrefix(name, host+"-project-") {
			continue
		}
		data, err := l.opts.Dir.Read(InstallFolder+"/"+name, maxInstallRecord)
		was := rawjson.GetText(data, InstalledMember)
		if err != nil || was == "" || was == id {
			return false
		}
		found = true
	}
	return found || l.isYoung()
}

// isYoung reports whether the ledger has no record, or began in the last day.
func (l *Ledger) isYoung() bool {
	if l.isNew() {
		return true
	}
	data, err := l.opts.disk.Peek(HeadFile, maxHead)
	if err != nil || !l.hasKey() {
		return false
	}
	key, err := l.Key()
	if err != nil {
		return false
	}
	head, err := l.parseHead(data, key)
	return err == nil && head.Segment <= 1 && time.Since(head.Began) < youngFor
}

// ReplacedText describes a state directory that was removed.
func ReplacedText(dir string) string {
	return "checkrein's state directory " + dir + " is new although checkrein's hooks are installed: approvals, grants and records are gone. " +
		"If you did not remove it, a program did"
}

// ReplacedRemedy is what a person can do then.
const ReplacedRemedy = "Find out what removed it, run checkrein install in your own terminal, and approve your hooks again"
