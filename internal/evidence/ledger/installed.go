package ledger

import (
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	// InstallFolder is the directory of installation records in the state directory.
	InstallFolder = "install"
	// InstalledMember is the member of such a record with the id of the ledger at that time. Older
	// builds did not write it.
	InstalledMember = "ledger"
	// Replaced is an id that no ledger has. An installation record with it means that the ledger was
	// lost and that no person has installed checkrein from a terminal since.
	Replaced = "replaced"

	maxInstallRecord = 64 << 20
	// youngFor is how long a ledger counts as new for a host without a record.
	youngFor = 24 * time.Hour
)

// IsReplacedSinceInstall reports whether the ledger differs from the one with which checkrein was
// installed for host: all installation records name another ledger, or there is no record and the
// ledger is new. It writes nothing. The caller must have checked that checkrein is installed for the
// host.
func (l *Ledger) IsReplacedSinceInstall(host string) bool {
	names, err := l.opts.Dir.Names(InstallFolder)
	if err != nil && !state.IsMissing(err) {
		return false
	}
	var id string
	if l.hasKey() {
		key, err := l.Key()
		if err != nil {
			return false // reported elsewhere
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
	return found || l.isRecent()
}

// isRecent reports whether the ledger has no records, or began within the last day.
func (l *Ledger) isRecent() bool {
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
	head, err := l.parseHeadCached(data, key)
	return err == nil && head.Segment <= 1 && time.Since(head.Began) < youngFor
}

// ReplacedText returns the message that the state directory dir was removed.
func ReplacedText(dir string) string {
	return "checkrein's state directory " + dir + " is new although checkrein's hooks are installed: approvals, grants and records are gone. " +
		"If you did not remove it, a program did"
}

// ReplacedRemedy is the remedy that belongs to [ReplacedText].
const ReplacedRemedy = "Find out what removed it, run checkrein install in your own terminal, and approve your hooks again"
