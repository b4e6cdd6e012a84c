package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// at is the time of record seq, with nanoseconds.
func at(seq uint64) time.Time {
	return time.Date(2026, 3, 4, 5, 6, 7, 123456789, time.UTC).Add(time.Duration(seq) * time.Second)
}

// line returns a line of the ledger without its newline.
func line(seq uint64, kind, members string) []byte {
	b, _ := ledger.AppendLine(nil, &ledger.Stamp{Seq: seq, Kind: kind, Time: at(seq), Boot: "b", Mono: 5}, []byte(members), nil)
	return bytes.TrimSuffix(b, []byte("\n"))
}

func hashOf(t testing.TB, raw []byte) string {
	t.Helper()
	l, err := ledger.ParseLine(raw)
	if err != nil {
		t.Fatal(err)
	}
	return l.Hash.String()
}

// denied is a record with everything that is exported.
const denied = `"program":"checkrein 1.2","policy":"sha256:aa","event":"pre_tool_use","native":"PreToolUse","host":"claude",` +
	`"session":"s1","session_key":"k1","agent":"coder","dir":"/w","root":"/w",` +
	`"tool":{"name":"Bash","canonical":"shell","call_id":"c1"},` +
	`"decision":"deny","reason":"no force push","effects":["deny","context"],"redo":{"attempt":2,"limit":3},` +
	`"dropped":[{"hook":"lint","effect":"rewrite_input","why":"the host cannot"},{"effect":"allow","why":"unsure"}],` +
	`"plan":[{"hook":"guard","type":"rule","scope":"user","origin":"a.yaml:3","digest":"d1","ms":0.25,"outcome":"answered","decision":"deny","reason":"no","effects":["deny"],"stale":true},` +
	`{"hook":"lint","scope":"project","origin":"b.yaml:9","digest":"d2","outcome":"fault","fault":"exit 3"}],` +
	`"subject":{"input":{"bytes":30,"digest":"x","json":{"command": "git push -f"}},"output":{"bytes":9,"digest":"y","head":"abc","tail":"xyz"},"text":{"bytes":5,"digest":"z","text":"hello"}},` +
	`"reply":{"exit":2,"stdout":{"bytes":2,"digest":"r","json":{}}},"ms":1.5`

// nothing is the least that an event says.
const nothing = `"program":"p","policy":"q","event":"stop","host":"codex","decision":"none","ms":0`

// pruned has members with an event's names and other types.
const pruned = `"segments":[1,2],"reason":7,"plan":"age","bytes":9007199254740993,"signed":true,"ratio":0.5`

// event returns the line of an event with the required members and more.
func event(seq uint64, more map[string]any) []byte {
	members := nothing
	for name, v := range more {
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		members += fmt.Sprintf(`,%q:%s`, name, b)
	}
	return line(seq, ledger.KindEvent, members)
}

func writeAll(t testing.TB, s Sink, lines ...[]byte) {
	t.Helper()
	for _, l := range lines {
		kept := bytes.Clone(l)
		if err := s.Write(l); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(l, kept) {
			t.Fatal("Write changed its line")
		}
		clear(l) // a sink does not keep it
		copy(l, strings.Repeat("!", len(l)))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A fullDisk accepts n bytes.
type fullDisk struct{ n int }

func (w *fullDisk) Write(p []byte) (int, error) {
	if w.n < len(p) {
		return 0, fmt.Errorf("disk full")
	}
	w.n -= len(p)
	return len(p), nil
}
