package facts

import (
	"slices"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	t.Parallel()
	if !slices.IsSortedFunc(interpreters[:], func(a, b interpreter) int { return strings.Compare(a.name, b.name) }) {
		t.Error("not sorted by name")
	}
	for i := range interpreters {
		if s := &interpreters[i]; findInterpreter(s.name) != s {
			t.Errorf("%s is not found", s.name)
		}
	}
	for name, want := range map[string]Language{
		"sh": Sh, "bash": Bash, "bash5": Bash, "bash-5.2": Bash, "ksh93": Ksh, "python": Python, "python3": Python, "python3.11": Python, "ruby3.2": Ruby, "perl5.36.0": Perl, "luajit-2.1.0": Lua, "node": Node, "nodejs": Node, "bun": Bun,
		"pwsh": PowerShell, "cmd": Cmd, "nu": OddShell, "git": NoLanguage, "": NoLanguage, "r": R, "r2": NoLanguage, "m4": NoLanguage, "base64": NoLanguage,
	} {
		if got := LanguageOf(name); got != want {
			t.Errorf("%s: %d, want %d", name, got, want)
		}
	}
	for name, want := range map[string]string{"bash": "shell any", "fish": "shell any", "tcsh": "shell any", "nu": "any interpreter", "pwsh": "any interpreter", "cmd": "any interpreter", "python3": "interpreter", "gawk": "", "git": ""} {
		var is []string
		if IsShell(name) {
			is = append(is, "shell")
		}
		if IsAnyShell(name) {
			is = append(is, "any")
		}
		if IsInterpreter(name) {
			is = append(is, "interpreter")
		}
		if got := strings.Join(is, " "); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
