package ledger

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/random"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A call that cannot be counted in the ledger is noted as a file whose name has the time, the process and
// a random part, and whose text is the reason. Neither is sealed, since the key may be out of reach. An
// attacker who forges such files only invents missed calls and gains nothing.

// maxSpare limits the names that one record reports.
const maxSpare = 1000

// spareEntry returns the name and the text of the file in SpareFolder for n.
func (n *MissNote) spareEntry() (name, text string) {
	var chance [4]byte
	_ = random.Read(chance[:])
	name = strconv.FormatInt(n.Time.UnixNano(), 10) + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(uint64(chance[0])|uint64(chance[1])<<8|uint64(chance[2])<<16|uint64(chance[3])<<24, 36)
	return name, missWords[n.why].member
}

// parseSpareEntry returns the note for a file in SpareFolder with this name and text. It reports false
// if the name is not one of spareEntry.
func parseSpareEntry(name, text string) (MissNote, bool) {
	when, _, _ := strings.Cut(name, "-")
	nano, err := strconv.ParseInt(when, 10, 64)
	if err != nil || len(name) > 64 || !isPlainASCII([]byte(name)) {
		return MissNote{}, false
	}
	n := MissNote{Time: time.Unix(0, nano).UTC(), why: missOther, name: name}
	for i, w := range missWords {
		if w.member == text && text != "" {
			n.why = missReason(i)
		}
	}
	return n, true
}

// readSpare returns the notes in SpareFolder of the state directory dir.
func readSpare(dir state.Dir) (list []MissNote) {
	for _, l := range dir.Entries(SpareFolder, maxSpare) {
		if n, ok := parseSpareEntry(l.Name, l.Text); ok {
			list = append(list, n)
		}
	}
	return list
}

// addSpare adds the calls in list, which were counted outside the ledger, except for those that
// records already report according to t.
func (m *Missed) addSpare(list []MissNote, t *reportedMissed) {
	for _, n := range list {
		if !t.spare[n.name] {
			m.spare = append(m.spare, n)
		}
	}
}
