package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/lab/norace"
)

// Harm beyond the limits of what checkrein reads is asked about, and never counts as harmless.
func TestHarmBeyondLimitsIsAsked(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	k := guardedKit(t)
	list := func(n int, one, last string) string {
		var out []string
		for i := range n {
			out = append(out, strings.ReplaceAll(one, "#", fmt.Sprint(i)))
		}
		text, err := json.Marshal(append(out, last))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	nest := func(n int, in string) string { return strings.Repeat(`{"a":`, n) + in + strings.Repeat(`}`, n) }
	for name, c := range map[string]toolCall{
		"64 commands":      {"mcp__x__run", `{"commands":` + list(64, "ls", "rm -rf ~/") + `}`},
		"1000 commands":    {"mcp__x__run", `{"commands":` + list(1000, "ls", "rm -rf ~/") + `}`},
		"levels":           {"mcp__x__run", nest(26, `{"command":"rm -rf ~"}`)},
		"lists":            {"mcp__x__run", `{"commands":` + strings.Repeat("[", 26) + `"rm -rf ~"` + strings.Repeat("]", 26) + `}`},
		"64 files":         {"mcp__fs__read_multiple_files", `{"paths":` + list(64, "a#", "~/.ssh/id_rsa") + `}`},
		"1000 files":       {"mcp__fs__read_multiple_files", `{"paths":` + list(1000, "a#", "~/.ssh/id_rsa") + `}`},
		"5000 files":       {"mcp__fs__read_multiple_files", `{"paths":` + list(5000, "a#", "~/.ssh/id_rsa") + `}`},
		"5000 deletions":   {"mcp__fs__delete_files", `{"paths":` + list(5000, "a#", "~") + `}`},
		"nested files":     {"mcp__fs__read_file", nest(26, `{"path":"~/.ssh/id_rsa"}`)},
		"directories":      {"mcp__x__run", `{"command":"rm -rf usr","cwd":` + list(30, "/tmp/#", "/") + `}`},
		"five directories": {"mcp__x__run", `{"command":"rm -rf usr","cwd":` + list(4, "/tmp/#", "/") + `}`},
		"arguments":        {"mcp__x__run", `{"tool_name":"Bash","arguments_json":` + text(`{"pad":"`+strings.Repeat("x", 1<<20)+`","command":"rm -rf ~"}`) + `}`},
		"cells":            {"mcp__x__run_cells", `{"cells":[` + strings.Repeat(`{"language":"python","code":"print(1)"},`, 300) + `{"language":"python","code":"import shutil; shutil.rmtree('/')"}]}`},
		"echoes":           {"Bash", `{"command":` + text(repeatLine(1000, "echo a#")+"rm -rf ~/") + `}`},
		"unknown programs": {"Bash", `{"command":` + text(repeatLine(1000, "frob a#")+"rm -rf ~/") + `}`},
		"reads":            {"Bash", `{"command":` + text(repeatLine(1000, "cat a#")+"cat ~/.ssh/id_rsa") + `}`},
		"words":            {"Bash", `{"command":` + text("cat"+strings.ReplaceAll(repeatLine(3000, " a#"), "\n", "")+" ~/.ssh/id_rsa") + `}`},
		"shells":           {"Bash", `{"command":` + text(repeatLine(100, `python3 -c 'import os; os.system("ls a#")'`)+`python3 -c 'import os; os.system("rm -rf ~")'`) + `}`},
		"code":             {"execute_code", `{"language":"python","code":` + text("x = '"+strings.Repeat("a", 300<<10)+"'\nimport shutil\nshutil.rmtree('/')") + `}`},
		"statements":       {"mcp__db__execute_sql", `{"sql":` + text(repeatLine(5000, "SELECT a# FROM b;")+"DROP TABLE users;") + `}`},
	} {
		v, said := answerTo(t, k, "claude", "PreToolUse.json", "tool_name", "tool_input", c)
		if v.Decision < checkrein.Ask {
			t.Errorf("%s: %s %s", name, v.Decision, said)
		}
	}
}

// Long but ordinary calls pass.
func TestLongCallsPass(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	k := guardedKit(t)
	text := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for name, c := range map[string]toolCall{
		"a script":       {"Bash", `{"command":` + text(repeatLine(400, "echo a#; test -f b# && cat b#")) + `}`},
		"a document":     {"Bash", `{"command":` + text("cat > a.md <<'EOF'\n"+repeatLine(4000, "This is line # of it, and it's long")+"EOF\n") + `}`},
		"files":          {"mcp__fs__read_multiple_files", `{"paths":[` + strings.TrimSuffix(strings.ReplaceAll(repeatLine(200, `"src/a#.go",`), "\n", ""), ",") + `]}`},
		"words":          {"Bash", `{"command":` + text("git add"+strings.ReplaceAll(repeatLine(500, " src/a#.go"), "\n", "")) + `}`},
		"commands":       {"mcp__x__run", `{"commands":[` + strings.TrimSuffix(strings.ReplaceAll(repeatLine(60, `"ls a#",`), "\n", ""), ",") + `]}`},
		"a written file": {"Write", `{"file_path":"a.txt","content":` + text(repeatLine(50000, "line #")) + `}`},
	} {
		if v, said := answerTo(t, k, "claude", "PreToolUse.json", "tool_name", "tool_input", c); v.Decision != checkrein.NoOpinion {
			t.Errorf("%s: %s %.300s", name, v.Decision, said)
		}
	}
}

// repeatLine returns line n times. # in it is replaced by the number of the line.
func repeatLine(n int, line string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(line, "#", fmt.Sprint(i)))
		b.WriteByte('\n')
	}
	return b.String()
}
