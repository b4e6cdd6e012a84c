package judge

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
)

// newToken returns a random token.
func newToken() string {
	const letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	b := []byte("ghp_")
	for range 36 {
		b = append(b, letters[rand.IntN(len(letters))])
	}
	return string(b)
}

func shellEvent(cmd string) checkrein.Event {
	in, _ := json.Marshal(map[string]string{"command": cmd})
	return toolEvent(string(in))
}

// An allow of a judge that did not see everything becomes an ask.
func TestAllowOfWhatWasNotSeen(t *testing.T) {
	t.Parallel()
	allows := `{"decision":"allow","reason":"fine"}`
	tok := newToken()
	word := tok[4:24]
	key := func(body string) string {
		return "-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----"
	}
	for name, test := range map[string]struct {
		cmd, prompt string
		want        checkrein.Decision
	}{
		"all is seen":        {"ls -l", "", checkrein.Allow},
		"cut":                {strings.Repeat("a", 5000) + "; evil", "", checkrein.Ask},
		"cut to nothing":     {"evil", "{{ .ToolInput | toJSON | truncate -5 }}", checkrein.Ask},
		"cut to the letter":  {"evil", "{{ .ToolInput.command | truncate 4 }}", checkrein.Allow},
		"a slice":            {"ls; evil", "{{ slice .ToolInput.command 0 2 }}", checkrein.Ask},
		"a whole slice":      {"ls", "{{ slice .ToolInput.command 0 2 }}", checkrein.Allow},
		"a precision":        {"ls; evil", `{{ printf "%.2s" .ToolInput.command }}`, checkrein.Ask},
		"printf":             {"ls", `{{ printf "%s" .ToolInput.command }}`, checkrein.Allow},
		"an option's value":  {"deploy --token " + tok, "", checkrein.Allow},
		"a variable's value": {"API_KEY=" + tok + " deploy", "", checkrein.Allow},
		"a header":           {`curl -H "Authorization: Bearer ` + tok + `" https://api.example/`, "", checkrein.Allow},
		"a script's name":    {"sh ./" + tok, "", checkrein.Ask},
		"a script":           {"sh " + tok, "", checkrein.Ask},
		"a folder":           {"sh " + tok + "/run", "", checkrein.Ask},
		"a program":          {"ls; " + tok, "", checkrein.Ask},
		"lines of a key":     {"sh <<X\n: " + key(strings.Repeat(word, 4)+"\nmake") + "\nX", "", checkrein.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := modelHook(checkrein.PreToolUse, "schema", decisionSchema)
			if test.prompt != "" {
				h = modelHook(checkrein.PreToolUse, "schema", decisionSchema, "prompt", test.prompt)
			}
			b := benchReplying(allows)
			ans, err := b.handler(t, h).Handle(t.Context(), shellEvent(test.cmd))
			if err != nil || ans.Decision != test.want {
				t.Fatalf("%v %q, %v, want %v; asked %s", ans.Decision, ans.Reason, err, test.want, b.asked[0].Prompt)
			}
			if test.want == checkrein.Ask && !strings.Contains(ans.Reason, "did not see all of it") {
				t.Errorf("reason %q", ans.Reason)
			}
			b = benchReplying(`{"decision":"deny","reason":"no"}`)
			if ans, err := b.handler(t, h).Handle(t.Context(), shellEvent(test.cmd)); err != nil || ans.Decision != checkrein.Deny {
				t.Errorf("a denial: %v, %v", ans.Decision, err)
			}
		})
	}
}

// A value that its name makes a secret may be code. Either the judge sees the code, or its allow
// becomes an ask.
func TestAllowOfHiddenCode(t *testing.T) {
	t.Parallel()
	word := newToken()[4:24]
	for _, code := range []string{"", "|evil", ";evil", "; make evil", "$(evil)", "`evil`", "\nevil", "&evil", ">evil", "<evil", "&&evil"} {
		in, _ := json.Marshal(map[string]string{"password": word + code})
		b := benchReplying(`{"decision":"allow","reason":"fine"}`)
		ans, err := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema)).Handle(t.Context(), toolEvent(string(in)))
		hides := code != "" && !strings.Contains(b.asked[0].Prompt, "evil")
		if err != nil || (ans.Decision == checkrein.Ask) != hides {
			t.Errorf("%q: %v, %v, asked %s", code, ans.Decision, err, b.asked[0].Prompt)
		}
	}
	for value, want := range map[string]bool{word: true, "a+b/c==": true, "a b": false, "a\nb": false, "a;b": false, "a|b": false, "$(a)": false, "`a`": false, "a&b": false, "a>b": false, "a\x00b": false} {
		if isOneValue(value) != want {
			t.Errorf("%q is one value: %t", value, !want)
		}
	}
}

// Calls that differ only in parts the judge does not see are different questions.
func TestCacheCoversHiddenParts(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]string{
		"secrets": {"echo --token " + newToken(), "echo --token " + newToken()},
		"cut":     {strings.Repeat("a", 5000) + "1", strings.Repeat("a", 5000) + "2"},
	} {
		b, _ := newCachedBench(t)
		j := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema))
		for i, cmd := range []string{pair[0], pair[1], pair[0]} {
			if _, err := j.Handle(t.Context(), shellEvent(cmd)); err != nil {
				t.Fatal(err)
			}
			if want := min(i+1, 2); len(b.asked) != want {
				t.Errorf("%s: asked %d times, want %d", name, len(b.asked), want)
			}
		}
	}
	b, _ := newCachedBench(t)
	j := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema, "prompt", "{{ .ToolInput.command }}"))
	for _, in := range []string{`{"command":"ls"}`, `{"command":"ls","env":"X"}`} {
		if _, err := j.Handle(t.Context(), toolEvent(in)); err != nil {
			t.Fatal(err)
		}
	}
	if len(b.asked) != 2 {
		t.Errorf("an argument that the prompt does not show: asked %d times", len(b.asked))
	}
}

// An allow is stored only for a call that is known to read only and names no file: the effect of
// others depends on files. A denial is stored.
func TestAllowOfFilesIsNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"b.sh", "my file.sh"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("echo"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for cmd, kept := range map[string]bool{
		"ls": true, "ls -la": true, "pwd": true, "echo hi": true, "ls | wc -l": true, "cat missing.txt": true,
		"frobnicate --all": false, "ls && frobnicate": false, "sh -c frobnicate": false, "sh missing.sh": false, "ls | sh": false,
		"ssh host uptime": false, "vim": false, "gdb": false, "mkdir new": false,
		"sh b.sh": false, "./b.sh": false, "sh 'my file.sh'": false, `sh b".sh"`: false, "sh <b.sh": false, "sh -x -- b.sh;ls": false, "x --file=b.sh": false, "awk -fb.sh": false,
		"make all": false, "npm test": false, "/usr/bin/make": false, "FOO=1 just x": false, "git status": false, "sh $X": false, "sh *.sh": false, "cd && sh c.sh": false,
		"cat " + filepath.Join(dir, "b.sh"): false,
	} {
		b, _ := newCachedBench(t)
		ev := shellEvent(cmd)
		ev.Session.Dir = dir
		usual := modelHook(checkrein.PreToolUse, "schema", decisionSchema)
		b.countAsks(t, usual, ev)
		if n := b.countAsks(t, usual, ev); n == 1 != kept {
			t.Errorf("%s: asked %d times", cmd, n)
		}
		b, _ = newCachedBench(t)
		b.say = benchReplying(`{"decision":"deny","reason":"no"}`).say
		for range 2 {
			if ans, err := b.handler(t, usual).Handle(t.Context(), ev); err != nil || ans.Decision != checkrein.Deny {
				t.Fatal(ans, err)
			}
		}
		if len(b.asked) != 1 {
			t.Errorf("%s: a denial is not kept", cmd)
		}
	}

	// A file that came after the allow.
	b, _ := newCachedBench(t)
	ev := shellEvent("cat late.sh")
	ev.Session.Dir = dir
	usual := modelHook(checkrein.PreToolUse, "schema", decisionSchema)
	b.countAsks(t, usual, ev)
	if err := os.WriteFile(filepath.Join(dir, "late.sh"), []byte("echo"), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := b.countAsks(t, usual, ev); n != 2 {
		t.Errorf("the allow outlives that the file was missing: asked %d times", n)
	}
}

// Texts of a model are cleaned of secrets and control characters.
func TestRepliesAreCleaned(t *testing.T) {
	t.Parallel()
	tok := newToken()
	bad := "token " + tok + " \x1b[31m\u202e and " + tok[:10] + "\u200b" + tok[10:]
	check := func(what, text string) {
		t.Helper()
		if text == "" || strings.Contains(text, tok) || strings.Contains(text, tok[10:]) || strings.ContainsAny(text, "\x1b\u202e\u200b") {
			t.Errorf("%s: %q", what, text)
		}
	}
	for _, decision := range []string{"allow", "deny"} {
		reply, _ := json.Marshal(map[string]string{"decision": decision, "reason": bad})
		b, _ := newCachedBench(t)
		b.say = benchReplying(string(reply)).say
		ans, err := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema)).Handle(t.Context(), toolEvent(`{"cmd":"ls"}`))
		if err != nil {
			t.Fatal(err)
		}
		check("reason", ans.Reason)
		check("notice", strings.Join(ans.Notice, ""))
		files, _ := filepath.Glob(b.cache.Dir.Path(Folder, "*.json"))
		kept, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		check("kept", string(kept))
		if strings.Contains(string(ans.Raw), tok) {
			t.Errorf("raw: %s", ans.Raw)
		}
	}
	b := benchReplying("one\n" + bad)
	ans, err := b.handler(t, modelHook(checkrein.PreToolUse)).Handle(t.Context(), toolEvent(`{"cmd":"ls"}`))
	if err != nil || !strings.HasPrefix(ans.Context[0], "one\ntoken ") {
		t.Fatal(ans, err)
	}
	check("context", ans.Context[0])
	check("raw", string(ans.Raw))

	for name, say := range map[string]*bench{"reply": benchReplying(`{"decision":"` + tok + `"}`), "member": benchReplying(`{"decision":"deny","` + tok + `":[]}`)} {
		_, err := say.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema)).Handle(t.Context(), toolEvent(`{"cmd":"ls"}`))
		check(name, err.Error())
	}
}

func TestFaultsAreCleaned(t *testing.T) {
	t.Parallel()
	tok := newToken()
	cause := errors.New("boom \x1b[2J" + tok)
	b := benchFailing(cause)
	_, err := b.handler(t, modelHook(checkrein.PreToolUse, "schema", decisionSchema)).Handle(t.Context(), toolEvent(`{"cmd":"ls"}`))
	if !errors.Is(err, cause) || strings.Contains(err.Error(), tok) || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "boom") {
		t.Errorf("%q", err)
	}
}
