package kit

import (
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A beginning is what is kept of how a session began. It decides which project's hooks
// run, so it is sealed. Every event reads it, without reflection, which would cost ten
// times as much.
type beginning struct {
	Root  string // the project directory of the directory in which it was first seen
	Owner liveagents.Owner

	note string // the sealed text in the file
}

// UnmarshalJSON reads what MarshalJSON wrote, and changes nothing beside an error. Open
// reads the note.
func (b *beginning) UnmarshalJSON(raw []byte) error {
	if err := rawjson.CheckObject(raw); err != nil {
		return err
	}
	*b = beginning{note: rawjson.GetText(raw, "note")}
	return nil
}

// MarshalJSON writes the note.
func (b beginning) MarshalJSON() ([]byte, error) {
	o := rawjson.Object{'{'}
	o.Text("note", b.note)
	o.Close()
	return o, nil
}

// beginning returns what is kept under a key, and whether a file is there that
// checkrein did not leave so. Such a file counts as none.
func (m *memory) beginning(key string) (b beginning, tampered bool) {
	text, err := m.store.Text(key)
	if text == nil || err != nil {
		return beginning{}, false
	}
	_ = b.UnmarshalJSON(text) // without a note it does not open
	return b, !m.open(key, &b)
}

// updateBeginning changes what is kept under a key.
func (m *memory) updateBeginning(key string, change func(*beginning) error) error {
	var b beginning
	return m.store.Update(key, &b, func() error {
		m.open(key, &b) // else it stays zero
		if err := change(&b); err != nil {
			return err
		}
		return m.seal(key, &b)
	})
}

// open reads the note of a beginning. If its seal is wrong the beginning is zero.
func (m *memory) open(key string, b *beginning) bool {
	body, ok := m.dir.OpenNote(sessionsFolder+"\x00"+key, []byte(b.note))
	*b = beginning{}
	if !ok {
		return false
	}
	b.Root, b.Owner.ID, b.Owner.In = rawjson.GetText(body, "root"), rawjson.GetText(body, "owner"), rawjson.GetText(body, "in")
	ended, _ := rawjson.Get(body, "ended")
	b.Owner.Ended = string(ended) == "true"
	return true
}

func (m *memory) seal(key string, b *beginning) error {
	o := rawjson.Object{'{'}
	o.Text("root", b.Root)
	o.Text("owner", b.Owner.ID)
	o.Text("in", b.Owner.In)
	o.Flag("ended", b.Owner.Ended)
	o.Close()
	note, err := m.dir.SealNote(sessionsFolder+"\x00"+key, o)
	b.note = string(note)
	return err
}
