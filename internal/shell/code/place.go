package code

import (
	"path"
	"strings"
)

// applyPlace computes paths, and names what loops over directories see.
func (r *reader) applyPlace(e *entry, v value, args []value) value {
	switch e.op {
	case opHome:
		return value{form: text, text: homeMark, class: pathClass(v)}
	case opCwd:
		return value{form: text, text: ".", class: pathClass(v)}
	case opTmp:
		return known("/tmp/tmp0")
	case opEnvAll:
		r.out.seen |= fromEnv
		return value{taint: fromEnv}
	case opPath:
		return pathOf(args)
	case opGetenv:
		if len(args) == 0 {
			r.out.seen |= fromEnv
			return value{taint: fromEnv}
		}
		if !args[0].isKnown() {
			return value{}
		}
		got := r.variable(args[0].text)
		if got.form == unknown && len(args) > 1 && got.taint == 0 {
			return either(value{}, args[1])
		}
		return got
	}
	s := subject(e, v, args)
	switch e.op {
	case opJoin:
		parts := args
		if e.at == self {
			parts = append([]value{s}, args...)
		}
		out := joinPaths(parts, !strings.HasPrefix(v.text, "path."))
		out.class = s.class
		return out
	case opDirname:
		return parent(s)
	case opExpand:
		return expandHome(s)
	case opGlob, opListdir, opWalk:
		return listing(e, v, s, args)
	case opChdir:
		if r.quiet == 0 {
			r.dir = s
			if s.form != text {
				r.dir = value{form: text, text: holeText}
			}
		}
	}
	return value{taint: s.taint}
}

// pathClass is the class of what Path.home() and the like return.
func pathClass(v value) string {
	if strings.Contains(v.text, "Path.") {
		return "Path"
	}
	return ""
}

// pathOf makes a path object.
func pathOf(args []value) value {
	out := known(".")
	if len(args) > 0 {
		out = joinPaths(args, true)
	}
	out.class = "Path"
	out.num = false
	if out.form == choice {
		items := make([]value, len(out.items))
		copy(items, out.items)
		for i := range items {
			items[i].class = "Path"
		}
		out.items = items
	}
	return out
}

// joinPaths joins parts of a path. An absolute part begins anew in most
// languages.
func joinPaths(parts []value, absResets bool) value {
	out := value{}
	first := true
	for i := range parts {
		p := parts[i]
		if p.key != "" {
			continue
		}
		if p.form == list && len(p.items) > 0 {
			p = joinPaths(p.items, absResets)
		}
		if first {
			out, first = p, false
			continue
		}
		if p.class == "listing" {
			p.text = "*"
		}
		s := p.str()
		switch {
		case absResets && (strings.HasPrefix(s, "/") || strings.HasPrefix(s, homeMark)):
			t := out.taint
			out = p
			out.taint |= t
		case strings.HasSuffix(out.str(), "/"):
			if strings.HasPrefix(s, "/") && p.form == text {
				p.text = p.text[1:]
			}
			out = join(out, p)
		case out.form == text && out.text == "" || out.form == text && out.text == "." && !out.glob:
			t := out.taint
			out = p
			out.taint |= t
		default:
			out = join(join(out, known("/")), p)
		}
	}
	out.key = ""
	return out
}

// parent is the directory that a path lies in.
func parent(s value) value {
	if s.form != text || s.text == homeMark {
		return value{taint: s.taint}
	}
	s.text = path.Dir(strings.TrimRight(s.text, "/"))
	return s
}

// expandHome puts the home directory in place of ~ and $HOME.
func expandHome(s value) value {
	if s.form != text {
		return s
	}
	switch {
	case s.text == "~" || strings.HasPrefix(s.text, "~/"):
		s.text = homeMark + s.text[1:]
	case s.text == "$HOME" || strings.HasPrefix(s.text, "$HOME/"):
		s.text = homeMark + s.text[5:]
	case strings.HasPrefix(s.text, "${HOME}"):
		s.text = homeMark + s.text[7:]
	case strings.HasPrefix(s.text, "~"):
		s.text = "/home/" + s.text[1:]
	}
	return s
}

// listing is what a loop over a directory or a pattern sees, as a pattern.
func listing(e *entry, v, s value, args []value) value {
	if s.form == list && len(s.items) > 0 {
		s = s.items[0]
	}
	if s.form == choice { // a recursive function
		out := value{form: choice, taint: s.taint}
		for i := range s.items {
			if s.items[i].form == text && !s.items[i].blank() && len(out.items) < maxChoice {
				out.items = append(out.items, listing(e, v, s.items[i], args))
			}
		}
		switch len(out.items) {
		case 0:
			return value{taint: s.taint}
		case 1:
			return out.items[0]
		}
		return out
	}
	if s.form != text {
		if len(args) > 0 || e.at == self {
			return value{taint: s.taint}
		}
		s = known(".")
	}
	out := value{form: text, glob: true, class: s.class}
	switch e.op {
	case opGlob:
		out.text = s.text
		if e.at == self {
			p := positional(args, 0, "pattern")
			sub := p.str()
			if strings.HasSuffix(v.text, ".rglob") {
				sub = "**/" + sub
			}
			out.text = joinPaths([]value{s, known(sub)}, false).str()
		} else if dir, ok := keyed(args, "root_dir cwd base"); ok {
			out.text = joinPaths([]value{dir, s}, true).str()
		}
	case opListdir:
		if e.at == self {
			out.text = joinPaths([]value{s, known("*")}, false).str()
		} else {
			out.text = "*"
			if s.text != "." && s.text != "" {
				out.text = strings.TrimRight(s.text, "/") + "/*"
			}
			out.class = "listing"
		}
	case opWalk:
		top := s
		star := value{form: text, text: "*", glob: true}
		row := value{form: list, items: []value{top, star, star}}
		return value{form: list, items: []value{row}}
	}
	return out
}

// nameValue is what a name holds when it is used as a value.
func (r *reader) nameValue(v value) (value, bool) {
	if v.form != name {
		return v, false
	}
	if r.isEnv(v.text) {
		r.out.seen |= fromEnv
		return value{taint: fromEnv}, true
	}
	if n, ok := strings.CutPrefix(v.text, "process.env."); ok {
		return r.variable(n), true
	}
	if n, ok := strings.CutPrefix(v.text, "Bun.env."); ok {
		return r.variable(n), true
	}
	if isStdin(v.text) {
		return r.stdin(), true
	}
	switch v.text {
	case "sys.argv", "process.argv", "Deno.args":
		return value{form: list, items: r.arguments()}, true
	case "os.sep", "os.path.sep", "path.sep":
		return known("/"), true
	case "os.curdir":
		return known("."), true
	case "os.pardir":
		return known(".."), true
	case "os.devnull":
		return known("/dev/null"), true
	case "sys.executable":
		return known("python3"), true
	case "process.execPath":
		return known("node"), true
	}
	if v.recv != nil && (v.recv.form == text || v.recv.form == choice && strings.HasSuffix(v.text, ".path")) {
		return r.field(v)
	}
	return v, false
}

// field is a part of an object that is no call: p.parent, file.name.
func (r *reader) field(v value) (value, bool) {
	switch {
	case strings.HasSuffix(v.text, "Path.parent"):
		out := parent(*v.recv)
		out.class = "Path"
		return out, true
	case strings.HasSuffix(v.text, "Path.text"):
		return r.reads(*v.recv), true
	case strings.HasSuffix(v.text, ".path") || strings.HasSuffix(v.text, ".name") && v.recv.glob:
		return *v.recv, true
	}
	return v, false
}

func isStdin(n string) bool {
	switch n {
	case "sys.stdin", "process.stdin", "Deno.stdin", "Bun.stdin", "sys.stdin.buffer":
		return true
	}
	return false
}

// stdin is what is piped into the code.
func (r *reader) stdin() value {
	in := r.job.input
	r.out.seen |= in.taint
	return in
}
