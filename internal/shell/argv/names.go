package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// ProgramName is the base name of a program in lower case, without .exe and without
// its version.
func ProgramName(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		path = path[i+1:]
	}
	for i := range len(path) {
		if c := path[i]; c >= 'A' && c <= 'Z' || c == '\\' {
			if j := strings.LastIndexByte(path, '\\'); j >= 0 {
				path = path[j+1:]
			}
			path = strings.ToLower(path)
			break
		}
	}
	return shell.TrimVersion(strings.TrimSuffix(path, ".exe"))
}

// StandardDir reports whether a directory holds the system's own programs.
func StandardDir(dir string) bool {
	for _, d := range programDirs {
		if dir == d {
			return true
		}
	}
	return false
}

// OrdinaryDir reports whether programs are looked for in a directory without
// anybody's doing.
func OrdinaryDir(dir string) bool {
	if StandardDir(dir) {
		return true
	}
	switch dir {
	case "/opt/homebrew/bin", "/opt/homebrew/sbin", "/snap/bin", "/usr/games", "/usr/local/games":
		return true
	}
	for _, tail := range [...]string{"/.local/bin", "/bin", "/go/bin", "/.cargo/bin", "/.npm-global/bin", "/.bun/bin", "/.deno/bin"} {
		if home, ok := strings.CutSuffix(dir, tail); ok && (strings.HasPrefix(home, "/home/") || strings.HasPrefix(home, "/Users/") || home == "/root" || home == "~") && strings.Count(home, "/") <= 2 {
			return true
		}
	}
	return false
}

// TrustedDir reports whether a directory is one that people put before others in
// PATH: it is made for programs and lies where not everybody writes.
func TrustedDir(dir, here string) bool {
	dir = strings.TrimRight(dir, "/")
	if facts.Open(dir) && !(here != "" && strings.HasPrefix(dir, here+"/")) {
		return false
	}
	base := dir[strings.LastIndexByte(dir, '/')+1:]
	switch base {
	case "bin", ".bin", "sbin", "shims", "Scripts", "scripts", "tools", "libexec", "cmd", "games", "ccache", "current", "utils":
		return true
	}
	return strings.HasSuffix(base, "-bin") || strings.HasSuffix(base, hole)
}

// IsHarmless reports whether a program that pages, edits or connects is an
// ordinary one.
func IsHarmless(text string) bool {
	if strings.ContainsAny(text, ";&|`$<>\n!") {
		return false
	}
	first, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch ProgramName(first) {
	case "", "true", "false", ":", "none", "0", "1", "cat", "less", "more", "most", "bat", "batcat", "delta", "diff-so-fancy", "vim", "vi", "nvim", "nano", "emacs", "emacsclient", "code", "code-insiders", "cursor",
		"subl", "micro", "hx", "helix", "gpg", "gpg2", "difft", "git-lfs", "firefox", "open", "xdg-open", "wslview", "lesspipe", "lesspipe.sh", "moar", "ov", "zed", "kate", "gedit", "notepad", "mate", "pico", "ed", "joe":
		return !strings.Contains(rest, "+")
	case "ssh", "rsh":
		return !strings.Contains(strings.ToLower(rest), "command")
	}
	return false
}

// HandsSecret reports whether a text is a plain call of a program that keeps secrets:
// what asks for it uses it.
func HandsSecret(text string) bool {
	if strings.ContainsAny(text, ";&|`$<>()\n") {
		return false
	}
	first, _, _ := strings.Cut(text, " ")
	switch ProgramName(first) {
	case "pass", "gopass", "op", "bw", "rbw", "lpass", "secret-tool", "security", "keyring", "cat", "gpg", "age", "sops", "vault":
		return true
	}
	return false
}

// OnlyLocate reports whether calls only print where a program is.
func OnlyLocate(from []*shell.Call) bool {
	return !slices.ContainsFunc(from, func(c *shell.Call) bool { return !locatesProgram(c) })
}

// locatesProgram reports whether a call prints where a program is.
func locatesProgram(c *shell.Call) bool { return program.Is(c.Name, program.IsLocator) }

// IsLocated reports whether a word is the path of a program of which only the name is
// known: $(which rm).
func IsLocated(w shell.Word) bool {
	return !strings.Contains(w.Text, "/") && slices.ContainsFunc(w.From, locatesProgram)
}

// Hands reports whether a variable of a call names a program that the call runs, beside
// the usual ones that only show text.
func Hands(c *shell.Call) bool {
	for i := range c.Env {
		if text := c.Env[i].Value.Text; text != "" && RunsProgram(c.Env[i].Name) && !IsHarmless(text) {
			return true
		}
	}
	return false
}

// IsBuiltin reports whether every shell does a command itself.
func IsBuiltin(name string) bool { return program.Is(name, program.IsBuiltin) }

// TakesDirs reports whether a call may take directories away, or run what does.
func TakesDirs(c *shell.Call) bool {
	return c.Name == "" || program.Is(c.Name, program.IsDirTaker) || facts.Interpreter(c.Name) || facts.Shell(c.Name) || strings.Contains(c.Path, "/")
}

// IsRooted reports whether a path does not depend on a directory.
func IsRooted(path string) bool {
	return path[0] == '/' || path[0] == '~' || strings.HasPrefix(path, hole) || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
