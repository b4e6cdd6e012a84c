package misses_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

var noon = time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)

func at(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }

// A call is a call in a transcript: when it was made, with which tool, and how it ended.
type call struct {
	minute int
	tool   string
	result string // "" = none, "!…" = an error
}

// writeTranscript writes a transcript of Claude Code in a home directory.
func writeTranscript(t *testing.T, home, session string, calls ...call) {
	t.Helper()
	var b strings.Builder
	for i, c := range calls {
		id := fmt.Sprintf("toolu_%s%d", session, i)
		line := func(kind string, after time.Duration, block string) {
			fmt.Fprintf(&b, `{"parentUuid":null,"isSidechain":false,"type":%q,"uuid":"u%d","sessionId":%q,"timestamp":%q,"message":{"role":%q,"content":[%s]}}`+"\n",
				kind, i, session, at(c.minute).Add(after).Format(time.RFC3339Nano), kind, block)
		}
		line("assistant", 0, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{"command":"ls"}}`, id, c.tool))
		if text, wrong := strings.CutPrefix(c.result, "!"); c.result != "" {
			line("user", time.Second, fmt.Sprintf(`{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":%q}`, id, wrong, text))
		}
	}
	path := filepath.Join(home, ".claude", "projects", "p", session+".jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(b.String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	last := at(calls[len(calls)-1].minute).Add(10 * time.Second)
	if err := os.Chtimes(path, last, last); err != nil {
		t.Fatal(err)
	}
}

// files returns the transcripts in a home directory, each as if it was last changed at its last call.
func files(t *testing.T, home string) []transcript.File {
	t.Helper()
	list := setups.Transcripts().Find(home, nil)
	for i := range list {
		info, err := os.Stat(list[i].Path)
		if err != nil {
			t.Fatal(err)
		}
		list[i].Time = info.ModTime()
	}
	return list
}

func TestFind(t *testing.T) {
	t.Parallel()
	ran := func(minute int) call { return call{minute, "Bash", "fine"} }
	for _, tt := range []struct {
		name   string
		calls  []call
		heard  misses.SessionEvents
		asked  []string // tools, in any session
		partly bool
		began  bool // other sessions said that they began
		want   string
	}{
		{name: "never heard", calls: []call{ran(1), ran(2)}, want: "2 calls 12:01 to 12:02 false"},
		{name: "never heard, others ask", calls: []call{ran(1)}, asked: []string{"Bash"}, want: "1 calls 12:01 to 12:01 false"},
		{name: "heard to its end", calls: []call{ran(1), ran(2)}, heard: misses.SessionEvents{First: at(0), Call: at(2)}, asked: []string{"Bash"}},
		{name: "the clocks differ a little", calls: []call{ran(2)}, heard: misses.SessionEvents{First: at(0), Call: at(2).Add(-3 * time.Second)}, asked: []string{"Bash"}},
		{name: "silent from the middle on", calls: []call{ran(1), ran(20), ran(30)}, heard: misses.SessionEvents{First: at(0), Call: at(1)}, asked: []string{"Bash"}, want: "2 calls 12:20 to 12:30 true"},
		{name: "only the start was heard", calls: []call{ran(1)}, heard: misses.SessionEvents{First: at(0)}, want: "1 calls 12:01 to 12:01 true"},
		{name: "only the start was heard, other sessions ask", calls: []call{ran(1)}, heard: misses.SessionEvents{First: at(0)}, asked: []string{"Bash"}, want: "1 calls 12:01 to 12:01 true"},
		{name: "a tool about which the host does not ask", calls: []call{ran(1), {9, "TodoWrite", "fine"}}, heard: misses.SessionEvents{First: at(0), Call: at(1)}, asked: []string{"Bash"}},
		{name: "before checkrein was installed", calls: []call{ran(-60), ran(-30)}},
		{name: "installed in between", calls: []call{ran(-60), ran(30)}, want: "1 calls 12:30 to 12:30 false"},
		{name: "a copy of what was before", calls: []call{ran(1), ran(2)}, heard: misses.SessionEvents{First: at(5)}, asked: []string{"Bash"}},
		{name: "refused by the host", calls: []call{{1, "Bash", "!Permission to use Bash has been denied"}}},
		{name: "denied", calls: []call{{1, "Bash", "!checkrein blocked this"}}},
		{name: "still open", calls: []call{{1, "Bash", ""}}},
		{name: "failed", calls: []call{{1, "Bash", "!exit 1"}}, want: "1 calls 12:01 to 12:01 false"},
		{name: "it never said that it began", calls: []call{ran(1)}, heard: misses.SessionEvents{First: at(1), Call: at(1)}, asked: []string{"Bash"}, began: true, want: "unstarted 12:01"},
		{name: "it said that it began", calls: []call{ran(1)}, heard: misses.SessionEvents{First: at(1), Start: at(1), Call: at(1)}, asked: []string{"Bash"}, began: true},
		{name: "no session of the host ever did", calls: []call{ran(1)}, heard: misses.SessionEvents{First: at(1), Call: at(1)}, asked: []string{"Bash"}},
		{name: "it began before checkrein was installed", calls: []call{ran(-60), ran(1)}, heard: misses.SessionEvents{First: at(1), Call: at(1)}, asked: []string{"Bash"}, began: true},
		{name: "it never said that it began, and went silent", calls: []call{ran(1), ran(20)}, heard: misses.SessionEvents{First: at(1), Call: at(1)}, asked: []string{"Bash"}, began: true, want: "1 calls 12:20 to 12:20 true"},
		{name: "perhaps in another project", calls: []call{ran(1)}, partly: true},
		{name: "in the project for sure", calls: []call{ran(1)}, partly: true, heard: misses.SessionEvents{First: at(0)}, want: "1 calls 12:01 to 12:01 true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			writeTranscript(t, home, "s", tt.calls...)
			l := misses.SessionLedger{
				Session: func(_ string, names []string) (misses.SessionEvents, error) {
					if !slices.Equal(names, []string{"s"}) {
						t.Errorf("names %q", names)
					}
					return tt.heard, nil
				},
				Asks: func(_, tool string) (bool, error) {
					return tool == "" && len(tt.asked) > 0 || slices.Contains(tt.asked, tool), nil
				},
				Began: func(string) (time.Time, error) {
					if tt.began {
						return noon, nil
					}
					return time.Time{}, nil
				},
				Asked: func(string, time.Time) ([]string, error) { return []string{"s"}, nil },
			}
			found, err := misses.FindSilent(t.Context(), l, misses.SilenceOptions{Hosts: []misses.SilentHost{{Name: "claude", Since: noon, Partly: tt.partly}}, Files: files(t, home), Most: 1})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, s := range found.Sessions {
				if s.Unstarted {
					got += "unstarted " + s.Since.Format("15:04")
					continue
				}
				got += fmt.Sprintf("%d calls %s to %s %v", s.Calls, s.Since.Format("15:04"), s.Last.Format("15:04"), s.Heard)
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// The newest transcripts are read first, up to a limit. Those of other hosts are not read.
func TestFindReadsNewestFirst(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for i := range 9 {
		writeTranscript(t, home, fmt.Sprint("s", i), call{i + 1, "Bash", "fine"})
	}
	deaf := misses.SessionLedger{
		Session: func(string, []string) (misses.SessionEvents, error) { return misses.SessionEvents{}, nil },
		Asks:    func(string, string) (bool, error) { return false, nil },
		Began:   func(string) (time.Time, error) { return time.Time{}, nil },
		Asked:   func(string, time.Time) ([]string, error) { return nil, nil },
	}
	list := files(t, home)
	o := misses.SilenceOptions{Hosts: []misses.SilentHost{{Name: "claude", Since: noon}}, Files: list, Most: 3 * list[0].Size}
	found, err := misses.FindSilent(t.Context(), deaf, o)
	if err != nil || len(found.Sessions) != 3 || found.Sessions[2].Session != "s8" || found.Sessions[0].Session != "s6" {
		t.Errorf("%+v, %v", found, err)
	}
	o.Hosts[0].Name = "codex"
	if found, err = misses.FindSilent(t.Context(), deaf, o); err != nil || len(found.Sessions) > 0 {
		t.Errorf("another host: %+v, %v", found, err)
	}
	// What cannot be read is named, however much was read before it.
	o.Hosts[0].Name, o.Now = "claude", at(60)
	o.Files = append(o.Files, transcript.File{Host: "claude", Path: "closed", Skip: "the folder cannot be read"}, transcript.File{Host: "claude", Path: "old", Time: at(-60), Skip: "it is a pipe"}, transcript.File{Host: "codex", Path: "other", Skip: "it is a pipe"})
	if found, err = misses.FindSilent(t.Context(), deaf, o); err != nil || len(found.Sessions) != 3 || !slices.Equal(found.Unread, []misses.Unread{{Host: "claude", Path: "closed", Why: "the folder cannot be read"}}) {
		t.Errorf("what cannot be read: %+v, %v", found, err)
	}
	broken := errors.New("broken")
	deaf.Session = func(string, []string) (misses.SessionEvents, error) { return misses.SessionEvents{}, broken }
	o.Hosts[0].Name = "claude"
	if _, err = misses.FindSilent(t.Context(), deaf, o); !errors.Is(err, broken) {
		t.Errorf("a ledger that cannot be read: %v", err)
	}
}

// The ledger alone shows which sessions did not report their start, or continued after their end.
func TestFindUsesLedgerAlone(t *testing.T) {
	t.Parallel()
	start := func(h misses.SessionEvents, minute int) misses.SessionEvents {
		h.Start, h.Again = at(minute), at(minute)
		return h
	}
	for _, tt := range []struct {
		name  string
		host  string
		heard misses.SessionEvents
		want  string
	}{
		{name: "it began, and goes on", heard: start(misses.SessionEvents{First: at(1), Call: at(5)}, 1)},
		{name: "it began and ended", heard: start(misses.SessionEvents{First: at(1), Call: at(5), End: at(6)}, 1)},
		{name: "its last results came a little late", heard: start(misses.SessionEvents{First: at(1), Call: at(6).Add(3 * time.Second), End: at(6)}, 1)},
		{name: "it went on after its end", heard: start(misses.SessionEvents{First: at(1), Call: at(9), End: at(6)}, 1), want: "ended 12:06"},
		{name: "it ended and began again", heard: misses.SessionEvents{First: at(1), Start: at(1), Again: at(8), Call: at(9), End: at(6)}},
		{name: "it never began", heard: misses.SessionEvents{First: at(1), Call: at(5)}, want: "unstarted 12:01"},
		{name: "it never began, and went on after its end", heard: misses.SessionEvents{First: at(1), Call: at(9), End: at(6)}, want: "unstarted 12:01, ended 12:06"},
		{name: "a host that does not always say so", host: "opencode", heard: misses.SessionEvents{First: at(1), Call: at(9), End: at(6)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := misses.SessionLedger{
				Session: func(string, []string) (misses.SessionEvents, error) { return tt.heard, nil },
				Asks:    func(string, string) (bool, error) { return true, nil },
				Began:   func(string) (time.Time, error) { return noon, nil },
				Asked:   func(string, time.Time) ([]string, error) { return []string{"s"}, nil },
			}
			found, err := misses.FindSilent(t.Context(), l, misses.SilenceOptions{Hosts: []misses.SilentHost{{Name: cmp.Or(tt.host, "claude"), Since: noon}}})
			var got []string
			for _, s := range found.Sessions {
				what := "silent"
				if s.Unstarted {
					what = "unstarted"
				}
				if s.Ended {
					what = "ended"
				}
				got = append(got, what+" "+s.Since.Format("15:04"))
			}
			slices.Sort(got)
			slices.Reverse(got)
			if text := strings.Join(got, ", "); err != nil || text != tt.want {
				t.Errorf("%q, want %q, %v", text, tt.want, err)
			}
		})
	}
}
