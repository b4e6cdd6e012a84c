package starchild

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An interpreter is a program that runs a file, or code in an argument after an option.
type interpreter struct {
	names  string // separated by spaces, without version numbers
	inline string // letters of the options before code or a module name
}

var interpreters = [...]interpreter{
	{"sh bash dash ash zsh ksh mksh fish", "c"},
	{"python pypy", "cm"},
	{"node nodejs tsx ts-node ruby perl php lua luajit", "eErp"},
}

func lookupInterpreter(program string) *interpreter {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	for i := range interpreters {
		if slices.Contains(strings.Fields(interpreters[i].names), name) {
			return &interpreters[i]
		}
	}
	return nil
}

// takesCode reports whether the argument after option is code. A nil interpreter stands for any other
// program.
func (in *interpreter) takesCode(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	switch {
	case slices.Contains([]string{"--command", "--eval", "--print", "--expression", "-Command", "-EncodedCommand"}, name):
		return true
	case in == nil:
		return slices.Contains([]string{"-c", "-e", "-m"}, option)
	}
	return !strings.HasPrefix(option, "--") && strings.ContainsAny(option, in.inline)
}

// missingFileReason returns why a file that argv names would not be found where its author expects it,
// or "" if all would be: absolute paths, and programs that are looked up in PATH.
func missingFileReason(argv []string) string {
	var runs *interpreter // the interpreter whose options or file come next
	code := false         // what follows is code and its arguments
	for i, a := range argv {
		file := i == 0 || runs != nil && lookupInterpreter(argv[i-1]) == runs
		option := len(a) > 1 && (a[0] == '-' || a[0] == '+')
		switch {
		case code && isDotPath(a):
			return relativeMessage(strings.Fields(a)[0])
		case code && (runs != nil || !strings.HasPrefix(a, "~/")):
			runs = nil // a shell expands the ~ in its code
			continue
		case file && strings.HasPrefix(a, "~"):
			return tildeMessage(a)
		case file && i > 0 && isRelativeFile(a), i == 0 && isRelativePath(a):
			return relativeMessage(a)
		case i > 0 && !(option && runs.takesCode(a)):
			if why := missingArgReason(a); why != "" {
				return why
			}
		}
		if option && !code {
			code = runs.takesCode(a)
		} else if !code {
			runs = lookupInterpreter(a)
		}
	}
	return ""
}

// isRelativeFile reports whether a, the argument after an interpreter, is a relative path.
func isRelativeFile(a string) bool {
	return a != "" && a[0] != '-' && a[0] != '+' && !isAbsolute(a) && !strings.Contains(a, "://")
}

// missingArgReason returns why the file that the argument a names would not be found, or "" if it
// would be or a does not look like a path.
func missingArgReason(a string) string {
	val := assignedValue(a)
	switch {
	case strings.HasPrefix(val, "~/"):
		return tildeMessage(val)
	case isDotPath(val):
		return relativeMessage(val)
	case strings.HasPrefix(val, "-") || strings.ContainsAny(val, "|;(){}<>\"\n"): // probably not a path
		return ""
	case isRelativePath(val):
		return relativeMessage(val)
	}
	return ""
}

// assignedValue returns the value in --name=value or NAME=value, or a itself if it has another form.
func assignedValue(a string) string {
	name, val, ok := strings.Cut(a, "=")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isAlnum(r) && r != '_' && r != '-' }) {
		return a
	}
	return val
}

func isDotPath(s string) bool { return strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") }

// isRelativePath reports whether s looks like a relative path.
func isRelativePath(s string) bool {
	return !isAbsolute(s) && !strings.Contains(s, "://") && (strings.ContainsFunc(s, isSeparator) || hasScriptExt(s))
}

func hasScriptExt(s string) bool {
	switch strings.ToLower(filepath.Ext(s)) {
	case ".sh", ".bash", ".zsh", ".ksh", ".fish", ".py", ".pyc", ".pyz", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx",
		".rb", ".pl", ".php", ".lua", ".ps1", ".jar":
		return true
	}
	return false
}

// firstCommand returns the first command in the words of a shell script, without words that a shell
// expands.
func firstCommand(words []string) []string {
	var out []string
	for _, w := range words {
		end := strings.IndexAny(w, ";|&<>()`\n")
		if end >= 0 {
			w = w[:end]
		}
		if w != "" && !strings.HasPrefix(w, "~") && !strings.Contains(w, "$") {
			out = append(out, w)
		}
		if end >= 0 {
			break
		}
	}
	return out
}

func tildeMessage(path string) string {
	return fmt.Sprintf("the ~ in %q is not expanded, because no shell runs", path)
}

func relativeMessage(path string) string {
	return fmt.Sprintf("the path %q is relative, so starchild looks for it in its server's directory: "+
		"the file is not there, so the guard silently protects nothing", path)
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

func isAbsolute(path string) bool { return strings.HasPrefix(path, "/") || filepath.IsAbs(path) }
