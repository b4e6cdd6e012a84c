package code

import (
	"strconv"
	"strings"
)

// opens says what opening a file means: reading, or writing, or in perl and ruby
// also running a command.
func (r *reader) opens(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opOpenPerl:
		return r.opensPerl(args, from)
	case opOpenRuby:
		if s := positional(args, 0, ""); strings.HasPrefix(s.str(), "|") {
			s.text = s.text[1:]
			return r.shellText(s, from)
		} else if isURL(s.str()) {
			return r.fetches(s, args, from)
		}
	}
	p := subject(e, v, args)
	at, mode := 1, positional(args, 1, "mode open")
	if e.at == self {
		at, mode = 0, positional(args, 0, "mode")
	}
	if isCommand(p.class) {
		return value{taint: fromCommand}
	}
	if p.num { // a descriptor that is open already
		return value{class: "file"}
	}
	if e.op == opOsOpen {
		return r.opensFlags(p, positional(args, int(e.at)+1, "flags"), from)
	}
	open := mode.form == unknown || mode.form == name // the mode is not a text
	if mode.num || (r.lang == javascript || r.lang == ruby) && open && strings.Contains(r.snippet(from), "O_") {
		return r.opensFlags(p, mode, from)
	}
	if mode.form == list || mode.form == unknown && len(args) <= at {
		return r.reads(p)
	}
	redirect := r.modeWrites(mode.str(), from)
	if redirect == "" {
		if open && (len(args) > at && args[at].key == "" || len(args) > 1 && args[1].key == "") {
			r.does(&opensSomehow, r.snippet(from))
		}
		return r.reads(p)
	}
	r.opensToWrite(redirect, p, from)
	return value{form: text, text: p.str(), class: "file"}
}

// opensToWrite notes that a file is written, or only emptied: open('x', 'w').close().
func (r *reader) opensToWrite(redirect string, p value, from int) {
	if redirect == "> " && r.peek().is(".") && r.ahead(1).word("close") {
		p.each(func(x *value) { r.commandOn("truncate -s 0 -- ", *x, from) })
		return
	}
	r.writes(redirect, p, from)
}

// modeWrites is the redirection that does what opening with a mode does; "" = it
// only reads.
func (r *reader) modeWrites(mode string, from int) string {
	switch {
	case strings.ContainsAny(mode, "wx"):
		return "> "
	case strings.Contains(mode, "+") && strings.Contains(r.src, "mmap"): // what is in it is changed in memory
		return "> "
	case strings.ContainsAny(mode, "a+"):
		return ">> "
	case r.lang == ruby && hasAny(r.snippet(from), "TRUNC", "WRONLY"):
		return "> "
	}
	return ""
}

// opensFlags reads os.open(p, os.O_WRONLY|os.O_TRUNC), with names or as a number.
func (r *reader) opensFlags(p, flags value, from int) value {
	words := r.snippet(from)
	writes := hasAny(words, "O_TRUNC", "O_WRONLY", "O_RDWR", "O_CREAT")
	appends := strings.Contains(words, "O_APPEND")
	if n, err := strconv.ParseInt(flags.text, 10, 64); err == nil && flags.num { // as Linux and macOS count
		writes, appends = n&3 != 0 || n&(0o1000|0x400) != 0, n&(0o2000|8) != 0 && n&0o1000 == 0
	} else if !writes && !strings.Contains(words, "O_RDONLY") && (flags.form == unknown || flags.form == name) {
		r.does(&opensSomehow, words)
	}
	switch {
	case writes && appends:
		r.writes(">> ", p, from)
	case writes:
		r.writes("> ", p, from)
	default:
		return r.reads(p)
	}
	return value{class: "file"}
}

// opensPerl reads open(F, ">x"), open(F, '>', 'x'), open(F, "cmd|") and the like.
func (r *reader) opensPerl(args []value, from int) value {
	mode, path := positional(args, 1, ""), positional(args, 2, "")
	m := strings.TrimSpace(mode.str())
	if len(args) >= 3 {
		switch {
		case m == "|-" || m == "-|":
			if len(args) == 3 { // one word goes to a shell
				return r.pipeTo(r.shellText(path, from))
			}
			return r.pipeTo(r.argvOf(args[2:], from))
		case strings.HasPrefix(m, ">>"):
			r.writes(">> ", path, from)
		case strings.HasPrefix(m, ">&") || strings.HasPrefix(m, "<&"):
			r.out.dup = true
		case strings.HasPrefix(m, ">") || strings.HasPrefix(m, "+"):
			r.writes("> ", path, from)
		default:
			return r.reads(path)
		}
		return value{class: "file"}
	}
	mode.text = m
	switch {
	case mode.form != text:
		r.does(&opensSome, r.snippet(from))
	case strings.HasPrefix(m, ">&") || strings.HasPrefix(m, "<&") || strings.HasPrefix(m, ">>&"):
		r.out.dup = true
	case strings.HasPrefix(m, "|"):
		mode.text = strings.TrimSpace(m[1:])
		return r.pipeTo(r.shellText(mode, from))
	case strings.HasSuffix(m, "|"):
		mode.text = strings.TrimSpace(strings.TrimSuffix(m, "|"))
		return r.shellText(mode, from)
	case strings.HasPrefix(m, ">>"):
		mode.text = strings.TrimSpace(m[2:])
		r.writes(">> ", mode, from)
	case strings.HasPrefix(m, ">") || strings.HasPrefix(m, "+<") || strings.HasPrefix(m, "+>"):
		mode.text = strings.TrimLeft(m, "+<> ")
		r.writes("> ", mode, from)
	default:
		mode.text = strings.TrimLeft(m, "< ")
		return r.reads(mode)
	}
	return value{class: "file"}
}

// pipeTo notes that what perl prints to a handle goes to a shell.
func (r *reader) pipeTo(v value) value {
	if v.class == "shell" && r.quiet == 0 {
		r.out.told = true
	}
	return v
}

func isURL(s string) bool {
	return begins(s, "http://", "https://", "ftp://", "ftps://", "ssh2.")
}

// readsArgs is perl's <> over the files that the code itself put into @ARGV: each is
// opened as open does with one text, so it may be a command, and with $^I it is
// written.
func (r *reader) readsArgs(files value) value {
	out := value{taint: fromFile, class: "file"}
	files.each(func(f *value) {
		switch {
		case strings.Contains(r.src, "$^I"):
			r.commandOn("sed -i s/a/b/ ", *f, r.i-1)
		case f.form == text:
			out.taint |= r.opensPerl([]value{{}, *f}, r.i-1).taint
		}
	})
	return out
}
