package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
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
	mode := positional(args, 1, "mode open")
	if e.at == self {
		mode = positional(args, 0, "mode")
	}
	if isCommand(p.class) {
		return value{taint: fromCommand}
	}
	if p.num { // a descriptor that is open already
		return value{class: "file"}
	}
	if e.op == opOsOpen {
		return r.opensFlags(p, from)
	}
	m := mode.str()
	switch {
	case mode.form == unknown && len(args) < 2 && e.at != self || mode.form == unknown && len(args) == 0 || mode.form == list:
		return r.reads(p)
	case strings.ContainsAny(m, "wx"):
		r.writes("> ", p, from)
	case strings.Contains(m, "a"):
		r.writes(">> ", p, from)
	case strings.Contains(m, "+"):
		r.writes(">> ", p, from)
	case r.lang == ruby && strings.Contains(r.snippet(from), "TRUNC"), r.lang == ruby && strings.Contains(r.snippet(from), "WRONLY"):
		r.writes("> ", p, from)
	case mode.form == unknown || mode.form == name:
		if len(args) >= 2 && args[1].key == "" || e.at == self && len(args) > 0 && args[0].key == "" {
			r.note(shell.Effect{Label: shell.Unknown, Kind: "write", Category: shell.FSWrite, Radius: shell.RadiusUnknown, Words: r.snippet(from),
				Reason: "opens a file in a way that is not known"})
		}
		return r.reads(p)
	default:
		return r.reads(p)
	}
	return value{form: text, text: p.str(), class: "file"}
}

// opensFlags reads os.open(p, os.O_WRONLY|os.O_TRUNC).
func (r *reader) opensFlags(p value, from int) value {
	words := r.snippet(from)
	switch {
	case strings.Contains(words, "O_TRUNC") || strings.Contains(words, "O_WRONLY") || strings.Contains(words, "O_RDWR") || strings.Contains(words, "O_CREAT"):
		if strings.Contains(words, "O_APPEND") {
			r.writes(">> ", p, from)
		} else {
			r.writes("> ", p, from)
		}
		return value{class: "file"}
	}
	return r.reads(p)
}

// opensPerl reads open(F, ">x"), open(F, '>', 'x'), open(F, "cmd|") and the like.
func (r *reader) opensPerl(args []value, from int) value {
	mode, path := positional(args, 1, ""), positional(args, 2, "")
	m := strings.TrimSpace(mode.str())
	if len(args) >= 3 {
		switch {
		case m == "|-" || m == "-|":
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
		r.note(shell.Effect{Label: shell.Unknown, Kind: "write", Category: shell.FSWrite, Radius: shell.RadiusUnknown, Words: r.snippet(from),
			Reason: "opens a file or a command that is not known"})
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
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "ftp://") || strings.HasPrefix(s, "ftps://") || strings.HasPrefix(s, "ssh2.")
}
