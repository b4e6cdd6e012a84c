package starchild

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A launcher is a program that runs what its words name: another program, or
// the file of an interpreter.
type launcher struct {
	names  string // separated by blanks, without the numbers of versions
	file   bool   // it runs a file: a bare name is not looked up in PATH
	inline string // letters of options after which a program's text or a module follows
	takes  string // letters of options that have a value
	long   string // names of options that have a value
	before int    // words before what it runs
	verbs  string // what may stand before its options
}

var launchers = [...]launcher{
	{names: "sh bash dash ash zsh ksh mksh", file: true, inline: "c", takes: "oO", long: "rcfile init-file"},
	{names: "fish", file: true, inline: "c", takes: "Cdof", long: "init-command features"},
	{names: "python pypy", file: true, inline: "cm", takes: "WX", long: "check-hash-based-pycs"},
	{names: "node nodejs tsx ts-node", file: true, inline: "ep", takes: "rCP", long: "require import loader experimental-loader conditions env-file project"},
	{names: "bun", file: true, inline: "ep", takes: "rc", long: "preload config cwd env-file", verbs: "run"},
	{names: "deno", file: true, takes: "cLr", long: "config import-map env-file cert lock ext", verbs: "run"},
	{names: "ruby", file: true, inline: "e", takes: "rICEFK", long: "encoding"},
	{names: "perl", file: true, inline: "eE", takes: "IMmFi0"},
	{names: "php", file: true, inline: "rBRE", takes: "dczS", long: "define php-ini"},
	{names: "lua luajit", file: true, inline: "e", takes: "l"},

	{names: "env", takes: "uC", long: "unset chdir"},
	{names: "timeout", takes: "ks", long: "kill-after signal", before: 1},
	{names: "nice", takes: "n", long: "adjustment"},
	{names: "sudo doas", takes: "ugCDhpRrtTU", long: "user group chdir host prompt role type"},
	{names: "nohup"},
	{names: "setsid"},
	{names: "busybox"},
	{names: "uv", inline: "m", takes: "pw", long: "with python project directory env-file extra group index module", verbs: "run"},
}

func launcherNamed(program string) *launcher {
	name := strings.TrimRight(filepath.Base(program), "0123456789.")
	for i := range launchers {
		if l := &launchers[i]; slices.Contains(strings.Fields(l.names), name) {
			return l
		}
	}
	return nil
}

// misplaced says why something that a command line names would not be found
// where it was meant, "" when all would: what is named by its absolute path,
// and programs that are looked up in PATH.
func misplaced(argv []string) string {
	if len(argv) == 0 {
		return ""
	}
	program, rest := argv[0], argv[1:]
	switch {
	case strings.HasPrefix(program, "~"):
		return homeless(program)
	case pathLike(program):
		return elsewhere(program)
	}
	l := launcherNamed(program)
	if l == nil {
		return wrongArguments(rest)
	}
	if l.verbs != "" && len(rest) > 0 && slices.Contains(strings.Fields(l.verbs), rest[0]) {
		rest = rest[1:]
	} else if l.verbs != "" && !l.file { // it launches nothing
		return wrongArguments(rest)
	}
	return l.misplaced(rest)
}

// misplaced is [misplaced] for the words after a launcher's name.
func (l *launcher) misplaced(words []string) string {
	for before := l.before; len(words) > 0; {
		a := words[0]
		words = words[1:]
		switch {
		case a == "--":
			if len(words) <= before {
				return ""
			}
			return l.runs(words[before:])
		case l.names == "env" && splits(a):
			return splitAgain(a, words)
		case len(a) > 1 && (a[0] == '-' || a[0] == '+'):
			code, value := l.option(a)
			if code {
				return wrongBehindCode(words)
			}
			if why := wrongArgument(a); why != "" {
				return why
			}
			if value && len(words) > 0 {
				if why := wrongArgument(words[0]); why != "" {
					return why
				}
				words = words[1:]
			}
		case !l.file && assigned(a) != a:
			if why := wrongArgument(a); why != "" {
				return why
			}
		case before > 0:
			before--
		case l.names == "deno" && a == "eval":
			return wrongBehindCode(words)
		default:
			return l.runs(append([]string{a}, words...))
		}
	}
	return ""
}

// runs judges what a launcher runs, and the arguments of that.
func (l *launcher) runs(words []string) string {
	file := words[0]
	switch {
	case !l.file:
		return misplaced(words)
	case strings.HasPrefix(file, "~"):
		return homeless(file)
	case file != "" && file != "-" && !absolute(file) && !strings.Contains(file, "://"):
		return elsewhere(file)
	}
	return wrongArguments(words[1:])
}

// option reports whether a program's text comes with an option or behind it,
// and whether the next word is the option's value.
func (l *launcher) option(a string) (code, value bool) {
	if name, ok := strings.CutPrefix(a, "--"); ok {
		name, _, has := strings.Cut(name, "=")
		return l.file && (name == "eval" || name == "print") || l.inline == "m" && name == "module", !has && slices.Contains(strings.Fields(l.long), name)
	}
	for i := 1; i < len(a); i++ {
		switch {
		case strings.IndexByte(l.inline, a[i]) >= 0:
			return true, false
		case strings.IndexByte(l.takes, a[i]) >= 0:
			return false, i == len(a)-1 && strings.IndexByte("Mmi0", a[i]) < 0
		}
	}
	return false, false
}

// splits reports whether an option of env takes a command line.
func splits(a string) bool {
	name, _, _ := strings.Cut(a, "=")
	return name == "--split-string" || strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "S")
}

func splitAgain(a string, words []string) string {
	_, line, _ := strings.Cut(a, "S")
	if strings.HasPrefix(a, "--") {
		_, line, _ = strings.Cut(a, "=")
	}
	if line == "" && len(words) > 0 {
		line, words = words[0], words[1:]
	}
	more, err := split(line)
	if err != nil {
		return err.Error()
	}
	return launcherNamed("env").misplaced(append(more, words...))
}

// wrongArguments judges what a program is given.
func wrongArguments(words []string) string {
	for i, a := range words {
		if i > 0 && announcesCode(words[i-1]) {
			if here(a) {
				return elsewhere(a)
			}
			continue
		}
		if why := wrongArgument(a); why != "" {
			return why
		}
	}
	return ""
}

// announcesCode reports whether an option of some program is usually followed
// by a program's text or a module's name.
func announcesCode(a string) bool {
	return slices.Contains([]string{"-c", "-e", "-m", "--command", "--eval", "--expression", "-Command", "-EncodedCommand"}, a)
}

// wrongBehindCode judges a program's text and what it is given.
func wrongBehindCode(words []string) string {
	for i, a := range words {
		switch {
		case here(a) && i == 0: // its first word is a program
			return elsewhere(strings.Fields(a)[0])
		case here(a):
			return elsewhere(a)
		case i > 0 && strings.HasPrefix(a, "~/"): // a shell replaces that of its text
			return homeless(a)
		}
	}
	return ""
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
