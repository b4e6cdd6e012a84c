package study

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

// TestStudyDependsOnLanguage checks that the same text is studied separately in two languages.
func TestStudyDependsOnLanguage(t *testing.T) {
	t.Parallel()
	code := `shutil.rmtree(\"/\")`
	for _, langs := range [][2]string{{"lua", "python"}, {"python", "lua"}, {"r", "python"}} {
		ev := guardtest.ToolCall("mcp__nb__run_cells", fmt.Sprintf(`{"cells":[{"language":%q,"code":"%s"},{"language":%q,"code":"%s"}]}`, langs[0], code, langs[1], code))
		if j, ok := worstPart(ev, CallEnv{Dir: "/home/u/p", Home: "/home/u"}); !ok || j.Report.Category != "fs-delete" {
			t.Errorf("%v: %+v", langs, j.Report)
		}
	}
}

// TestWorkIsBounded checks that the number of judged parts is bounded for calls that are made to be
// expensive.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	dirs := `"cwd":"/a","workdir":"/b","working_directory":"/c"`
	paths := strings.TrimSuffix(strings.Repeat(`"some/where/deep/in/a/tree",`, 60_000), ",")
	cell := `{"language":"python","code":"` + strings.Repeat("x = 1; ", 4000) + `"},`
	cells := func(n int) string {
		return `{"cells":[` + strings.TrimSuffix(strings.Repeat(cell, n), ",") + `],` + dirs + `}`
	}
	for name, ev := range map[string]*checkrein.Event{
		"deletions": guardtest.ToolCall("mcp__fs__delete_files", `{"paths":[`+paths+`],`+dirs+`}`),
		"cells":     guardtest.ToolCall("mcp__nb__run_cells", cells(64)),
		"commands":  guardtest.ToolCall("mcp__x__run", `{"commands":[`+strings.Repeat(`"ls",`, 5000)+`"ls"],`+dirs+`}`),
	} {
		all, _ := JudgeAll(ev, CallEnv{Dir: "/home/u/p", Home: "/home/u"}, nil)
		bytes, told := 0, false
		for i := range all {
			for k := range all[i].Report.Effects {
				told = told || all[i].Report.Effects[k].Row().Name == "too-much"
			}
			bytes += len(all[i].Command)
		}
		if len(all) > 4*256+8 || bytes > len(all)*(maxShown+8) || !told {
			t.Errorf("%s: %d judgements, %d bytes kept, told %t", name, len(all), bytes, told)
		}
	}
	parts := guardtest.ToolCall("mcp__fs__read_multiple_files", `{"paths":[`+paths+`]}`)
	if shown := JudgeReads(parts, CallEnv{Dir: "/home/u/p", Home: "/home/u"}); len(shown) != maxSwept/maxBatch {
		t.Errorf("%d batches of files that are read", len(shown))
	}
}

// TestEffectKey checks that calls with the same effect have the same key, and others do not.
func TestEffectKey(t *testing.T) {
	t.Parallel()
	key := func(command string) string {
		ev := guardtest.ShellEvent("Bash", "command", command)
		return EffectKey(&ev, CallEnv{Dir: "/home/u/p", Home: "/home/u"})
	}
	for _, c := range []string{"rm -fr ./src", "sudo rm -r -f /home/u/p/src", "d=src; r''m -rf $d", "bash -c 'rm -rf src'", "cd src/.. && rm -rf -- src"} {
		if key(c) != key("rm -rf src") {
			t.Errorf("%s: %q, want %q", c, key(c), key("rm -rf src"))
		}
	}
	for _, c := range []string{"rm -rf doc", "ls src", "git push --force"} {
		if key(c) == key("rm -rf src") {
			t.Errorf("%s has the key of another effect", c)
		}
	}
}

// TestShortenCommandNeverSplitsSecrets checks that a long command is shortened between words or
// redacted, because a part of a secret would not be recognised as one.
func TestShortenCommandNeverSplitsSecrets(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + strings.Repeat("aB3dE5gH7j", 4)[:36]
	for from := maxShown - len(secret) + 1; from <= maxShown; from++ {
		for name, text := range map[string]string{
			"words":    strings.Repeat("ab ", from)[:from-1] + " " + secret + " tail",
			"one word": strings.Repeat("ab;", from)[:from-1] + ";" + secret + ";tail",
		} {
			got := shortenCommand(text)
			if strings.Contains(got, secret[:12]) || len(got) > maxShown+len(" …") {
				t.Fatalf("%s, from %d: %q", name, from, got)
			}
			if len(got) < maxShown-len(secret)-4 {
				t.Fatalf("%s, from %d: too little is left: %q", name, from, got)
			}
		}
	}
}
