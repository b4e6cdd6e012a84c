package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// payloads returns the recorded payloads of a host about a call or a prompt, by file name.
func payloads(t *testing.T, h *wire.Host) map[string]wire.Call {
	t.Helper()
	files, err := filepath.Glob("../host/" + strings.ReplaceAll(h.Name, "-", "") + "/testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no payloads of %s: %v", h.Name, err)
	}
	out := map[string]wire.Call{}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, native := strings.TrimSuffix(filepath.Base(file), ".json"), ""
		if h.OmitsEvent {
			native, _, _ = strings.Cut(name, ".")
		}
		call := h.Read(h, body, native)
		if slices.Contains([]checkrein.Kind{checkrein.PreToolUse, checkrein.PermissionRequest, checkrein.UserPromptSubmit}, call.Events[0].Kind) {
			call.Events = call.Events[:1]
			out[name] = call
		}
	}
	return out
}

// replyTexts returns the texts in a host's reply.
func replyTexts(k *app.Kit, t *testing.T, h *wire.Host, c wire.Call) []string {
	t.Helper()
	reply := k.Answer(t.Context(), app.Call{Events: c.Events}, func(outs []engine.Outcome) wire.Reply { return h.Encode(&c, outs) })
	out := []string{string(reply.Stderr)}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			out = append(out, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	var v any
	if len(reply.Stdout) > 0 && json.Unmarshal(reply.Stdout, &v) == nil {
		walk(v)
	}
	all := slices.Clone(out)
	return slices.DeleteFunc(out, func(s string) bool {
		if slices.ContainsFunc(all, func(other string) bool { return s != "" && strings.HasPrefix(other, s+"\n") }) {
			return true // for the user, the first line of the text for the model
		}
		return !strings.Contains(s, "checkrein ") && !strings.Contains(s, "not today")
	})
}

var allowCommand = regexp.MustCompile(`: checkrein allow ([0-9a-f]{4,})( --session)?$`)

// On every host, the first line of a block has the call, the reason and the remedy. If an ask cannot
// reach the user, it says so, and which host cannot ask.
func TestBlockTextHasARemedyOnEveryHost(t *testing.T) {
	t.Parallel()
	for _, h := range host.Table() {
		for _, decision := range []string{"deny", "ask"} {
			t.Run(h.Name+" "+decision, func(t *testing.T) {
				t.Parallel()
				p, rules := newTestMachine(t), "  pre_tool_use: {name: never, type: rule, decision: "+decision+", reason: not today}\n"
				if decision == "deny" {
					rules += "  permission_request: {name: never, type: rule, decision: deny, reason: not today}\n  user_prompt_submit: {name: never, type: rule, decision: deny, reason: not today}\n"
				}
				p.writeUser("version: 1\npacks: []\nhooks:\n" + rules)
				k, gates := p.open(), 0
				for name, c := range payloads(t, h) {
					ev := &c.Events[0]
					if decision == "ask" && ev.Kind != checkrein.PreToolUse {
						continue
					}
					texts := replyTexts(k, t, h, c)
					if host.Honours(ev)&checkrein.CanDeny == 0 {
						if strings.Contains(strings.Join(texts, "\n"), "blocked") {
							t.Errorf("%s: nothing is blocked there, and it says %q", name, texts)
						}
						continue
					}
					gates++
					if len(texts) == 0 {
						t.Errorf("%s: nothing is said", name)
					}
					unasked := ""
					if decision == "ask" {
						unasked = host.WhyCannotAsk(ev, func() wire.HostProcess { return wire.HostProcess{Terminal: true} })
					}
					for _, text := range texts {
						checkBlockText(t, k, h, ev, strings.TrimSpace(text), decision == "ask" && unasked == "", unasked)
					}
				}
				if gates == 0 {
					t.Errorf("no recorded payload of %s is a gate", h.Name)
				}
			})
		}
	}
}

// checkBlockText checks that a text has everything that the text of a block must have.
func checkBlockText(t *testing.T, k *app.Kit, h *wire.Host, ev *checkrein.Event, text string, asks bool, unasked string) {
	t.Helper()
	first, rest, _ := strings.Cut(text, "\n")
	want := []string{"checkrein blocked ", ": not today [never]. ", "A person can allow it"}
	not := []string{"asks about", "To be asked"}
	switch {
	case asks:
		want = []string{"checkrein asks about ", ": not today [never]. ", "To stop being asked in this session, run"}
		not = []string{"blocked", "denied", "Do not look"}
	case unasked != "":
		want = append(want, h.Title+" cannot ask", unasked+", so the user was not asked and this is denied.")
	}
	if ev.Tool == nil {
		want = append(want, " and send it again: ")
	}
	if h.IsEditor {
		want = append(want, " in a terminal outside "+h.Title+"'s window (terminals in it count as the agent's)")
	} else {
		want = append(want, " in another terminal")
	}
	for _, w := range want {
		if !strings.Contains(first, w) {
			t.Errorf("%s %s: %q is not in the first line of %q", h.Name, ev.Native, w, text)
		}
	}
	for _, n := range not {
		if strings.Contains(text, n) {
			t.Errorf("%s %s: %q is in %q", h.Name, ev.Native, n, text)
		}
	}
	if !asks && ev.Tool != nil && !strings.HasPrefix(rest, "Do not look for another way to do the same: ") {
		t.Errorf("%s %s: the model is not told to leave it at that: %q", h.Name, ev.Native, text)
	}
	m := allowCommand.FindStringSubmatch(first)
	if m == nil || asks != (m[2] != "") {
		t.Errorf("%s %s: no command at the end of the first line of %q", h.Name, ev.Native, text)
		return
	}
	if b, err := k.Grants().Block(m[1]); err != nil || b.Host != h.Name || b.By[0].Reason != "not today" {
		t.Errorf("%s %s: the handle %s is for %+v, %v", h.Name, ev.Native, m[1], b, err)
	}
}

// The texts of blocks for users and models, case by case. HANDLE stands for the handle, and DIR for
// the directory.
func TestBlockTexts(t *testing.T) {
	t.Parallel()
	const leave = "\nDo not look for another way to do the same: say what you wanted to do and why, or go on with something else."
	const allow = " A person can allow it in another terminal: checkrein allow HANDLE"
	secret := "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	tests := []struct{ name, hooks, event, want string }{
		{"one line", "- {name: guard, command: 'echo no >&2; exit 2'}", "ls", "checkrein blocked ls: no [guard]." + allow + " --rule guard" + leave},
		{"several lines", `- {name: guard, command: 'printf "lint failed:\na.go:1\n\nb.go:2\n" >&2; exit 2'}`, "ls",
			"checkrein blocked ls: lint failed … [guard]." + allow + " --rule guard\nguard says:\nlint failed:\na.go:1\n\nb.go:2" + leave},
		{"control characters", `- {name: guard, command: 'printf "no\033[2K\rchosen by you" >&2; exit 2'}`, "ls",
			`checkrein blocked ls: no\x1b[2K\rchosen by you [guard].` + allow + " --rule guard" + leave},
		{"no reason", `- {name: guard, command: 'exit 2'}`, "ls", `checkrein blocked ls: blocked by hook "guard" [guard].` + allow + " --rule guard" + leave},
		{"a name that shells would split", `- {name: my guard, command: 'echo no. >&2; exit 2'}`, "ls", `checkrein blocked ls: no [my guard].` + allow + " --rule 'my guard'" + leave},
		{"several deciders", "- {name: a, type: rule, decision: deny, reason: never.}\n    - {name: b, type: rule, decision: deny, reason: not now}\n    - {name: c, type: rule, decision: ask, reason: hm}", "ls",
			"checkrein blocked ls: never [a]. Also: not now [b]." + allow + leave},
		{"deciders with one reason", "- {name: a, type: rule, decision: deny, reason: never.}\n    - {name: b, type: rule, decision: deny, reason: never}", "ls",
			"checkrein blocked ls: never [a, b]." + allow + leave},
		{"many deciders", "- {name: a, type: rule, decision: deny, reason: one}\n    - {name: b, type: rule, decision: deny, reason: two}\n    - {name: c, type: rule, decision: deny, reason: three}\n    - {name: d, type: rule, decision: deny, reason: four}", "ls",
			"checkrein blocked ls: one [a]. Also: two [b]; three [c]; 1 more." + allow + leave},
		{"a long command", "- {name: a, type: rule, decision: deny, reason: no}", "echo " + strings.Repeat("x", 400), "checkrein blocked echo " + strings.Repeat("x", 115) + " …: no [a]." + allow + leave},
		{"a command of several lines", "- {name: a, type: rule, decision: deny, reason: no}", "cat <<E\nx\nE\n", "checkrein blocked cat <<E x E: no [a]." + allow + leave},
		{"a long reason", "- {name: a, type: rule, decision: deny, reason: " + strings.Repeat("r", 300) + "}", "ls",
			"checkrein blocked ls: " + strings.Repeat("r", 240) + " … [a]." + allow + "\na says:\n" + strings.Repeat("r", 300) + leave},
		{"a secret where the text is cut", "- {name: a, type: rule, decision: deny, reason: no}", "echo " + strings.Repeat("x", 275) + " " + secret, "checkrein blocked echo " + strings.Repeat("x", 115) + " …: no [a]." + allow + leave},
		{"a secret where the reason is cut", "- {name: a, type: rule, decision: deny, reason: '" + strings.Repeat("r", 210) + " " + secret + "'}", "ls",
			"checkrein blocked ls: " + strings.Repeat("r", 210) + " [REDACTED] [a]." + allow + "\na says:\n" + strings.Repeat("r", 210) + " " + secret + leave},
		{"a fault", `- {name: guard, command: 'kill -9 $$'}`, "ls",
			"checkrein blocked ls: a hook that guards this could not answer: ended by signal SIGKILL [guard]. It stays blocked until the user fixes it in DIR/home/.config/checkrein/checkrein.yaml:5. To see what is wrong, run checkrein hooks doctor" + leave},
		{"a hook with a mistake", "- {name: guard, type: nonsense}", "ls",
			`checkrein blocked ls: your hook has a mistake (DIR/home/.config/checkrein/checkrein.yaml:5): unknown hook type "nonsense": must be one of command, builtin, rule, http, model [guard]. It stays blocked until the user corrects the file. To see the line, run checkrein validate` + leave},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			p.writeUser("version: 1\npacks: []\nhooks:\n  pre_tool_use:\n    " + tt.hooks + "\n")
			if got := p.replyTo(tt.event); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			for _, file := range p.files("state") {
				if b, _ := os.ReadFile(file); strings.Contains(string(b), secret[:20]) {
					t.Errorf("%s has a part of the secret", file)
				}
			}
		})
	}
}

// A block that no grant can lift has no handle, and its text says what to do instead.
func TestFinalBlockTexts(t *testing.T) {
	t.Parallel()
	const leave = "\nDo not look for another way to do the same: say what you wanted to do and why, or go on with something else."
	for name, tt := range map[string]struct {
		place   func(testMachine)
		command string
		want    []string
	}{
		"self-protection": {func(p testMachine) { p.writeUser("version: 1\n") }, "rm -rf ~/.config/checkrein",
			[]string{"checkrein blocked rm -rf ~/.config/checkrein: ", "[self/config]", ". No grant can allow this call, because it would change or control checkrein itself. A person can do it by hand in another terminal." + leave}},
		"self-protection beside a loss": {func(p testMachine) { p.writeUser("version: 1\n") }, "rm -rf ~",
			[]string{"checkrein blocked rm -rf ~: deletes the home directory and everything in it [filesystem/delete-home]. Also: checkrein itself ", "[self/config]. No grant can allow this call, because it also reaches checkrein's own files. Name only the files that are meant, without checkrein's own." + leave}},
		"managed": {func(p testMachine) { p.writeManaged(ruleFile("pre_tool_use", "policy", "deny")) }, "ls",
			[]string{"checkrein blocked ls: policy [policy]. This machine's administrator decides that in DIR/etc/checkrein.yaml, and no grant can lift it: ask the administrator." + leave}},
		"managed beside others": {func(p testMachine) {
			p.writeManaged(ruleFile("pre_tool_use", "policy", "deny"))
			p.writeUser(ruleFile("pre_tool_use", "mine", "deny"))
		}, "ls",
			[]string{"checkrein blocked ls: policy [policy]. Also: mine [mine]. This machine's administrator decides that"}},
		"a hook that is not approved": {func(p testMachine) {
			p.write("project/guard.sh", "exit 0\n")
			p.writeUser("version: 1\npacks: []\nhooks:\n  pre_tool_use: {name: guard, command: sh ./guard.sh}\n")
		}, "ls",
			[]string{"checkrein blocked ls: a hook that guards this could not answer: it would run this project's guard.sh, which was not approved; ", "checkrein hooks approve guard [guard]. It stays blocked until a person approves the hook in another terminal." + leave}},
		"self-protection beside a fault": {func(p testMachine) {
			p.writeUser("version: 1\nhooks:\n  pre_tool_use: {name: guard, command: 'kill -9 $$'}\n")
		}, "rm -rf ~/.config/checkrein",
			[]string{"[self/config]. Also: a hook that guards this could not answer: ended by signal SIGKILL [guard]", ". No grant can allow this call, because it would change or control checkrein itself."}},
		"unreadable": {func(p testMachine) { p.writeUser("version: 1\nhooks: [") }, "ls",
			[]string{"checkrein blocked ls: the configuration cannot be read: ", ". It stays blocked until the user corrects the file. To see the line, run checkrein validate" + leave}},
		"unreadable, managed": {func(p testMachine) { p.writeManaged("version: 1\nhooks: [") }, "ls",
			[]string{"checkrein blocked ls: the configuration cannot be read: ", ". It stays blocked until it is corrected: ask this machine's administrator to correct DIR/etc/checkrein.yaml:2. To see the line, run checkrein validate" + leave}},
		"a mistake, managed": {func(p testMachine) {
			p.writeManaged("version: 1\nhooks: {pre_tool_use: [{name: policy, type: nonsense}]}")
		}, "ls",
			[]string{"checkrein blocked ls: the administrator's hook has a mistake (DIR/etc/checkrein.yaml:2): ", ". It stays blocked until it is corrected: ask this machine's administrator to correct DIR/etc/checkrein.yaml:2."}},
		"no answer, managed": {func(p testMachine) {
			p.writeManaged("version: 1\nhooks: {pre_tool_use: [{name: policy, command: 'kill -9 $$'}]}")
		}, "ls",
			[]string{"ended by signal SIGKILL [policy]. It stays blocked until it is corrected: ask this machine's administrator to correct DIR/etc/checkrein.yaml:2."}},
		"changed": {func(p testMachine) {
			p.write("project/guard.sh", "exit 0\n")
			p.write("project/checkrein.yaml", "version: 1\nhooks:\n  pre_tool_use: {name: guard, command: sh ./guard.sh}\n")
			p.approveAll()
			p.write("project/guard.sh", "exit 1\n")
		}, "ls",
			[]string{"checkrein blocked ls: this hook changed since it was approved: ", "guard.sh changed", " [guard]. It stays blocked until a person looks at the change and approves it in another terminal: checkrein hooks approve guard" + leave}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			tt.place(p)
			got := p.replyTo(tt.command)
			for _, want := range tt.want {
				wantText(t, got, want)
			}
			if strings.Contains(got, "checkrein allow") {
				t.Errorf("no grant lifts it, and it says %s", got)
			}
		})
	}
}

// The documentation quotes block texts as hosts receive them.
func TestDocsQuoteTheBlock(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.write("project/.git/HEAD", "ref: refs/heads/main\n")
	p.write("project/.git/refs/heads/main", strings.Repeat("a", 40)+"\n")
	p.write("project/.git/objects/info/packs", "")
	p.write("project/.git/config", "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = https://example.com/shop.git\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n")
	page, err := os.ReadFile("../../docs/remedies.md")
	if err != nil {
		t.Fatal(err)
	}
	quoted := strings.ReplaceAll(string(page), "checkrein allow 5f08", "checkrein allow HANDLE")
	for line := range strings.Lines(p.replyTo("git push --force origin main")) {
		wantText(t, quoted, "\n"+strings.TrimSpace(line)+"\n")
	}
}

// replyTo returns Claude Code's reply for a command.
func (p testMachine) replyTo(command string) string {
	p.t.Helper()
	input, _ := json.Marshal(map[string]string{"command": command})
	h, _ := host.Find("claude")
	c := h.Read(h, []byte(`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":`+string(input)+`}`), "")
	texts := replyTexts(p.open(), p.t, h, c)
	if len(texts) != 1 {
		p.t.Fatalf("heard %q", texts)
	}
	text := regexp.MustCompile(`checkrein allow [0-9a-f]{4,}`).ReplaceAllString(texts[0], "checkrein allow HANDLE")
	return strings.ReplaceAll(text, p.root, "DIR")
}

// files returns all files below a directory of the place.
func (p testMachine) files(name string) (list []string) {
	p.t.Helper()
	err := filepath.WalkDir(p.path(name), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return list
}

// A mistake in a file is reported once per session, in a short form.
func TestMistakeNoticeAppearsOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, want string }{
		"a file":      {"version: 1\nhooks: [\n", "the configuration cannot be read: "},
		"not a guard": {"version: 1\nhooks:\n  session_start: {name: hello, type: nonsense}\n  user_prompt_submit: {name: hello, type: nonsense}\n", "your hook has a mistake (DIR/home/.config/checkrein/checkrein.yaml:3): "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestMachine(t)
			p.writeUser(tt.file)
			first := p.decide(checkrein.Event{Kind: checkrein.SessionStart, Host: "gemini", Session: checkrein.Session{ID: "s"}}).Verdict.Notice
			if len(first) != 1 {
				t.Fatalf("told %q", first)
			}
			got := strings.ReplaceAll(first[0], p.root, "DIR")
			wantText(t, got, tt.want)
			wantText(t, got, ". To see the line, run checkrein validate")
			for _, kind := range []checkrein.Kind{checkrein.SessionStart, checkrein.TurnStart, checkrein.PostToolUse} {
				ev := checkrein.Event{Kind: kind, Host: "gemini", Session: checkrein.Session{ID: "s"}}
				if kind == checkrein.PostToolUse {
					ev.Tool = &checkrein.Tool{Name: "x"}
				}
				if again := p.decide(ev).Verdict.Notice; len(again) > 0 {
					t.Errorf("%s: told %q", kind, again)
				}
			}
		})
	}
}

// The notice about a hook that waits for approval has a command that works.
func TestPendingNoticeHasACommand(t *testing.T) {
	t.Parallel()
	p := newTestMachine(t)
	p.writeProject("version: 1\nhooks:\n  pre_tool_use: {name: my guard, command: 'true'}\n")
	out := p.decide(checkrein.Event{Kind: checkrein.SessionEnd, Session: checkrein.Session{ID: "s"}})
	wantText(t, strings.Join(out.Verdict.Notice, "\n"), "1 hook in this project is waiting for approval; to approve it, run checkrein hooks approve 'my guard'")
}
