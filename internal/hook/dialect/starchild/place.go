package starchild

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// An interpreter runs a file, or a program's text behind an option.
type interpreter struct {
	names  string // separated by blanks, without the numbers of versions
	inline string // letters of options after which a program's text or a module follows
}

var interpreters = [...]interpreter{
	{"sh bash dash ash zsh ksh mksh fish", "c"},
	{"python pypy", "cm"},
	{"node nodejs tsx ts-node ruby perl php lua luajit", "eErp"},
}

func interpreterNamed(program string) *interpreter {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	for i := range interpreters {
		if slices.Contains(strings.Fields(interpreters[i].names), name) {
			return &interpreters[i]
		}
	}
	return nil
}

// takesCode reports whether a program's text follows an option. A nil interpreter is any
// other program.
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

// misplaced returns why something that a command line names would not be found
// where it was meant, "" when all would: what is named by its absolute path,
// and programs that are looked up in PATH.
func misplaced(argv []string) string {
	var runs *interpreter // whose options or file come next
	code := false         // what follows is a program's text and what that is given
	for i, a := range argv {
		file := i == 0 || runs != nil && interpreterNamed(argv[i-1]) == runs
		option := len(a) > 1 && (a[0] == '-' || a[0] == '+')
		switch {
		case code && here(a):
			return elsewhere(strings.Fields(a)[0])
		case code && (runs != nil || !strings.HasPrefix(a, "~/")):
			runs = nil // a shell replaces the ~ of its text
			continue
		case file && strings.HasPrefix(a, "~"):
			return homeless(a)
		case file && i > 0 && isBare(a), i == 0 && pathLike(a):
			return elsewhere(a)
		case i > 0 && !(option && runs.takesCode(a)):
			if why := wrongArgument(a); why != "" {
				return why
			}
		}
		if option && !code {
			code = runs.takesCode(a)
		} else if !code {
			runs = interpreterNamed(a)
		}
	}
	return ""
}

// isBare reports whether a word that an interpreter is given first is a relative file.
func isBare(a string) bool {
	return a != "" && a[0] != '-' && a[0] != '+' && !absolute(a) && !strings.Contains(a, "://")
}

func wrongArgument(a string) string {
	val := assigned(a)
	switch {
	case strings.HasPrefix(val, "~/"):
		return homeless(val)
	case here(val):
		return elsewhere(val)
	case strings.HasPrefix(val, "-") || strings.ContainsAny(val, "|;(){}<>\"\n"): // no path, as it seems
		return ""
	case pathLike(val):
		return elsewhere(val)
	}
	return ""
}

// assigned is the value of an option --name=value or of a variable NAME=value,
// and any other word as it is.
func assigned(a string) string {
	name, val, ok := strings.Cut(a, "=")
	if !ok || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !isAlnum(r) && r != '_' && r != '-' }) {
		return a
	}
	return val
}

func here(s string) bool { return strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") }

// pathLike reports whether a word looks like a relative path.
func pathLike(s string) bool {
	return !absolute(s) && !strings.Contains(s, "://") && (strings.ContainsFunc(s, isSeparator) || isScript(s))
}

func isScript(s string) bool {
	switch strings.ToLower(filepath.Ext(s)) {
	case ".sh", ".bash", ".zsh", ".ksh", ".fish", ".py", ".pyc", ".pyz", ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx",
		".rb", ".pl", ".php", ".lua", ".ps1", ".jar":
		return true
	}
	return false
}

// firstCommand is the first command of shell text, without what a shell fills
// in.
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

func homeless(path string) string {
	return fmt.Sprintf("the ~ in %q is not expanded, because no shell runs", path)
}

func elsewhere(path string) string {
	return fmt.Sprintf("the path %q is relative, so starchild looks for it in its server's directory: "+
		"the file is not there, so the guard silently protects nothing", path)
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }

func absolute(path string) bool { return strings.HasPrefix(path, "/") || filepath.IsAbs(path) }
