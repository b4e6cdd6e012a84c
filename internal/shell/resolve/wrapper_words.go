package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// text is the value of an option that carries a text for a shell.
func (wr *wrapper) text(args []shell.Word) (text shell.Word, ok bool) {
	if wr.code == "" {
		return text, false
	}
	for i, a := range args {
		t := a.Text
		if t == "--" {
			break
		}
		if len(t) < 2 || t[0] != '-' {
			continue
		}
		name, val, given := strings.Cut(t, "=")
		bundled := t[1] != '-' && len(t) > 2 && !strings.ContainsAny(t[1:len(t)-1], wr.short) && inList(wr.code, "-"+t[len(t)-1:])
		switch {
		case given && inList(wr.code, name):
			a.Text = val
			return a, true
		case inList(wr.code, t) || bundled:
			if i+1 < len(args) {
				return args[i+1], true
			}
		case t[1] != '-' && inList(wr.code, t[:2]):
			a.Text = t[2:]
			return a, true
		}
	}
	return text, false
}

// trim takes off words that may stand between a wrapper's flags and its command.
func (wr *wrapper) trim(rest []shell.Word, f *flags) []shell.Word {
	if wr.is&runs != 0 && len(rest) > 1 && rest[0].Text == "run" {
		rest = rest[1:]
	}
	if wr.is&version != 0 && len(rest) > 1 && isVersion(rest[0].Text) {
		rest = rest[1:]
	}
	if len(rest) > 0 && rest[0].Text == "--" {
		rest = rest[1:]
	}
	if wr.name == "setarch" && len(rest) > 0 && isArchitecture(rest[0].Text) {
		for rest = rest[1:]; len(rest) > 0 && strings.HasPrefix(rest[0].Text, "-"); {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			rest = []shell.Word{{Text: "sh"}}
		}
	}
	if wr.name == "hatch" && len(rest) > 0 {
		// env:command
		if _, prog, ok := strings.Cut(rest[0].Text, ":"); ok && prog != "" {
			rest = append([]shell.Word{{Text: prog}}, rest[1:]...)
		}
	}
	if wr.is&python != 0 && len(rest) > 0 && !f.exec {
		words := []shell.Word{{Text: "python3"}}
		if f.module {
			words = append(words, shell.Word{Text: "-m"})
		}
		rest = append(words, rest...)
	}
	return rest
}

// isVersion reports whether a word is a version or a number: 18, v20.1, lts/*.
func isVersion(s string) bool {
	s = strings.TrimPrefix(s, "v")
	return s != "" && s[0] >= '0' && s[0] <= '9' || s == "node" || s == "default" || s == "system" || strings.HasPrefix(s, "lts/") || strings.HasPrefix(s, "ruby-")
}

// isArchitecture reports whether a word is what setarch may have before its options:
// newer ones do without it.
func isArchitecture(s string) bool {
	return inList("linux32 linux64 i386 i486 i586 i686 x86_64 amd64 arm armv7l armv8l armh aarch64 arm64 ppc ppc32 ppc64 ppc64le s390 s390x mips mips32 mips64 sparc sparc64 riscv64 alpha ia64 uname26", s)
}

// subcommand finds the subcommand of a wrapper; flags may stand before it.
func subcommand(args []shell.Word, wr *wrapper) int {
	for list := wr.sub; list != ""; {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if i := wr.path(args, one); i >= 0 {
			return i
		}
	}
	return -1
}

// path finds where the words of a subcommand end: "app/exec".
func (wr *wrapper) path(args []shell.Word, path string) int {
	part, rest, more := strings.Cut(path, "/")
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if a == "" {
			return -1
		}
		if a[0] == '-' {
			if !strings.Contains(a, "=") && inList(wr.long, a) || len(a) == 2 && strings.IndexByte(wr.short, a[1]) >= 0 {
				i++
			}
			continue
		}
		if a != part && part != "*" {
			return -1
		}
		if !more {
			return i
		}
		part, rest, more = strings.Cut(rest, "/")
	}
	return -1
}

// inList reports whether a list of words separated by spaces has word.
func inList(list, word string) bool {
	for list != "" {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if one == word {
			return true
		}
	}
	return false
}

// isTracer reports whether a wrapper watches its command and writes down what it
// sees.
func isTracer(name string) bool {
	switch name {
	case "strace", "ltrace", "time", "gtime", "perf", "valgrind":
		return true
	}
	return false
}

// logs adds the file that a wrapper writes to the redirections of its command, as
// nobody else would see it. strace also takes a command.
func (w *walker) logs(c *command, f *flags) {
	if f.wr.name == "strace" && (f.log[0] == '|' || f.log[0] == '!') {
		w.handed(c, shell.Word{Text: f.log[1:]})
		return
	}
	op := ">"
	if f.more {
		op = ">>"
	}
	c.redir = append(c.redir[:len(c.redir):len(c.redir)], shell.Redirect{Op: op, Fd: "3", Target: shell.Word{Text: f.log}})
	w.write(f.log, &c.context, content{text: hole, old: true}, f.more)
}
