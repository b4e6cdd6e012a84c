package wrap

import (
	"strings"
	"testing"
)

const claudeLine = `source /home/u/.claude/shell-snapshots/snapshot-bash-1.sh 2>/dev/null || true && { \builtin shopt -u extglob || \builtin setopt NO_EXTENDED_GLOB NO_BARE_GLOB_QUAL; } >/dev/null 2>&1 || true && { \builtin unalias -- 'which'; \builtin unset -f -- 'which'; } >/dev/null 2>&1 || true && eval `

func TestParseLine(t *testing.T) {
	t.Parallel()
	const end = ` && pwd -P >| /tmp/claude-127f-cwd`
	for _, tt := range []struct{ name, text, command string }{
		{"quotes", claudeLine + `'echo hi '"'"'q"uote'"'"' $HOME' < /dev/null` + end, `echo hi 'q"uote' $HOME`},
		{"here-document", claudeLine + "'cat <<X\nhere $HOME\nX'" + end, "cat <<X\nhere $HOME\nX"},
		{"double quotes", claudeLine + `"ls 'a b'" < /dev/null` + end, "ls 'a b'"},
		{"one word", claudeLine + `ls < /dev/null` + end, "ls"},
		{"escapes", claudeLine + `"echo \"\$HOME\" 'a' \\"` + end, `echo "$HOME" 'a' \`},
		{"pipe", claudeLine + `'echo a | cat' < /dev/null` + end, "echo a | cat"},
		{"check of the version", `{ case "${BASH_VERSINFO-}" in '2'|'3') \builtin printf '%s\n' '__CLAUDE_CODE_DID_NOT_RUN_BASH_TOO_OLD='"${BASH_VERSION-}" >&2; \builtin exit 126; \exit 126;; esac; } && ` + claudeLine + "'echo `date`'" + end, "echo `date`"},
		{"variables of the session", `source /home/u/s.sh 2>/dev/null || true && export PATH="$HOME/bin:$PATH"` + "\n: && eval 'ls'" + end, "ls"},
		{"report inside", claudeLine + `'ls && pwd -P >| /tmp/x'` + end, "ls && pwd -P >| /tmp/x"},
		{"eval after &&", claudeLine + `'true && eval ls'` + end, "true && eval ls"},
		{"quotes like the line's", claudeLine + `'true'"'"' && eval '"'"'rm x'` + end, `true' && eval 'rm x`},
		{"double quotes like the line's", claudeLine + `"true' && eval \"rm x"` + end, `true' && eval "rm x`},
		{"eval in the command", claudeLine + `'true && eval ls && ls' < /dev/null` + end, "true && eval ls && ls"},
		{"eval before", `source /s 2>/dev/null || true && command -v fnm && eval "$(fnm env)"` + "\n: && eval 'ls'" + end, "ls"},
		{"eval inside", claudeLine + `'eval ls' < /dev/null` + end, "eval ls"},
		{"no snapshot", `{ \builtin shopt -u extglob; } >/dev/null 2>&1 || true && eval 'ls'` + end, "ls"},
		{"only eval", `eval 'ls'` + end, "ls"},
		{"no report", `eval 'ls'`, ""},
		{"two evals", claudeLine + `'ls' && eval 'rm x'` + end, ""},
		{"two evals with input", claudeLine + `'ls' < /dev/null && eval 'rm x'` + end, ""},
		{"two words", claudeLine + `'ls' 'rm x'` + end, ""},
		{"more after it", claudeLine + `'ls' < /dev/null && pwd -P >| /tmp/x && rm y`, ""},
		{"more commands", claudeLine + `'ls'; rm y`, ""},
		{"other input", claudeLine + `'ls' < /tmp/x` + end, ""},
		{"a variable", claudeLine + `"$X"` + end, ""},
		{"a substitution", claudeLine + `'ls'$(rm x)` + end, ""},
		{"a pipe", claudeLine + `'ls' | sh`, ""},
		{"no eval", `checkrein hook claude`, ""},
		{"eval as an argument", `echo eval 'ls'`, ""},
		{"open quote", `eval 'ls`, ""},
		{"nothing", ``, ""},
		{"eval alone", `eval`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, ok := parseLine(tt.text)
			if ok != (tt.command != "") || l.command != tt.command {
				t.Errorf("%v %q", ok, l.command)
			}
		})
	}
	l, _ := parseLine(claudeLine + `'ls' && pwd -P >| /tmp/x`)
	if strings.Contains(l.before, "BASH_VERSINFO") || l.snapshot != "/home/u/.claude/shell-snapshots/snapshot-bash-1.sh" {
		t.Errorf("%+v", l)
	}
}

func TestSplitStart(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, program, command string }{
		{`/s/checkrein-shell 'trap '"'"'exit 2'"'"' EXIT; checkrein hook claude'`, "/s/checkrein-shell", "trap 'exit 2' EXIT; checkrein hook claude"},
		{`'/my state/checkrein-shell' 'checkrein hook claude'`, "/my state/checkrein-shell", "checkrein hook claude"},
		{`/s/checkrein-shell ls`, "/s/checkrein-shell", "ls"},
		{`/s/checkrein-shell 'a' 'b'`, "", ""},
		{`/s/checkrein-shell 'a'; ls`, "", ""},
		{`/s/checkrein-shell "$X"`, "", ""},
		{`ls`, "", ""},
	} {
		if program, command, ok := SplitStart(tt.text); program != tt.program || command != tt.command || ok != (tt.program != "") {
			t.Errorf("%s: %q %q %v", tt.text, program, command, ok)
		}
	}
}

func TestRewrite(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls 2>nul": "ls 2>/dev/null", "ls >NUL 2>&1": "ls >/dev/null 2>&1", "ls >> nul; x": "ls >> /dev/null; x", "(ls &>nul)": "(ls &>/dev/null)",
		"ls >nulls": "ls >nulls", "ls > nul.txt": "ls > nul.txt", "ls 2>nul $x": "ls 2>nul $x", "cat <x >nul": "cat <x >nul", "a > b": "a > b", "a >": "a >", "echo nul": "echo nul",
	} {
		if got := (Host{Nul: true}).Rewrite(command); got != want {
			t.Errorf("%s: %s", command, got)
		}
		if got := (Host{}).Rewrite(command); got != command {
			t.Errorf("%s: %s", command, got)
		}
	}
}

func TestParseShell(t *testing.T) {
	t.Parallel()
	h := Host{Session: "S", Call: "C", Own: "O"}
	vars := map[string]string{"S": "s", "C": "c", "SHELL": "/bin/bash"}
	getenv := func(name string) string { return vars[name] }
	if c := ParseCommand(h, []string{"-c", "ls"}, getenv); c.text != "ls" || c.call != "c" || c.own || c.err != nil || len(c.Argv) != 3 {
		t.Errorf("%+v", c)
	}
	vars["O"] = "1"
	if c := ParseCommand(h, []string{"-c", "ls"}, getenv); c.own {
		t.Errorf("a command is no terminal: %+v", c)
	}
	if c := ParseCommand(h, nil, getenv); !c.own || len(c.Argv) != 2 {
		t.Errorf("a terminal: %+v", c)
	}
	delete(vars, "O")
	if c := ParseCommand(h, []string{"-l", "-c", "ls"}, getenv); c.err == nil {
		t.Errorf("%+v", c)
	}
}
