package argv

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// IsShellShebang reports whether line, the first line of a script without #!, names a shell as the
// interpreter.
func IsShellShebang(line string) bool {
	for i, part := range strings.Fields(line) {
		if facts.IsShell(ProgramName(part)) {
			return true
		}
		if i == 0 && !isEnv(part) || i > 0 && part[0] != '-' {
			return false
		}
	}
	return false
}

// isEnv reports whether path is the program env, whose arguments name the interpreter.
func isEnv(path string) bool { return ProgramName(path) == "env" }

// ShebangCommand returns the command that runs the script words[0] with the interpreter in line, its
// first line without #!. It returns nil if line names no interpreter.
func ShebangCommand(line string, words []shell.Word) []shell.Word {
	parts := strings.Fields(line)
	if len(parts) == 0 || len(parts) > 8 {
		return nil
	}
	if isEnv(parts[0]) {
		parts = parts[1:]
		if len(parts) > 0 && (parts[0] == "-S" || parts[0] == "--split-string") {
			parts = parts[1:]
		}
	}
	if len(parts) == 0 {
		return nil
	}
	out := make([]shell.Word, 0, len(parts)+len(words))
	for _, p := range parts {
		out = append(out, shell.Word{Text: p})
	}
	return append(out, words...)
}

// IsInPlaceOption reports whether option makes sed or a similar program edit files in place.
func IsInPlaceOption(option shell.Word) bool {
	t := option.Text
	return strings.HasPrefix(t, "--in-place") || len(t) > 1 && t[0] == '-' && t[1] != '-' && t[1] != 'e' && t[1] != 'f' && strings.Contains(t, "i")
}
