package replay_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app/replay"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// TestCompare checks the direction of each pair of answers: less strict is newly allowed, whatever else
// it is.
func TestCompare(t *testing.T) {
	t.Parallel()
	words := []string{"allowed", "pass", "saved", "contained", "asked", "denied"}
	names := map[string]string{"denied": "newly-denied", "asked": "newly-asked", "contained": "contained", "saved": "saved", "pass": "changed"}
	for i, was := range words {
		for j, is := range words {
			want := names[is]
			switch {
			case i == j:
				want = ""
			case j < i:
				want = "newly-allowed"
			}
			got := ""
			if d := replay.Compare(&replay.Answer{Word: was}, &replay.Answer{Word: is}); d != nil {
				got = d.Name
			}
			if got != want {
				t.Errorf("from %s to %s: %q, want %q", was, is, got, want)
			}
		}
	}
	by := func(rule string) *replay.Answer {
		return &replay.Answer{Word: "denied", By: []replay.Decider{{Hook: "packs", Rule: rule}}}
	}
	if replay.Compare(by("a"), by("b")) != replay.Changed || replay.Compare(by("a"), by("a")) != nil {
		t.Error("another rule is another reason")
	}
}

// summary returns the changes and losses of r in a line each.
func summary(r *replay.Report) (out []string) {
	for _, g := range r.Groups {
		for _, rule := range g.Rules {
			out = append(out, fmt.Sprintf("%s %s %d %s→%s %s", g.Name, rule.Name, rule.Count, rule.Examples[0].Was.Word, rule.Examples[0].Is.Word, rule.Examples[0].Call))
		}
	}
	for _, l := range r.Lost {
		out = append(out, fmt.Sprintf("lost %d: %s", l.Count, l.String()))
	}
	return append(out, r.Damage...)
}

func check(t *testing.T, what string, r *replay.Report, want ...string) {
	t.Helper()
	if got := strings.Join(summary(r), "\n"); got != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, strings.Join(want, "\n"))
	}
}

// TestOtherPolicy decides recorded calls under another policy, from a ledger, its export, and events.
func TestOtherPolicy(t *testing.T) {
	t.Parallel()
	b := newBook(t, "version: 1\nhooks:\n  pre_tool_use:\n    - {name: old, if: {command: {contains: old}}, decision: deny, reason: no}\n")
	k := b.kit()
	for _, c := range []string{"echo old", "echo new", "echo neither", "echo run"} {
		b.shell(k, "s", c)
	}
	file := b.write(filepath.Join(b.Home, "next.yaml"), "version: 1\nhooks:\n  pre_tool_use:\n    - {name: new, if: {command: {contains: new}}, decision: ask, reason: sure?}\n    - {name: program, if: {command: {contains: run}}, command: touch ran}\n")
	want := []string{"newly-allowed old 1 denied→pass echo old", "newly-asked new 1 pass→asked echo new", "lost 1: runs program"}
	check(t, "ledger", b.replay(replay.Options{Policy: file, Recorded: true}), want...)
	check(t, "against a policy", b.replay(replay.Options{Policy: file, Against: b.config}), want...)
	if _, err := os.Stat(filepath.Join(b.Project, "ran")); err == nil {
		t.Error("a program ran")
	}

	lines, err := os.ReadFile(filepath.Join(b.ledger(), ledger.CurrentFile))
	if err != nil {
		t.Fatal(err)
	}
	export := replay.Source{File: b.write(filepath.Join(b.Home, "export.jsonl"), string(lines))}
	check(t, "export", b.replay(replay.Options{Policy: file, Recorded: true, Unrelated: true}, export), want...)
	filtered := slices.DeleteFunc(strings.SplitAfter(string(lines), "\n"), func(line string) bool { return strings.Contains(line, "echo new") })
	b.write(export.File, strings.Join(filtered, ""))
	r := b.replay(replay.Options{Policy: file, Recorded: true, Unrelated: true}, export)
	if check(t, "filtered export", r, want[0], want[2]); len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0], "1 record between") {
		t.Errorf("of a filtered export: %q", r.Skipped)
	}
	b.write(export.File, strings.Replace(string(lines), "echo old", "echo odd", 1))
	check(t, "edited export", b.replay(replay.Options{Policy: file, Recorded: true, Unrelated: true}, export), export.File+":2: not a record, or changed since it was written")

	events := `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo old"}}` + "\n\nnothing\n"
	r = b.replay(replay.Options{Policy: file, Recorded: true, Unrelated: true}, replay.Source{File: b.write(filepath.Join(b.Home, "events.jsonl"), events), Dir: b.Project})
	check(t, "events", r, "newly-allowed old 1 denied→pass echo old", "lost 1: the agent's event could not be read")
}

// TestWhatIsNotKnown has calls that depend on what changed since: each is counted with its reason.
func TestWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	b := newBook(t, "")
	k := b.kit()
	script := b.write(filepath.Join(b.Project, "x.sh"), "git push --force\n")
	b.shell(k, "s", "bash x.sh")
	b.shell(k, "s", "curl -H 'Authorization: Bearer ghp_"+strings.Repeat("aB3d", 9)+"' https://api.github.com")
	b.shell(k, "s", "echo "+strings.Repeat("long ", 8000))
	b.answer(k, checkrein.Event{Kind: checkrein.Other, Host: "claude", Native: "ConfigChange", Session: checkrein.Session{ID: "s", Dir: b.Project}})
	lost := []string{"lost 1: records lack the settings that the agent was about to use", "lost 1: secrets in it were redacted", "lost 1: the record has only a part of the event"}
	check(t, "as it was", b.replay(replay.Options{Recorded: true, Full: true}), lost...)
	b.write(script, "echo harmless\n")
	changed := append([]string{"lost 1: files that it read are gone or differ now"}, lost...)
	check(t, "after a change", b.replay(replay.Options{Recorded: true, Full: true}), changed...)
	check(t, "after a change, under the same policy", b.replay(replay.Options{Recorded: true}), lost[1:]...)
	if err := os.Remove(script); err != nil {
		t.Fatal(err)
	}
	check(t, "after a removal", b.replay(replay.Options{Recorded: true, Full: true}), changed...)
}

// TestDamagedLedger has a ledger with an edited and one with a missing record: nothing else is reported.
func TestDamagedLedger(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([][]byte) [][]byte{
		"edited": func(l [][]byte) [][]byte { l[2] = bytes.Replace(l[2], []byte("echo b"), []byte("echo x"), 1); return l },
		"cut":    func(l [][]byte) [][]byte { return l[:3] },
		"middle": func(l [][]byte) [][]byte { return append(l[:2:2], l[3:]...) },
	} {
		b := newBook(t, "")
		k := b.kit()
		for _, c := range []string{"echo a", "echo b", "git push --force"} {
			b.shell(k, "s", c)
		}
		file := filepath.Join(b.ledger(), ledger.CurrentFile)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.write(file, string(bytes.Join(change(bytes.SplitAfter(text, []byte("\n"))), nil)))
		if r := b.replay(replay.Options{Recorded: true}); len(r.Damage) == 0 || r.Calls > 0 {
			t.Errorf("%s: %s", name, describe(r))
		}
	}
}

// TestShadowMode records calls under policies with and without shadow mode and decides them again under each:
// what is in shadow mode does not count, then and now.
func TestShadowMode(t *testing.T) {
	t.Parallel()
	const rule = "version: 1\nhooks:\n  pre_tool_use:\n    - {name: old, if: {command: {contains: old}}, decision: deny, reason: no}\n"
	calls := []string{"echo old", "git push --force origin main", "touch new && make"}
	policies := []struct {
		name, text string
		counts     [3]string
	}{
		{"enforced", rule, [3]string{"denied", "denied", "pass"}},
		{"rule", strings.Replace(rule, "reason: no", "reason: no, mode: shadow", 1), [3]string{"pass", "denied", "pass"}},
		{"file", rule + "mode: shadow\n", [3]string{"pass", "denied", "pass"}},
		{"everything", rule + "shadow: 2091-01-01\n", [3]string{"pass", "pass", "pass"}},
		{"everything, and the rule", strings.Replace(rule, "reason: no", "reason: no, mode: shadow", 1) + "shadow: 2091-01-01\n", [3]string{"pass", "pass", "pass"}},
		{"pack", rule + "packs: [{name: git, mode: shadow}]\n", [3]string{"denied", "pass", "pass"}},
		{"over", strings.Replace(rule, "reason: no", "reason: no, mode: shadow, until: 2021-01-01", 1) + "shadow: 2021-01-01\n", [3]string{"denied", "denied", "pass"}},
	}
	for _, then := range policies {
		t.Run(then.name, func(t *testing.T) {
			t.Parallel()
			b := newBook(t, then.text)
			k := b.kit()
			if err := k.Check(); err != nil {
				t.Fatal(err)
			}
			for _, c := range calls {
				b.shell(k, "s", c)
			}
			for _, now := range policies {
				var want []string
				for i, c := range calls {
					if was, is := then.counts[i], now.counts[i]; was != is {
						want = append(want, fmt.Sprintf("%s→%s %s", was, is, c))
					}
				}
				for _, full := range []bool{true, false} {
					var got []string
					r := b.replay(replay.Options{Recorded: true, Full: full, Policy: b.write(filepath.Join(b.Home, "now.yaml"), now.text)})
					for _, g := range r.Groups {
						for _, one := range g.Rules {
							for _, e := range one.Examples {
								got = append(got, fmt.Sprintf("%s→%s %s", e.Was.Word, e.Is.Word, e.Call))
							}
						}
					}
					slices.Sort(got)
					slices.Sort(want)
					if !slices.Equal(got, want) || r.LostCount() > 0 {
						t.Errorf("under %q, full %v: %q, want %q", now.name, full, got, want)
					}
				}
			}
		})
	}
}

// TestQuestionsWithoutAPerson compares questions that became denials, because the agent cannot ask, as what
// the policy wanted: questions.
func TestQuestionsWithoutAPerson(t *testing.T) {
	t.Parallel()
	rule := func(decision string) string {
		return "version: 1\nhooks:\n  pre_tool_use:\n    - {name: old, if: {command: {contains: old}}, decision: " + decision + ", reason: hm}\n"
	}
	codex := slices.IndexFunc(shells, func(s shellTool) bool { return s.host == "codex" })
	for _, tt := range []struct{ then, now, want string }{
		{"ask", "ask", ""},
		{"ask", "deny", "newly-denied old 1 asked→denied echo old"},
		{"deny", "ask", "newly-allowed old 1 denied→asked echo old"},
		{"deny", "none", "newly-allowed old 1 denied→pass echo old"},
		{"none", "ask", "newly-asked old 1 pass→asked echo old"},
	} {
		b := newBook(t, rule(tt.then))
		if reply := b.hostShell(b.kit(), &shells[codex], "s", "echo old"); tt.then == "ask" && !bytes.Contains(reply.Stdout, []byte("deny")) {
			t.Errorf("%s asks: %s", shells[codex].host, reply.Stdout)
		}
		r := b.replay(replay.Options{Recorded: true, Policy: b.write(filepath.Join(b.Home, "now.yaml"), rule(tt.now))})
		if got := strings.Join(summary(r), "\n"); got != tt.want {
			t.Errorf("%s → %s: %s, want %s", tt.then, tt.now, got, tt.want)
		}
	}
}
