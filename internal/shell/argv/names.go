package argv

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// ProgramName returns the base name of the program path in lower case, without .exe and without a
// version.
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

// IsStandardDir reports whether dir is a directory that holds the system's programs.
func IsStandardDir(dir string) bool {
	for _, d := range programDirs {
		if dir == d {
			return true
		}
	}
	return false
}

// IsUsualPathDir reports whether dir is a directory that is usually in PATH, such as /usr/bin or
// ~/.cargo/bin.
func IsUsualPathDir(dir string) bool {
	if IsStandardDir(dir) {
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

// IsTrustedDir reports whether dir is a directory that users put first in PATH: by its name it holds
// programs, and not every user can write to it. Directories below the working directory, here, count
// even if every user can write to them.
func IsTrustedDir(dir, here string) bool {
	dir = strings.TrimRight(dir, "/")
	if facts.IsOpenToAll(dir) && !(here != "" && strings.HasPrefix(dir, here+"/")) {
		return false
	}
	base := dir[strings.LastIndexByte(dir, '/')+1:]
	switch base {
	case "bin", ".bin", "sbin", "shims", "Scripts", "scripts", "tools", "libexec", "cmd", "games", "ccache", "current", "utils":
		return true
	}
	return strings.HasSuffix(base, "-bin") || strings.HasSuffix(base, placeholder)
}

// IsHarmlessTool reports whether text, the value of a variable such as PAGER or EDITOR, is a plain
// call of a common pager, editor, browser or remote shell.
func IsHarmlessTool(text string) bool {
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

// IsSecretReader reports whether the command text is a plain call of a program that prints a stored
// secret, such as pass or vault.
func IsSecretReader(text string) bool {
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

// AllLocatePrograms reports whether all calls in from only print the paths of programs, as which does.
func AllLocatePrograms(from []*shell.Call) bool {
	return !slices.ContainsFunc(from, func(c *shell.Call) bool { return !locatesProgram(c) })
}

// locatesProgram reports whether c prints the path of a program, as which does.
func locatesProgram(c *shell.Call) bool { return program.Is(c.Name, program.IsLocator) }

// IsLocatedProgram reports whether w is the path of a program of which only the name is known, such as
// $(which rm).
func IsLocatedProgram(w shell.Word) bool {
	return !strings.Contains(w.Text, "/") && slices.ContainsFunc(w.From, locatesProgram)
}

// HasProgramVar reports whether a variable that c sets holds a program that c may start, other than a
// harmless tool.
func HasProgramVar(c *shell.Call) bool {
	for i := range c.Env {
		if text := c.Env[i].Value.Text; text != "" && IsProgramVar(c.Env[i].Name) && !IsHarmlessTool(text) {
			return true
		}
	}
	return false
}

// IsBuiltin reports whether name is a builtin command of every shell.
func IsBuiltin(name string) bool { return program.Is(name, program.IsBuiltin) }

// MayRemoveDirs reports whether c may remove directories, or run a program that does.
func MayRemoveDirs(c *shell.Call) bool {
	return c.Name == "" || program.Is(c.Name, program.IsDirTaker) || facts.IsInterpreter(c.Name) || facts.IsShell(c.Name) || strings.Contains(c.Path, "/")
}

// IsRootedPath reports whether path, which must not be empty, does not depend on the working
// directory. It reports true if the beginning of path is unknown.
func IsRootedPath(path string) bool {
	return path[0] == '/' || path[0] == '~' || strings.HasPrefix(path, placeholder) || len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
