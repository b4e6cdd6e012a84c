package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A HostNote is a process that records of the ledger name as an agent host.
type HostNote struct {
	ID    string // the name of the file with its note
	At    time.Time
	Again time.Time // when it was noted again although it had a note; zero means never
}

// NotedMember is the member of an event's record that lists the processes that were noted as agent
// hosts before the event.
const NotedMember = "noted"

// AppendHostForgotten records that a person removed the note id of an agent host.
func (l *Ledger) AppendHostForgotten(id string) error {
	b := rawjson.Object{'{'}
	b.Text("id", id)
	_, err := l.Append(KindHost, b[1:], true)
	return err
}

const (
	hostsAge  = 7 * 24 * time.Hour // how far back records are searched for hosts
	hostsRoom = 64 << 20           // and how many bytes of them
)

// Texts that records about hosts contain.
var (
	notedText     = []byte(`"` + NotedMember + `":["`)
	forgottenText = []byte(`"kind":"` + KindHost + `"`)
)

// Hosts returns the processes that records of the last days name as agent hosts, without those whose
// notes a person removed. Only records sealed by a writer of this ledger count.
func (l *Ledger) Hosts() ([]HostNote, error) {
	dir := l.opts.Dir.Path(Folder)
	segments, err := listSegments(dir)
	if errors.Is(err, fs.ErrNotExist) || dir == "" {
		return nil, nil
	}
	if err != nil || !l.hasKey() {
		return nil, err
	}
	key, err := l.Key()
	if err != nil {
		return nil, err
	}
	seals, since := key.Seals(), l.opts.Now().Add(-hostsAge)
	from, room := len(segments), int64(hostsRoom)
	for from > 0 && room > 0 {
		from--
		room -= segments[from].Size
	}
	var out []HostNote
	for _, s := range segments[from:] {
		data, err := state.ReadRegular(s.Path, maxSegment)
		if err != nil {
			return out, err
		}
		for raw := range bytes.Lines(data) {
			if !bytes.Contains(raw, notedText) && !bytes.Contains(raw, forgottenText) {
				continue
			}
			line, err := ParseLine(bytes.TrimSuffix(raw, []byte("\n")))
			if err == nil && seals.IsValid(&line) && line.Time.After(since) {
				out = applyHostRecord(out, &line)
			}
		}
	}
	return out, nil
}

// applyHostRecord returns list with the hosts that line names added, or with the one that it forgets
// removed.
func applyHostRecord(list []HostNote, line *Line) []HostNote {
	is := func(id string) func(HostNote) bool { return func(n HostNote) bool { return n.ID == id } }
	if line.Kind == KindHost {
		return slices.DeleteFunc(list, is(line.Text("id")))
	}
	noted, _ := rawjson.Get(line.Raw, NotedMember)
	rawjson.Elements(noted, func(_ int, val []byte) bool {
		id, _ := rawjson.Text(val)
		if i := slices.IndexFunc(list, is(id)); i >= 0 {
			list[i].Again = line.Time
		} else {
			list = append(list, HostNote{ID: id, At: line.Time})
		}
		return true
	})
	return list
}
