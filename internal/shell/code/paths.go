package code

import (
	"path"
	"strings"
)

// applyPathOp returns the result of a function on paths, directories or environment variables.
func (r *reader) applyPathOp(e *entry, v value, args []value) value {
	switch e.op {
	case opHome:
		return value{form: text, text: homeMark, class: pathClass(v)}
	case opCwd:
		return value{form: text, text: ".", class: pathClass(v)}
	case opTmp:
		return textValue("/tmp/tmp0")
	case opEnvAll:
		r.out.seen |= fromEnv
		return value{taint: fromEnv}
	case opPath:
		return newPath(args)
	case opGetenv:
		if len(args) == 0 {
			r.out.seen |= fromEnv
			return value{taint: fromEnv}
		}
		if !args[0].isKnownText() {
			return value{}
		}
		got := r.envValue(args[0].text)
		if got.form == unknown && len(args) > 1 && got.taint == 0 {
			return choiceOf(value{}, args[1])
		}
		return got
	}
	s := subjectArg(e, v, args)
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
		return parentDir(s)
	case opExpand:
		return expandHome(s)
	case opGlob, opListdir, opWalk:
		return listingPattern(e, v, s, args)
	case opChdir:
		if r.quiet == 0 {
			r.dir = s
			if s.form != text {
				r.dir = value{form: text, text: placeholder}
			}
		}
	}
	return value{taint: s.taint}
}

// pathClass returns "Path" if v is a function of the Path class, such as Path.home, and "" otherwise.
func pathClass(v value) string {
	if strings.Contains(v.text, "Path.") {
		return "Path"
	}
	return ""
}

// newPath returns a Path object for the joined args, or for "." if there are none.
func newPath(args []value) value {
	out := textValue(".")
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

// joinPaths returns parts joined with slashes. If absResets is set, an absolute part discards the
// parts before it, as in most languages.
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
			out = concat(out, p)
		case out.form == text && out.text == "" || out.form == text && out.text == "." && !out.glob:
			t := out.taint
			out = p
			out.taint |= t
		default:
			out = concat(concat(out, textValue("/")), p)
		}
	}
	out.key = ""
	return out
}

// parentDir returns the parent directory of the path s. The result is unknown if s is not a known
// string or is the home directory.
func parentDir(s value) value {
	if s.form != text || s.text == homeMark {
		return value{taint: s.taint}
	}
	s.text = path.Dir(strings.TrimRight(s.text, "/"))
	return s
}

// expandHome returns s with a leading ~ or $HOME replaced by the home directory, and a leading ~user
// by /home/user.
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

// listingPattern returns a file name pattern for the result of a function that lists the directory s
// or the matches of the pattern s. For opWalk, it returns a list with one row of a directory, its
// subdirectories and its files.
func listingPattern(e *entry, v, s value, args []value) value {
	if s.form == list && len(s.items) > 0 {
		s = s.items[0]
	}
	if s.form == choice { // for example, the parameter of a recursive function
		out := value{form: choice, taint: s.taint}
		for i := range s.items {
			if s.items[i].form == text && !s.items[i].isBlank() && len(out.items) < maxChoice {
				out.items = append(out.items, listingPattern(e, v, s.items[i], args))
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
		s = textValue(".")
	}
	out := value{form: text, glob: true, class: s.class}
	switch e.op {
	case opGlob:
		out.text = s.text
		if e.at == self {
			p := namedOrNthArg(args, 0, "pattern")
			sub := p.str()
			if strings.HasSuffix(v.text, ".rglob") {
				sub = "**/" + sub
			}
			out.text = joinPaths([]value{s, textValue(sub)}, false).str()
		} else if dir, ok := keywordArg(args, "root_dir cwd base"); ok {
			out.text = joinPaths([]value{dir, s}, true).str()
		}
	case opListdir:
		if e.at == self {
			out.text = joinPaths([]value{s, textValue("*")}, false).str()
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

// knownNameValue returns the value of a well-known name such as sys.argv or os.sep. It returns v
// itself and reports false if v is not such a name.
func (r *reader) knownNameValue(v value) (value, bool) {
	if v.form != name {
		return v, false
	}
	if r.isEnvironName(v.text) {
		r.out.seen |= fromEnv
		return value{taint: fromEnv}, true
	}
	if n, ok := strings.CutPrefix(v.text, "process.env."); ok {
		return r.envValue(n), true
	}
	if n, ok := strings.CutPrefix(v.text, "Bun.env."); ok {
		return r.envValue(n), true
	}
	if isStdinName(v.text) {
		return r.readStdin(), true
	}
	switch v.text {
	case "sys.argv", "process.argv", "Deno.args":
		return value{form: list, items: r.argvValues()}, true
	case "os.sep", "os.path.sep", "path.sep":
		return textValue("/"), true
	case "os.curdir":
		return textValue("."), true
	case "os.pardir":
		return textValue(".."), true
	case "os.devnull":
		return textValue("/dev/null"), true
	case "sys.executable":
		return textValue("python3"), true
	case "process.execPath":
		return textValue("node"), true
	}
	if v.recv != nil && (v.recv.form == text || v.recv.form == choice && strings.HasSuffix(v.text, ".path")) {
		return r.propertyValue(v)
	}
	return v, false
}

// propertyValue returns the value of an attribute such as p.parent or entry.path, where the object is
// v.recv. It returns v itself and reports false for other attributes.
func (r *reader) propertyValue(v value) (value, bool) {
	switch {
	case strings.HasSuffix(v.text, "Path.parent"):
		out := parentDir(*v.recv)
		out.class = "Path"
		return out, true
	case strings.HasSuffix(v.text, "Path.text"):
		return r.addRead(*v.recv), true
	case strings.HasSuffix(v.text, ".path") || strings.HasSuffix(v.text, ".name") && v.recv.glob:
		return *v.recv, true
	}
	return v, false
}

// isStdinName reports whether n is the name of the standard input stream.
func isStdinName(n string) bool {
	switch n {
	case "sys.stdin", "process.stdin", "Deno.stdin", "Bun.stdin", "sys.stdin.buffer":
		return true
	}
	return false
}

// readStdin returns the standard input of the code, and records that the code reads it.
func (r *reader) readStdin() value {
	in := r.job.input
	r.out.seen |= in.taint
	return in
}
