package misses

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/message"
)

// noon is when the calls of these tests are; a line's At is seconds after.
var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

// A line holds the members of a record that these tests need.
type line struct {
	at                                    int
	kind, event, session, agent, tool, id string
	foreign, canceled                     bool
	command                               string
	host                                  string // "" is claude
	mac                                   string // of the arguments, instead of them
	denied                                bool
}

func (l line) by() string {
	if l.host == "" {
		return "claude"
	}
	return l.host
}

func (l line) raw() []byte {
	m := map[string]any{"seq": 1, "time": at(l.at).Format(time.RFC3339Nano), "host": l.by(), "event": l.event, "session": l.session, "foreign": l.foreign, "canceled": l.canceled}
	if l.denied {
		m["effects"], m["reason"] = []string{"deny"}, "the shop is closed"
	}
	if l.tool != "" {
		m["tool"] = map[string]any{"name": l.tool, "call_id": l.id}
		arguments := map[string]any{"command": l.command}
		if l.host == "qwen" {
			arguments["is_background"] = false
		}
		said, _ := json.Marshal(arguments)
		input := map[string]any{"json": json.RawMessage(said), "bytes": len(said)}
		if l.mac != "" {
			input = map[string]any{"digest": l.mac}
		}
		m["subject"] = map[string]any{"input": input}
	}
	b, _ := json.Marshal(m)
	return b
}

// ledgerOf returns a ledger with these lines.
func ledgerOf(all []line) Ledger {
	each := func(f index.Filter, fn func(line) bool) {
		has := func(list []string, s string) bool { return len(list) == 0 || slices.Contains(list, s) }
		for _, l := range all {
			kind := l.kind
			if kind == "" {
				kind = ledger.KindEvent
			}
			host := l.by()
			if kind != ledger.KindEvent {
				host = ""
			}
			if f.Kind != "" && f.Kind != kind || !has(f.Host, host) || !has(f.Session, l.session) || !has(f.Agent, l.agent) || !has(f.Event, l.event) || !has(f.Tool, l.tool) ||
				!f.Since.IsZero() && at(l.at).Before(f.Since) || !f.Until.IsZero() && !at(l.at).Before(f.Until) {
				continue
			}
			if !fn(l) {
				return
			}
		}
	}
	return Ledger{
		Each: func(_ context.Context, f index.Filter, fn func([]byte) bool) error {
			each(f, func(l line) bool { return fn(l.raw()) })
			return nil
		},
		Count: func(_ context.Context, f index.Filter) (n int, _ error) {
			each(f, func(line) bool { n++; return true })
			return n, nil
		},
	}
}

// writeTranscripts writes transcripts of Claude Code with one shell call for each ID, from 100 seconds
// on.
func writeTranscripts(t *testing.T, sessions map[string][]string) []transcript.File {
	t.Helper()
	var out []transcript.File
	for session, ids := range sessions {
		var b strings.Builder
		for i, id := range ids {
			fmt.Fprintf(&b, `{"type":"assistant","uuid":"a%s","sessionId":%q,"timestamp":%q,"message":{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"echo %s"}}]}}`+"\n", id, session, at(100+10*i).Format(time.RFC3339Nano), id, id)
			fmt.Fprintf(&b, `{"type":"user","uuid":"b%s","sessionId":%q,"timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":"out","is_error":false}]}}`+"\n", id, session, at(101+10*i).Format(time.RFC3339Nano), id)
		}
		path := filepath.Join(t.TempDir(), session+".jsonl")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		out = append(out, transcript.File{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: path, Size: int64(b.Len()), Time: at(10_000)})
	}
	return out
}

// TestCauses has one call, c1 of session s, about which the ledger has nothing or too little, and
// checks the cause that follows from the records around it.
func TestCauses(t *testing.T) {
	t.Parallel()
	usual := Host{Name: "claude", Title: "Claude Code", Installed: true, Since: at(0)}
	with := func(f func(*Host)) Host { h := usual; f(&h); return h }
	ask := func(when int, session, id string) line {
		return line{at: when, event: "pre_tool_use", session: session, tool: "Bash", id: id, command: "echo " + id}
	}
	around := []line{ask(50, "s", "c0"), ask(300, "s", "c9")}
	for _, test := range []struct {
		name   string
		host   Host
		ledger []line
		want   Cause
	}{
		{"nothing at all was heard", usual, nil, Silent},
		{"the host skips hooks", with(func(h *Host) { h.Off = "disableAllHooks is set" }), nil, Disabled},
		{"not installed now", with(func(h *Host) { h.Installed = false }), nil, NotInstalled},
		{"installed after the session", with(func(h *Host) { h.Since = at(500) }), nil, NotInstalled},
		{"other sessions were heard later only", usual, []line{ask(500, "other", "x")}, NotInstalled},
		{"another session was heard at the same time", usual, []line{ask(100, "other", "x")}, Elsewhere},
		{"in a project only", with(func(h *Host) { h.ProjectOnly = true }), nil, Elsewhere},
		{"only the end of the session was heard", usual, []line{ask(300, "s", "c9")}, NotInstalled},
		{"only its beginning was heard", usual, []line{ask(50, "s", "c0")}, NotInstalled},
		{"the rest of the session was heard", usual, around, Died},
		{"the host went on without the answer", usual, append([]line{{at: 100, event: "pre_tool_use", session: "s", tool: "Bash", id: "c1", command: "echo c1", canceled: true}}, around...), Died},
		{"only the result was heard", usual, append([]line{{at: 101, event: "post_tool_use", session: "s", tool: "Bash", id: "c1"}}, around...), Died},
		{"records are missing", usual, append([]line{{at: 120, kind: ledger.KindGap}}, around...), Unrecorded},
		{"another program asked", usual, append([]line{{at: 100, event: "pre_tool_use", session: "s", tool: "Bash", id: "c1", foreign: true}}, around...), Forged},
		{"another program asked, and the host told the result", usual, append([]line{{at: 100, event: "pre_tool_use", session: "s", tool: "Bash", id: "c1", foreign: true}, {at: 101, event: "post_tool_use", session: "s", tool: "Bash", id: "c1"}}, around...), Forged},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			slices.SortStableFunc(test.ledger, func(a, b line) int { return a.at - b.at })
			r, err := Run(t.Context(), ledgerOf(test.ledger), Options{Files: writeTranscripts(t, map[string][]string{"s": {"c1"}}), Hosts: []Host{test.host}})
			if err != nil || r.Calls != 1 || r.Unseen != 1 || len(r.Misses) != 1 {
				t.Fatalf("%+v, %v", r, err)
			}
			m := r.Misses[0]
			if m.Cause != test.want || m.Why == "" || len(m.Remedies) == 0 || strings.Contains(m.Why+message.JoinRemedies(m.Remedies), "TITLE") || strings.Contains(message.JoinRemedies(m.Remedies), "HOST") {
				t.Errorf("%s, want %s: %q, %q", m.Cause, test.want, m.Why, m.Remedies)
			}
			if test.want == Disabled && !strings.Contains(m.Why, test.host.Off) {
				t.Errorf("it does not say why: %q", m.Why)
			}
		})
	}
}

// TestTooMany has more sessions with unseen calls than are examined. All are counted.
func TestTooMany(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	const more = 7
	for i := range maxGroups + more {
		fmt.Fprintf(&b, `{"type":"assistant","uuid":"a","sessionId":"s%d","timestamp":%q,"message":{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":"Bash","input":{"command":"ls"}}]}}`+"\n", i, at(100).Format(time.RFC3339Nano), i)
		fmt.Fprintf(&b, `{"type":"user","uuid":"b","sessionId":"s%d","timestamp":%q,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","content":"out"}]}}`+"\n", i, at(101).Format(time.RFC3339Nano), i)
	}
	path := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), ledgerOf(nil), Options{
		Files: []transcript.File{{Host: "claude", Form: setups.Transcripts().ForHost("claude"), Path: path, Size: int64(b.Len()), Time: at(10_000)}},
		Hosts: []Host{{Name: "claude", Title: "Claude Code", Installed: true, Since: at(0)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	rest := 0
	for _, m := range r.Misses {
		if m.Cause == TooMany {
			rest += m.Calls
		}
	}
	if r.Unseen != maxGroups+more || len(r.Misses) != maxGroups+1 || rest != more {
		t.Errorf("%d unseen in %d groups, %d of them in the last", r.Unseen, len(r.Misses), rest)
	}
}

// TestHeadless has headless sessions that sent no events. That is the cause if sessions at a terminal
// did send events.
func TestHeadless(t *testing.T) {
	t.Parallel()
	ask := func(when int, session, id string) line {
		return line{at: when, event: "pre_tool_use", session: session, tool: "Bash", id: id, command: "echo " + id}
	}
	for _, test := range []struct {
		name     string
		headless []string // sessions; the others are at a terminal
		ledger   []line
		want     Cause // of c1 of session s
	}{
		{"sessions at a terminal are heard", []string{"s"}, []line{ask(100, "other", "x1")}, Headless},
		{"another headless one was heard", []string{"s", "other"}, []line{ask(100, "other", "x1")}, Elsewhere},
		{"it was at a terminal itself", nil, []line{ask(100, "other", "x1")}, Elsewhere},
		{"nothing was heard", []string{"s"}, nil, Silent},
		{"others were heard later only", []string{"s"}, []line{ask(500, "later", "y1")}, NotInstalled},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files := writeTranscripts(t, map[string][]string{"s": {"c1"}, "other": {"x1"}})
			for _, f := range files {
				raw, err := os.ReadFile(f.Path)
				if err != nil {
					t.Fatal(err)
				}
				entry := "cli"
				if slices.Contains(test.headless, strings.TrimSuffix(filepath.Base(f.Path), ".jsonl")) {
					entry = "sdk-cli"
				}
				if err := os.WriteFile(f.Path, []byte(strings.ReplaceAll(string(raw), `"timestamp"`, `"entrypoint":"`+entry+`","timestamp"`)), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Run(t.Context(), ledgerOf(test.ledger), Options{Files: files, Hosts: []Host{{Name: "claude", Title: "Claude Code", Installed: true, Since: at(0)}}})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(r.Misses, func(m Miss) bool { return m.Session == "s" })
			if i < 0 || r.Misses[i].Cause != test.want || r.Misses[i].Headless != slices.Contains(test.headless, "s") {
				t.Errorf("want %s: %+v", test.want, r.Misses)
			}
		})
	}
}
