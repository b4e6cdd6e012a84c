package install_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/checkrein/checkrein/internal/host/install"
)

// jsoncText draws a JSON object as people write it: with comments, trailing commas, any layout, and
// possibly with hooks.
func jsoncText(t *rapid.T) string {
	n := 0
	space := func() string {
		n++
		s := rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\n\t\t", " // keep %d\n", "/* keep %d */", "\r\n"}).Draw(t, "space")
		if strings.Contains(s, "%d") {
			return fmt.Sprintf(s, n)
		}
		return s
	}
	var value func(depth int, key string) string
	list := func(open, end string, items []string) string {
		var b strings.Builder
		b.WriteString(open + space())
		for i, item := range items {
			b.WriteString(item + space())
			if i+1 < len(items) || rapid.IntRange(0, 3).Draw(t, "comma") == 0 {
				b.WriteString("," + space())
			}
		}
		return b.String() + end
	}
	object := func(depth int, keys []string) string {
		var items []string
		for _, key := range keys {
			items = append(items, string(install.EncodeJSON(key))+space()+":"+space()+value(depth+1, key))
		}
		return list("{", "}", items)
	}
	value = func(depth int, key string) string {
		switch {
		case key == "hooks" && depth == 1:
			return object(depth, rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"PreToolUse", "Stop", "FileChanged"}), 0, 3, rapid.ID).Draw(t, "events"))
		case depth == 2 || key == "hooks":
			var items []string
			for range rapid.IntRange(0, 2).Draw(t, "items") {
				items = append(items, object(depth+1, rapid.SampledFrom([][]string{{"matcher", "hooks"}, {"command"}, {}, {"hooks"}}).Draw(t, "keys")))
			}
			if depth > 5 {
				items = nil
			}
			return list("[", "]", items)
		}
		return rapid.SampledFrom([]string{"1", "null", `"x // y"`, "[]", "{}", "true", "[1, 2]"}).Draw(t, "value")
	}
	keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"model", "hooks", "keep", "x"}), 0, 4, rapid.ID).Draw(t, "keys")
	return object(0, keys) + space()
}

// TestJSONProperty checks that in any file, checkrein's entries are added once, everything else keeps
// its meaning and every comment, and the entries can be removed.
func TestJSONProperty(t *testing.T) {
	t.Parallel()
	want := []install.Entry{{Event: "PreToolUse", Command: "/b/checkrein hook claude --within 9", Timeout: 10}, {Event: "Stop", Command: "/b/checkrein hook claude --within 9", Timeout: 10}}
	older := []install.Entry{{Event: "SessionEnd", Command: "/a/checkrein hook claude", Timeout: 1}, {Event: "Stop", Command: "/a/checkrein hook claude", Timeout: 1}}
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(jsoncText(t))
		f := install.GroupForm("claude")
		start := src
		if rapid.Bool().Draw(t, "older") {
			start = must(t)(f.Put(src, older))
		}
		out := must(t)(f.Put(start, want))
		have, err := f.Find(out)
		if err != nil || len(have) != len(want) {
			t.Fatalf("%q became %q: %+v, %v", start, out, have, err)
		}
		for _, e := range have {
			if !strings.HasPrefix(e.Command, "/b/") {
				t.Errorf("%q became %q", start, out)
			}
		}
		if again := must(t)(f.Put(out, want)); !bytes.Equal(again, out) {
			t.Errorf("twice: %q became %q", out, again)
		}
		back := must(t)(f.Drop(out))
		if back == nil {
			back = []byte("{}")
		}
		for i := range 100 {
			mark := fmt.Sprintf("keep %d", i)
			if n := strings.Count(string(src), mark); strings.Count(string(out), mark) != n || n > 0 && strings.Count(string(back), mark) != n {
				t.Errorf("the comment %q: %q became %q and %q", mark, src, out, back)
			}
		}
		if a, b := normalizeJSON(t, src), normalizeJSON(t, back); a != b {
			t.Errorf("%q became %q: %s, not %s", src, back, b, a)
		}
	})
}

func must(t *rapid.T) func([]byte, error) []byte {
	return func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// normalizeJSON returns the contents of a file without empty lists of events and empty hooks.
func normalizeJSON(t *rapid.T, src []byte) string {
	t.Helper()
	doc, err := install.ParseJSON(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	doc.Root().Standardize()
	var v map[string]any
	if err := json.Unmarshal(doc.Root().Pack(), &v); err != nil {
		t.Fatal(err)
	}
	if hooks, ok := v["hooks"].(map[string]any); ok {
		for event, list := range hooks {
			if l, ok := list.([]any); ok && len(l) == 0 {
				delete(hooks, event)
			}
		}
		if len(hooks) == 0 {
			delete(v, "hooks")
		}
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestTOMLProperty checks that other lines of a TOML file do not change when entries are added.
func TestTOMLProperty(t *testing.T) {
	t.Parallel()
	pieces := []string{"# keep\n", "\n", "[t]\nx = '''\n[[hooks]]\n'''\n", "[[hooks]]\nevent = \"Stop\"\ncommand = \"mine\"\n",
		"[[hooks]]\nevent = \"Stop\"\ncommand = \"checkrein hook kimi\"\n\n", "[x.\"a.b]\"]\ny = { z = \"}\" }\n", "[l]\nv = [\n  \"a\", # ]\n]\n"}
	want := []install.Entry{{Event: "PreToolUse", Command: "/b/checkrein hook kimi", Timeout: 600}, {Event: "Stop", Command: "/b/checkrein hook kimi", Timeout: 600}}
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(rapid.SampledFrom([]string{"", "a = 1\n"}).Draw(t, "top") + strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "src"), ""))
		f := install.TOMLForm{Host: "kimi"}
		out := must(t)(f.Put(src, want))
		if have, err := f.Find(out); err != nil || len(have) != len(want) {
			t.Fatalf("%q became %q: %+v, %v", src, out, have, err)
		}
		if again := must(t)(f.Put(out, want)); !bytes.Equal(again, out) {
			t.Errorf("twice: %q became %q", out, again)
		}
		back := must(t)(f.Drop(out))
		if a, b := otherLines(src), otherLines(back); a != b {
			t.Errorf("%q became %q", src, back)
		}
	})
}

// otherLines returns the lines of a file that are neither empty nor checkrein's.
func otherLines(src []byte) string {
	text := strings.ReplaceAll(string(src), "[[hooks]]\nevent = \"Stop\"\ncommand = \"checkrein hook kimi\"\n", "")
	var out []string
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(line); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}

func FuzzForms(f *testing.F) {
	for _, tt := range foreign {
		f.Add([]byte(tt.text))
	}
	want := []install.Entry{{Event: "stop", Command: "/b/checkrein hook x --within 9", Timeout: 10}}
	flat := install.JSONForm{
		Host: "x", At: []string{"hooks"}, Top: install.NewMembers("version", 1), Key: "command",
		Hook:          func(e install.Entry) []install.Member { return install.NewMembers("command", e.Command) },
		NarrowingKeys: []string{"matcher"},
	}
	lines := func(e install.Entry) []string {
		return []string{"command: " + string(install.EncodeJSON(e.Command)), fmt.Sprintf("timeout: %d", e.Timeout)}
	}
	forms := []install.Form{install.GroupForm("x"), &flat, install.TOMLForm{Host: "x"}, install.YAMLForm{Host: "x", Hook: lines},
		&install.PluginList{List: []string{"a", "b"}, Element: "e", Mine: func(string) bool { return false }}}
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, form := range forms {
			out, err := form.Put(src, want)
			if err != nil {
				continue
			}
			if again, err := form.Put(out, want); err != nil || !bytes.Equal(again, out) {
				t.Errorf("%T: %q became %q, then %q, %v", form, src, out, again, err)
			}
			if _, err := form.Drop(out); err != nil {
				t.Errorf("%T: %q became %q: %v", form, src, out, err)
			}
		}
	})
}
