package index

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A made is a ledger of which the test chooses every record.
type made struct {
	t       testing.TB
	dir     string
	id      string
	segment int // the current one
	seq     uint64
	prev    ledger.Hash
	clock   time.Time
	file    *os.File
	out     *bufio.Writer
	size    int64
	buf     []byte
}

var began = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func newMade(t testing.TB, dir, id string) *made {
	m := &made{t: t, dir: dir, id: id, clock: began}
	m.must(os.WriteFile(filepath.Join(dir, ledger.KeyFile), bytes.Repeat([]byte{7}, 32), 0o600))
	m.begin()
	t.Cleanup(func() { m.file.Close() })
	return m
}

// begin begins the next segment, or the first.
func (m *made) begin() {
	m.t.Helper()
	if m.segment > 0 {
		m.flush()
		m.file.Close()
		m.must(os.Rename(filepath.Join(m.dir, ledger.CurrentFile), filepath.Join(m.dir, ledger.SegmentFile(m.segment))))
	}
	m.segment++
	f, err := os.Create(filepath.Join(m.dir, ledger.CurrentFile))
	m.must(err)
	m.file, m.out, m.size = f, bufio.NewWriterSize(f, 1<<20), 0
	m.add(ledger.KindSegment, fmt.Appendf(nil, `"ledger":%q,"segment":%d`, m.id, m.segment))
	m.flush()
}

func (m *made) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// add appends a record, and returns where it is.
func (m *made) add(kind string, members []byte) Hit {
	m.t.Helper()
	m.seq++
	m.clock = m.clock.Add(time.Millisecond)
	stamp := ledger.Stamp{Seq: m.seq, Kind: kind, Time: m.clock, Boot: "b", Mono: int64(m.seq), Prev: m.prev}
	m.buf, m.prev = ledger.AppendLine(m.buf[:0], &stamp, members, nil)
	h := Hit{Seq: m.seq, Time: m.clock, Segment: m.segment, Offset: m.size, Len: len(m.buf) - 1}
	m.write(m.buf)
	return h
}

// write appends b.
func (m *made) write(b []byte) {
	m.t.Helper()
	n, err := m.out.Write(b)
	m.must(err)
	m.size += int64(n)
}

func (m *made) flush() { m.must(m.out.Flush()) }

// prune removes a full segment.
func (m *made) prune(segment int) {
	m.t.Helper()
	m.must(os.Remove(filepath.Join(m.dir, ledger.SegmentFile(segment))))
}

// An event is what a test puts into a record and later queries.
type event struct {
	Host, Session, Key, Agent, Event, Tool, Canonical, Decision string

	Hooks, Effects []string
}

// members returns the members of the event's record, with pad bytes of padding.
func (e *event) members(pad int) []byte {
	b := []byte("{")
	text := func(key, val string) {
		if val != "" {
			b = rawjson.AppendMember(b, key, rawjson.Quote(val))
		}
	}
	text("event", e.Event)
	text("host", e.Host)
	text("session", e.Session)
	text("session_key", e.Key)
	text("agent", e.Agent)
	if e.Tool != "" {
		b = rawjson.AppendKey(b, "tool")
		b = append(b, '{')
		text("name", e.Tool)
		text("canonical", e.Canonical)
		text("call_id", "call_0123456789")
		b = append(b, '}')
	}
	text("decision", e.Decision)
	b = rawjson.AppendKey(b, "effects")
	b = append(b, '[')
	for i, s := range e.Effects {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, s)
	}
	b = rawjson.AppendKey(append(b, ']'), "plan")
	b = append(b, '[')
	for i, s := range e.Hooks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		text("hook", s)
		text("scope", "project")
		text("origin", ".checkrein/hooks.yaml:12")
		text("digest", "0123456789abcdef0123456789abcdef")
		text("outcome", "silent")
		b = append(b, '}')
	}
	b = append(b, ']')
	text("reason", strings.Repeat("x", pad))
	return b[1:]
}

// sessionOf returns the session of the i-th ordinary record. A session begins every 200 records.
func sessionOf(i int) string {
	return fmt.Sprintf("%08x-7d0f-4c55-9f0e-0f6f5b6d3a11", uint32(i/200)*2654435761)
}

// ordinary returns an event whose record has about 1 KB, as agents cause it: a few sessions at a time
// with some hundred events each, and five hooks.
func ordinary(r *rand.Rand, i int) *event {
	tools := [...][2]string{{"Bash", "shell"}, {"Read", "read"}, {"Edit", "edit"}, {"Grep", "search"}, {"Write", "write"}, {"mcp__db__query", ""}}
	hosts := [...]string{"claude", "claude", "claude", "codex", "gemini"}
	events := [...]string{"pre_tool_use", "post_tool_use", "pre_tool_use", "post_tool_use", "user_prompt_submit", "stop", "notification"}
	session := sessionOf(i + 200*r.IntN(8))
	kind, tool := r.IntN(len(events)), r.IntN(len(tools))
	e := &event{Host: hosts[r.IntN(len(hosts))], Session: session, Key: "key-" + session, Event: events[kind], Decision: "none"}
	if kind < 4 {
		e.Tool, e.Canonical = tools[tool][0], tools[tool][1]
	}
	switch r.IntN(50) {
	case 0:
		e.Decision, e.Effects = "deny", []string{"deny"}
	case 1, 2:
		e.Decision, e.Effects = "allow", []string{"allow", "context"}
	}
	for h := range 5 {
		e.Hooks = append(e.Hooks, fmt.Sprintf("hook-%s-%d", e.Event, h+r.IntN(2)*5))
	}
	if i == 1234 {
		e.Decision, e.Tool, e.Hooks[0] = "ask", "RareTool", "rare-hook"
	}
	return e
}

// fill appends n ordinary records in segments of 16 MiB.
func (m *made) fill(n int) {
	m.t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		if m.size > 16<<20 {
			m.begin()
		}
		m.add(ledger.KindEvent, ordinary(r, i).members(r.IntN(100)))
	}
	m.flush()
}
