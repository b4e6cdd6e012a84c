package app

import (
	"bytes"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Limits of the search for a session's earlier calls.
const (
	maxEarlier      = 2 << 20 // bytes of the ledger
	maxEarlierCalls = 2000    // records
)

// earlierCalls returns the records of earlier tool calls in the session of ev, newest first. Guards
// call it only when they need them, since it reads the end of the ledger.
func (k *Kit) earlierCalls(ev *checkrein.Event) [][]byte {
	if ev.Session.ID == "" || k.state.Path() == "" {
		return nil
	}
	text := ledger.Tail(filepath.Join(k.state.Path(), ledger.Folder), maxEarlier)
	field := func(name, value string) []byte { // returns a member as records encode it, to search for
		of := rawjson.Object{}
		of.Text(name, value)
		return bytes.TrimPrefix(of, []byte(","))
	}
	session, host := field("session", ev.Session.ID), field("host", ev.Host)
	var out [][]byte
	for from := 0; ; {
		at := bytes.Index(text[from:], session)
		if at < 0 {
			break
		}
		at += from
		start := bytes.LastIndexByte(text[:at], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		from = end
		if line := text[start:end]; bytes.Contains(line, host) && bytes.Contains(line, []byte(`"event":"pre_tool_use"`)) {
			out = append(out, line)
		}
	}
	slices.Reverse(out)
	return out[:min(len(out), maxEarlierCalls)]
}
