package ledger

import (
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/random"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A call that can be counted in no file of the ledger leaves a name: when it was, by
// whom, and something that no other call has; and as its text why. Nothing of that is
// sealed, since the key may be out of reach: whoever invents such names invents missed
// calls, and gains nothing.

// maxSpare bounds the names that one record tells.
const maxSpare = 1000

// spare returns the name and the text of a note.
func (n *Note) spare() (name, text string) {
	var chance [4]byte
	_ = random.Read(chance[:])
	name = strconv.FormatInt(n.Time.UnixNano(), 10) + "-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatUint(uint64(chance[0])|uint64(chance[1])<<8|uint64(chance[2])<<16|uint64(chance[3])<<24, 36)
	return name, missWords[n.why].member
}

// parseSpare reads a name.
func parseSpare(name, text string) (Note, bool) {
	when, _, _ := strings.Cut(name, "-")
	nano, err := strconv.ParseInt(when, 10, 64)
	if err != nil || len(name) > 64 || !plain([]byte(name)) {
		return Note{}, false
	}
	n := Note{Time: time.Unix(0, nano).UTC(), why: missOther, name: name}
	for i, w := range missWords {
		if w.member == text && text != "" {
			n.why = miss(i)
		}
	}
	return n, true
}

// spareOf reads the names in a state directory.
func spareOf(dir state.Dir) (list []Note) {
	for _, l := range dir.Entries(SpareFolder, maxSpare) {
		if n, ok := parseSpare(l.Name, l.Text); ok {
			list = append(list, n)
		}
	}
	return list
}

// addSpare adds the calls that were counted elsewhere, but for those that records tell.
func (m *Missed) addSpare(list []Note, t *told) {
	for _, n := range list {
		if !t.spare[n.name] {
			m.spare = append(m.spare, n)
		}
	}
}
