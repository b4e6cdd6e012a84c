package kit

import (
	"bytes"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// How far back the calls of a session are looked at.
const (
	maxEarlier      = 2 << 20 // bytes of the ledger
	maxEarlierCalls = 2000
)

// earlier are the records of the tool calls that a session made before, the newest
// first. They are the ledger's: nobody pays for them but who asks.
func (k *Kit) earlier(ev *checkrein.Event) [][]byte {
	if ev.Session.ID == "" || k.state.Path() == "" {
		return nil
	}
	text := ledger.Tail(filepath.Join(k.state.Path(), ledger.Folder), maxEarlier)
	of := rawjson.Object{}
	of.Text("host", ev.Host)
	of.Text("session", ev.Session.ID)
	mark := bytes.TrimPrefix(of, []byte(","))
	var out [][]byte
	for len(text) > 0 && len(out) < maxEarlierCalls {
		text = bytes.TrimSuffix(text, []byte("\n"))
		at := bytes.LastIndexByte(text, '\n') + 1
		line := text[at:]
		text = text[:at]
		if bytes.Contains(line, mark) && bytes.Contains(line, []byte(`"event":"pre_tool_use"`)) {
			out = append(out, line)
		}
	}
	return out
}
