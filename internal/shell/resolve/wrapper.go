package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/wiring"
	"github.com/checkrein/checkrein/internal/shell"
)

// A wrapper is a program that runs the command in its words.
type wrapper struct {
	name  string
	sub   string // subcommands, one of which must be there: "exec app/run"; * is any word
	code  string // options whose value is a text for a shell
	short string // flags of one letter that take a value
	long  string // long flags that take the next word as their value
	skip  uint8  // words between the flags and the command
	is    trait
}

type trait uint16

const (
	kept     trait = 1 << iota // packs may judge the wrapper itself
	elevates                   // the command runs as somebody else
	assigns                    // NAME=value may stand before the command
	joins                      // the words are one text for a shell
	away                       // the command runs elsewhere, named by the last skipped word
	dashes                     // only what is behind -- is the command
	either                     // a single word is a text for a shell
	version                    // a version may stand before the command
	runs                       // the word run may stand before the command
	python                     // the command is a script for python
	parts                      // the command has another home, root, user or limits
)

// findWrapper finds a wrapper by its name.
func findWrapper(name string) *wrapper {
	lo, hi := 0, len(wrappers)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if wrappers[mid].name < name {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(wrappers) && wrappers[lo].name == name {
		return &wrappers[lo]
	}
	return nil
}

// wrapper takes a wrapper off. What follows its flags is the command.
func (w *walker) wrapper(c *command, wr *wrapper) bool {
	args := c.words[1:]
	if wr.sub != "" {
		args = args[subcommand(args, wr)+1:]
	}
	f := flags{args: args, wr: wr}
	rest := f.read()
	if f.split != nil {
		return w.splitEnv(c, &f, rest)
	}
	text, coded := wr.text(args)
	if !coded && (wr.is&dashes != 0 && !f.dashed || len(rest) == 0) {
		return w.withoutCommand(c, wr, &f)
	}
	w.walkOpenings(c)
	w.leave(c, wr, &f)
	c.clear = wr.clear(c.words[0].Text, args, rest, &f)
	if f.log != "" {
		w.logs(c, &f)
	}
	if coded {
		w.noProgram(c)
		w.nested(text, nil, c)
		return true
	}
	rest = wr.trim(rest, &f)
	if len(rest) == 0 {
		return true
	}
	if f.joins || wr.is&joins != 0 && !f.exec || wr.is&either != 0 && len(rest) == 1 && strings.ContainsAny(rest[0].Text, " \t\n;|&") {
		w.noProgram(c)
		w.nested(joined(rest, " "), nil, c)
		return true
	}
	w.setEnv(c, f.env)
	c.words = rest
	return false
}

// leave goes from a wrapper to what it runs: where, as whom, with what around it.
func (w *walker) leave(c *command, wr *wrapper, f *flags) {
	far := wr.is&away != 0
	switch {
	case wr.is&kept != 0 || far && c.in != nil:
		w.keepWrapper(c, far)
	case far:
		w.noProgram(c)
		c.redir = nil
	}
	c.env = append(c.env[:len(c.env):len(c.env)], f.env...)
	c.elevated = c.elevated || wr.is&elevates != 0
	if wr.is&(parts|elevates|away) != 0 || f.bare {
		c.apart = wr.name
	}
	switch {
	case c.box == nil:
	case wr.name == "chroot" && strings.HasPrefix(f.skipped, "/"):
		box := *c.box
		box.root = cleanJoin(box.root, f.skipped)
		c.box = &box
	case wr.name == "nsenter":
		c.box, c.remote = nil, "" // out of the container
	}
	if far {
		c.remote, c.dir, c.also, c.box = f.skipped, "", nil, nil
		if c.remote == "" {
			c.remote = wr.name
		}
	}
	if f.dir != "" {
		if w.real != nil {
			f.dir = w.physical(&c.context, f.dir)
		}
		c.dir, c.also = f.dir, nil
	}
	if f.bare && w.trace != nil {
		w.setEnv(c, []shell.Variable{{Name: "PATH", Value: shell.Word{Text: BuiltInPath}}})
	}
	c.plain = true
}

// BuiltInPath is where shells look for programs when nobody says so: of some, where they
// are comes last.
const BuiltInPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:."

// keepWrapper makes a call of the wrapper. Redirections belong to what runs here:
// to the wrapper when its command runs elsewhere.
func (w *walker) keepWrapper(c *command, far bool) {
	redir := c.redir
	if far {
		w.keep(c)
		c.redir = nil
		return
	}
	c.redir = nil
	w.keep(c)
	c.redir = redir
}

// setEnv makes variables known to what a wrapper runs.
func (w *walker) setEnv(c *command, env []shell.Variable) {
	for _, v := range env {
		c.hidden = append(c.hidden, w.hide(v.Name))
		w.set(v.Name, v.Value)
		w.hooked(v.Name)
		w.exported(v.Name, v.Value.Text)
	}
}

// splitEnv walks env -S, whose text is split much as a shell would.
func (w *walker) splitEnv(c *command, f *flags, rest []shell.Word) bool {
	text := *f.split
	if strings.HasPrefix(strings.TrimSpace(text.Text), "-") {
		text.Text = "env " + text.Text // its own options stand in it
	}
	for _, a := range rest {
		text.Text += " " + quote(a.Text)
		text.From = addFrom(text.From, a.From)
	}
	c.env = append(c.env[:len(c.env):len(c.env)], f.env...)
	w.group(c)
	w.nested(text, nil, c)
	return true
}

// withoutCommand handles a wrapper that names no command. As a login it reads
// commands from standard input.
func (w *walker) withoutCommand(c *command, wr *wrapper, f *flags) bool {
	if wr.is&elevates != 0 && f.login && c.in != nil {
		w.keepWrapper(c, false)
		c.elevated = true
		c.words = []shell.Word{{Text: "sh"}}
		return false
	}
	w.emit(c)
	return true
}

// flags reads the flags of a wrapper.
type flags struct {
	args    []shell.Word
	wr      *wrapper
	env     []shell.Variable
	skipped string // the last word before the command
	dir     string
	login   bool        // -i or -s: a shell
	exec    bool        // -x of watch: no shell in between; --no-python of torchrun
	joins   bool        // -s of entr: a shell in between
	module  bool        // -m: a module of python
	dashed  bool        // there was a --
	bare    bool        // env without the environment, or without what says where settings are
	dry     bool        // it runs nothing
	late    bool        // flags may stand behind the skipped words
	split   *shell.Word // the text of env -S, which becomes words
	log     string      // the file that it writes down what it sees in
	more    bool        // behind what is there
}

// read returns the command behind the flags.
func (f *flags) read() []shell.Word {
	skip := int(f.wr.skip)
	args := f.args
	for len(args) > 0 {
		a := args[0].Text
		switch {
		case a == "--":
			f.dashed = true
			args = args[1:]
			if skip > 0 && f.wr.is&dashes == 0 {
				for ; skip > 0 && len(args) > 0; skip-- {
					f.skipped = args[0].Text
					args = args[1:]
				}
			}
			return f.assigned(args)
		case f.wr.name == "env" && a == "-":
			f.bare = true
			args = args[1:]
		case len(a) > 1 && a[0] == '-':
			args = args[f.flag(a, args):]
			if f.dry {
				return nil
			}
			if f.split != nil {
				return args
			}
		case f.wr.is&assigns != 0 && f.assign(args[0]):
			args = args[1:]
		case skip > 0:
			f.skipped = a
			skip--
			args = args[1:]
			if skip == 0 && !f.late && f.wr.is&dashes == 0 {
				if len(args) > 0 && args[0].Text == "--" {
					args = args[1:]
				}
				return args
			}
		case f.wr.is&dashes != 0:
			args = args[1:]
		default:
			return args
		}
	}
	return nil
}

func (f *flags) assigned(args []shell.Word) []shell.Word {
	for f.wr.is&assigns != 0 && len(args) > 0 && f.assign(args[0]) {
		args = args[1:]
	}
	return args
}

func (f *flags) assign(w shell.Word) bool {
	name, val, ok := assignedName(w.Text)
	if !ok && strings.HasPrefix(name, "BASH_FUNC_") && val != "" {
		ok = true
	}
	if ok {
		f.env = append(f.env, shell.Variable{Name: name, Value: shell.Word{Text: val, Quoted: w.Quoted, From: w.From}})
	}
	return ok
}

// flag reads one flag and returns how many words it is.
func (f *flags) flag(a string, args []shell.Word) int {
	next := ""
	if len(args) > 1 {
		next = args[1].Text
	}
	if strings.HasPrefix(a, "--") {
		name, val, given := strings.Cut(a, "=")
		n := 1
		if !given && (inList(f.wr.long, name) || inList(f.wr.code, name)) {
			n, val = 2, next
		}
		f.longFlag(name, val)
		if name == "--split-string" {
			f.split = &shell.Word{Text: val, From: args[min(n, len(args))-1].From}
		}
		return min(n, len(args))
	}
	if len(a) > 2 && inList(f.wr.long, a) {
		return min(2, len(args)) // a long flag with one dash: mpirun -np 4
	}
	for i := 1; i < len(a); i++ {
		c := a[i]
		val, n := a[i+1:], 1
		takes := strings.IndexByte(f.wr.short, c) >= 0 || f.wr.code != "" && inList(f.wr.code, "-"+a[i:i+1])
		if takes && val == "" {
			val, n = next, 2
		}
		f.shortFlag(c, val, takes)
		if c == 'S' && f.wr.name == "env" {
			f.split = &shell.Word{Text: val, From: args[min(n, len(args))-1].From}
		}
		if takes {
			return min(n, len(args))
		}
	}
	return 1
}

func (f *flags) longFlag(name, val string) {
	switch f.wr.name {
	case "sudo", "doas":
		switch name {
		case "--edit", "--list", "--validate", "--version", "--help", "--remove-timestamp":
			f.dry = true
		case "--login", "--shell":
			f.login = true
		}
	case "env":
		f.bare = f.bare || name == "--ignore-environment" || name == "--unset" && (val == "PATH" || wiring.Steer(val, "/") != "")
	case "watch":
		f.exec = f.exec || name == "--exec"
	case "torchrun", "accelerate", "deepspeed":
		f.exec = f.exec || name == "--no-python" || name == "--no_python"
	case "wsl":
		switch name {
		case "--cd", "--distribution", "--user", "--exec", "--shell-type", "--system":
		default:
			f.dry = true // looks after the systems themselves
		}
	}
	switch name {
	case "--output", "--log-file", "--output-append-mode", "--append":
		if isTracer(f.wr.name) {
			if f.more = f.more || strings.Contains(name, "append"); val != "" {
				f.log = val
			}
		}
	case "--chdir", "--cwd", "--working-directory", "--workdir":
		f.dir = val
	case "--directory":
		if f.wr.name == "uv" || f.wr.name == "poetry" {
			f.dir = val
		}
	}
}

func (f *flags) shortFlag(c byte, val string, takes bool) {
	switch f.wr.name {
	case "sudo":
		switch c {
		case 'e', 'l', 'v', 'V', 'K':
			f.dry = true
		case 'i', 's':
			f.login = true
		case 'D':
			f.dir = val
		}
	case "doas":
		f.login = f.login || c == 's'
	case "env":
		if c == 'C' && takes {
			f.dir = val
		}
		f.bare = f.bare || c == 'i' || c == 'u' && (val == "PATH" || wiring.Steer(val, "/") != "")
	case "watch":
		f.exec = f.exec || c == 'x'
	case "wsl":
		f.dry = f.dry || c == 't' || c == 'l' || c == 's'
	case "entr":
		f.joins = f.joins || c == 's'
	case "torchrun", "accelerate", "deepspeed", "coverage":
		f.module = f.module || c == 'm'
	case "strace", "ltrace", "time", "gtime", "perf":
		if c == 'o' && takes {
			f.log = val
		}
		f.more = f.more || c == 'A' && f.wr.name == "strace" || c == 'a' && strings.HasSuffix(f.wr.name, "time")
	case "taskset", "ionice", "chrt", "renice":
		f.dry = f.dry || c == 'p' && f.wr.name != "chrt"
	}
}
