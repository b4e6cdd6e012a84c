package files

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// writeTo is the outcome of a program's output into a file.
var writeTo = [...]verdict{
	inNowhere: unsure, inRoot: high, inSystem: high, inDevice: maybe, inHome: maybe, inHomeDots: maybe, inHomeOther: maybe,
	inProjectRoot: safe, inHistory: high, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: safe,
	inParent: maybe, inOutside: maybe, inSink: safe,
}

// emptyTo is the outcome of emptying a file.
var emptyTo = [...]verdict{
	inNowhere: unsure, inRoot: high, inSystem: high, inDevice: maybe, inHome: high, inHomeDots: high, inHomeOther: high,
	inProjectRoot: medium, inHistory: high, inProject: medium, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: high, inOutside: high, inSink: safe,
}

// appendTo is the outcome of adding to the end of a file.
var appendTo = [...]verdict{
	inNowhere: unsure, inRoot: high, inSystem: medium, inDevice: maybe, inHome: maybe, inHomeDots: maybe, inHomeOther: safe,
	inProjectRoot: safe, inHistory: medium, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: safe,
	inParent: little, inOutside: little, inSink: safe,
}

// editTo is the outcome of changing a file in place.
var editTo = [...]verdict{
	inNowhere: unsure, inRoot: high, inSystem: high, inDevice: high, inHome: high, inHomeDots: medium, inHomeOther: medium,
	inProjectRoot: safe, inHistory: high, inProject: safe, inGenerated: safe, inTemp: safe, inTempRoot: medium,
	inParent: medium, inOutside: medium, inSink: safe,
}

// outcome looks a spot up in one of the tables above, and sees to devices, what
// is protected, and installed software.
func (j *job) outcome(table *[16]verdict, a *act, s spot) (*act, verdict) {
	j.beyond(&s)
	if s.behind != nil {
		s = *s.behind
		s.file = true
	}
	v := table[s.zone]
	switch {
	case s.zone == inDevice && disk(s.path):
		return &raw, high
	case table == &appendTo && s.kind == kindKeys && strings.HasSuffix(s.path, "/known_hosts"):
		return a, safe // who a machine is, once it was asked
	case s.kind != "":
		return a, guarded(s)
	case s.own && s.mayMake():
		return a, safe
	case table == &emptyTo && s.zone == inProject && !s.deep && log(s.path):
		return a, safe
	case table == &writeTo && s.file && v == maybe, table == &writeTo && j.onlyOne(&s):
		return &overwrite, medium
	case s.zone == inSystem && s.soft && table != &emptyTo:
		v = maybe
	case s.zone == inNowhere && s.hole && s.made:
		v = little
	}
	return a, v
}

// onlyOne reports whether a file of the project lies there that is kept out of its
// history, so that there is no other copy: a .env with what it is set to.
func (j *job) onlyOne(s *spot) bool {
	if s.zone != inProject && s.zone != inProjectRoot || s.own || s.hole || globbed(s.path) || !j.liesAt(s) {
		return false
	}
	return settings(s.path) || j.base.real != nil && settings(j.base.real(j.onDisk(s)+"/."))
}

// settings reports whether a file holds by its name what this one place is set to.
func settings(p string) bool {
	p = strings.TrimSuffix(p, "/.")
	name := p[strings.LastIndexByte(p, '/')+1:]
	if strings.HasSuffix(name, ".tfstate") {
		return true
	}
	rest, ok := strings.CutPrefix(name, ".env")
	return ok && (rest == "" || rest == ".local" || rest == ".production" || rest == ".prod")
}

// liesAt reports whether there is a file at a spot by now.
func (j *job) liesAt(s *spot) bool {
	return j.p != nil && j.p.Kind != nil && !j.base.remote && strings.HasPrefix(j.onDisk(s), "/") && j.p.Kind(j.onDisk(s)) == shell.PathFile
}

// sourced reports whether a spot is a source of the project that lies there: what
// programs make is never that.
func (j *job) sourced(s *spot) bool {
	if s.zone != inProject || s.own || s.hole || globbed(s.path) || !source(s.path) || !j.liesAt(s) {
		return false
	}
	end := j.onDisk(s)
	return j.base.real == nil || strings.TrimSuffix(j.base.real(end+"/."), "/.") == end // no link
}

// source reports whether a file is by its name one that people write programs in.
func source(p string) bool {
	name := p[strings.LastIndexByte(p, '/')+1:]
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "go", "py", "js", "mjs", "cjs", "ts", "jsx", "tsx", "vue", "svelte", "rb", "rs", "c", "h", "cc", "cxx", "cpp", "hpp", "java", "kt", "scala", "swift", "php", "pl", "pm", "lua", "sh", "sql", "cs", "ex", "exs", "hs", "ml", "zig", "tf":
		return true
	}
	return name == "Makefile" || name == "Dockerfile" || settings(p)
}

// guarded is the outcome of writing to a protected file.
func guarded(s spot) verdict {
	switch s.kind {
	case kindShell, kindHistory, kindGitHooks, kindCloud:
		if s.zone == inSystem {
			return high
		}
		return medium
	case kindHost, kindCheckrein:
		if s.zone == inProject {
			return medium
		}
	}
	return high
}

// written marks a program's output into a file.
func (j *job) written(s spot) {
	a, v := j.outcome(&writeTo, &writes, s)
	if s.kind == kindHost && s.zone == inProject {
		v = low // what it does to the wiring self-protection says, which reads the text
	}
	j.mark(a, s, v)
}

func (j *job) emptied(s spot) {
	a, v := j.outcome(&emptyTo, &empties, s)
	j.mark(a, s, v)
}

func (j *job) appended(s spot) {
	a, v := j.outcome(&appendTo, &appends, s)
	j.mark(a, s, v)
}

func (j *job) edited(s spot) {
	a, v := j.outcome(&editTo, &edits, s)
	j.mark(a, s, v)
}

// tee writes what flows through it into files.
func (j *job) tee() {
	var o program.Walk
	o.Start(j.c)
	add := false
	for o.Next() {
		add = add || o.Name == "a" || o.Name == "append"
	}
	nothing, files := j.fedNothing(), 0
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" || o.Arg.Text == "-" {
			continue
		}
		files++
		for _, s := range j.spots(o.Arg) {
			switch {
			case add:
				j.appended(s)
			case nothing, program.FilesOf(j.c.Name) == program.FilesTee && files <= maxPaths && j.readsItself(o.Arg.Text):
				j.emptied(s)
			default:
				j.written(s)
			}
		}
	}
	if j.out == nil {
		j.safely(shell.IO, "tee", "copies its input to its output")
	}
}

// fedNothing reports whether standard input is known to be empty.
func (j *job) fedNothing() bool {
	if in := j.c.In; in != nil {
		return in.Complete && strings.TrimSpace(in.Text) == "" || len(in.From) > 0 && printsNothing(in.From[0])
	}
	for i := range j.c.Redir {
		r := &j.c.Redir[i]
		if r.Op == "<" && r.Target.Text == "/dev/null" || r.Op == "<<<" && strings.TrimSpace(r.Target.Text) == "" {
			return true
		}
	}
	return false
}

// printsNothing reports whether a call prints nothing, or nothing but an end of
// line.
func printsNothing(c *shell.Call) bool {
	switch kind := program.OutputOf(c.Name); {
	case c.Name == "":
		return c.Path == "" && len(c.Args) == 0
	case program.FilesOf(c.Name) == program.FilesNothing:
		// A { or loop that has the redirection prints what is in it.
		return c.Path == "" || path.Base(c.Path) == c.Name
	case kind == program.OutputPrints:
		return !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return !blank(w.Text) })
	case kind == program.OutputReads && len(c.Args) > 0:
		return has(c.Args, "-c0") || !slices.ContainsFunc(c.Args, func(w shell.Word) bool { return w.Text != "/dev/null" })
	case kind == program.OutputReads:
		return slices.ContainsFunc(c.Redir, func(r shell.Redirect) bool { return r.Op == "<" && r.Target.Text == "/dev/null" })
	}
	return false
}

// blank reports whether a word of echo or printf prints nothing but an end of line.
func blank(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "-n", "-e", "-en", "-ne", "%s", `\n`, `%s\n`, "%b":
		return true
	}
	return false
}

// truncate sets the size of files.
func (j *job) truncate() {
	var o program.Walk
	o.Start(j.c)
	size, ref, nothing := "", false, false
	for o.Next() {
		switch o.Name {
		case "s", "size":
			size = strings.TrimSpace(o.Arg.Text)
		case "r", "reference":
			ref, nothing = true, o.Arg.Text == "/dev/null"
		}
	}
	grows := size != "" && (size[0] == '+' || size[0] == '>' || size[0] == '%')
	shrinks := size != "" && (size[0] == '-' || size[0] == '<' || size[0] == '/' || strings.Trim(size, "0KMGTPEBkib") == "")
	o.Start(j.c)
	for o.Next() {
		if o.Name != "" || o.Arg.Text == "" {
			continue
		}
		for _, s := range j.spots(o.Arg) {
			a, v := j.outcome(&emptyTo, &empties, s)
			switch {
			case nothing:
			case grows && v == medium, !shrinks && v == medium && size != "" && image(s.path):
				v = safe
			case strings.Trim(size, "0123456789") == "" && size != "" && !image(s.path):
			case !shrinks && v == medium && (size != "" || ref):
				v = little // mostly a way to make a file of some size
			}
			j.mark(a, s, v)
		}
	}
	if j.out == nil {
		j.note(little, "overwrite", shell.FSOverwrite, "truncate-nothing", "empties files without naming any")
	}
}

// fallocate makes files larger, or makes holes in them.
func (j *job) fallocate() {
	var o program.Walk
	o.Start(j.c)
	holes := false
	for o.Next() {
		switch o.Name {
		case "p", "punch-hole", "c", "collapse-range", "z", "zero-range":
			holes = true
		case "":
			if o.Arg.Text == "" {
				continue
			}
			if s := j.spot(o.Arg); holes {
				j.emptied(s)
			} else {
				j.appended(s)
			}
		}
	}
	if j.out == nil {
		j.safely(shell.FSWrite, "create", "creates a file")
	}
}

// dd copies raw bytes.
func (j *job) dd() {
	var in, out shell.Word
	keeps := false
	for i := range j.c.Args {
		w := j.c.Args[i]
		name, val, _ := strings.Cut(w.Text, "=")
		switch name {
		case "if":
			in = w
			in.Text = val
		case "of":
			out = w
			out.Text = val
		case "conv", "oflag":
			keeps = keeps || strings.Contains(val, "append") || strings.Contains(val, "excl")
		}
	}
	if out.Text == "" {
		if in.Text != "" {
			if s := j.spot(in); s.zone == inDevice && disk(s.path) {
				j.mark(&reads, s, maybe)
				return
			}
		}
		j.safely(shell.IO, "dd", "copies data to its output")
		return
	}
	s := j.spot(out)
	blank := in.Text == "/dev/null" || facts.Endless(in.Text)
	switch {
	case keeps:
		j.appended(s)
	case blank:
		a, v := j.outcome(&emptyTo, &overwrite, s)
		switch {
		case s.zone == inNowhere && v != safe:
			v = lost
		case v == medium && s.zone == inProject && s.kind == "" && image(s.path):
			v = safe // a way to make a file of some size
		}
		j.mark(a, s, v)
	case s.zone == inNowhere:
		j.mark(&overwrite, s, lost)
	default:
		j.written(s)
	}
}

// touch, mkdir and mktemp lose nothing wherever they work.
func (j *job) create() {
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		if o.Name == "" && o.Arg.Text != "" {
			s := j.spot(o.Arg)
			v := safe
			if s.zone == inDevice || s.zone == inNowhere && !s.hole {
				v = little
			}
			j.mark(&creates, s, v)
		}
	}
	if j.out == nil {
		j.safely(shell.FSWrite, "create", "creates files or directories")
	}
}

// split writes pieces of a file, or hands them to a program. What the pieces are
// called, the roles of its words tell.
func (j *job) split() {
	var o program.Walk
	o.Start(j.c)
	for o.Next() {
		if o.Name == "filter" {
			j.runs("split-filter", "passes pieces of a file to a program")
			return
		}
	}
	j.note(safe, "write", shell.FSWrite, "split", "splits a file into pieces")
}

// sorted is sort, which prints unless -o says where to.
func (j *job) sorted() {
	var o program.Walk
	o.Start(j.c)
	var to shell.Word
	operands, nothing := 0, false
	for o.Next() {
		switch o.Name {
		case "o", "output":
			if o.Arg.Text != "" {
				to = o.Arg
			}
		case "":
			operands++
			nothing = o.Arg.Text == "/dev/null"
		case "compress-program":
			j.runs("sort-program", "runs a program to compress sort's temporary files")
		}
	}
	switch {
	case to.Text == "":
	case nothing && operands == 1:
		j.emptied(j.spot(to))
	default:
		j.edited(j.spot(to))
	}
	if j.out == nil {
		j.safely(shell.TextRead, "sort", "sorts text")
	}
}
