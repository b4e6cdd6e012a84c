package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// writeTo is the outcome of a program's output into a file.
var writeTo = [...]verdict{
	Nowhere: unsure, Root: high, System: high, Device: maybe, Home: maybe, HomeDots: maybe, HomeOther: maybe,
	ProjectRoot: safe, History: high, Project: safe, Generated: safe, Temp: safe, TempRoot: safe,
	Parent: maybe, Outside: maybe, Sink: safe,
}

// emptyTo is the outcome of emptying a file.
var emptyTo = [...]verdict{
	Nowhere: unsure, Root: high, System: high, Device: maybe, Home: high, HomeDots: high, HomeOther: high,
	ProjectRoot: medium, History: high, Project: medium, Generated: safe, Temp: safe, TempRoot: medium,
	Parent: high, Outside: high, Sink: safe,
}

// appendTo is the outcome of adding to the end of a file.
var appendTo = [...]verdict{
	Nowhere: unsure, Root: high, System: medium, Device: maybe, Home: maybe, HomeDots: maybe, HomeOther: safe,
	ProjectRoot: safe, History: medium, Project: safe, Generated: safe, Temp: safe, TempRoot: safe,
	Parent: little, Outside: little, Sink: safe,
}

// editTo is the outcome of changing a file in place.
var editTo = [...]verdict{
	Nowhere: unsure, Root: high, System: high, Device: high, Home: high, HomeDots: medium, HomeOther: medium,
	ProjectRoot: safe, History: high, Project: safe, Generated: safe, Temp: safe, TempRoot: medium,
	Parent: medium, Outside: medium, Sink: safe,
}

// outcome looks a spot up in one of the tables above, and sees to devices, what
// is protected, and installed software.
func outcome(table *[16]verdict, a *act, s spot) (*act, verdict) {
	v := table[s.zone]
	switch {
	case s.zone == Device && disk(s.path):
		return &raw, high
	case s.kind != "":
		return a, guarded(s)
	case s.zone == System && s.soft && table != &emptyTo:
		v = maybe
	case s.zone == Nowhere && s.hole && s.made:
		v = little
	}
	return a, v
}

// guarded is the outcome of writing to a protected file.
func guarded(s spot) verdict {
	switch s.kind {
	case KindShell, KindHistory, KindGitHooks, KindCloud:
		if s.zone == System {
			return high
		}
		return medium
	case KindHost, KindCheckrein:
		if s.zone == Project {
			return medium
		}
	}
	return high
}

// written marks a program's output into a file.
func (j *job) written(s spot) {
	a, v := outcome(&writeTo, &writes, s)
	j.mark(a, s, v)
}

func (j *job) emptied(s spot) {
	a, v := outcome(&emptyTo, &empties, s)
	j.mark(a, s, v)
}

func (j *job) appended(s spot) {
	a, v := outcome(&appendTo, &appends, s)
	j.mark(a, s, v)
}

func (j *job) edited(s spot) {
	a, v := outcome(&editTo, &edits, s)
	j.mark(a, s, v)
}

// tee writes what flows through it into files.
func (j *job) tee() {
	o := options{args: j.c.Args, long: "append ignore-interrupts output-error"}
	add := false
	for o.next() {
		add = add || o.name == "a" || o.name == "append"
	}
	nothing := j.fedNothing()
	o = options{args: j.c.Args, long: o.long}
	for o.next() {
		if o.name != "" || o.arg.Text == "" || o.arg.Text == "-" {
			continue
		}
		switch s := j.spot(o.arg); {
		case add:
			j.appended(s)
		case nothing:
			j.emptied(s)
		default:
			j.written(s)
		}
	}
	if j.out == nil {
		j.safely("io", "tee", "passes text on")
	}
}

// fedNothing reports whether standard input is known to be empty.
func (j *job) fedNothing() bool {
	if in := j.c.In; in != nil {
		return in.Sure && strings.TrimSpace(in.Text) == "" || len(in.From) > 0 && printsNothing(in.From[0])
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
	switch c.Name {
	case ":":
		// A { or loop that has the redirection prints what is in it.
		return c.Path == ":" || c.Path == ""
	case "true", "false":
		return true
	case "":
		return c.Path == "" && len(c.Args) == 0
	case "echo", "printf":
		for i := range c.Args {
			t := c.Args[i].Text
			if i == 0 && (t == "-n" || t == "-e" || t == "-en" || t == "-ne") || strings.TrimSpace(t) == "" {
				continue
			}
			if c.Name == "printf" && i == 0 && (t == "%s" || t == `\n` || t == `%s\n` || t == "%b") {
				continue
			}
			return false
		}
		return true
	case "cat":
		for i := range c.Args {
			if c.Args[i].Text != "/dev/null" {
				return false
			}
		}
		if len(c.Args) > 0 {
			return true
		}
		for i := range c.Redir {
			if c.Redir[i].Op == "<" && c.Redir[i].Target.Text == "/dev/null" {
				return true
			}
		}
	case "head":
		return len(c.Args) > 0 && (c.Args[0].Text == "-c0" || len(c.Args) > 1 && c.Args[0].Text == "-c" && c.Args[1].Text == "0")
	}
	return false
}

// truncate sets the size of files.
func (j *job) truncate() {
	o := options{args: j.c.Args, value: "sr", long: "size= reference= no-create io-blocks"}
	size, ref := "", false
	for o.next() {
		switch o.name {
		case "s", "size":
			size = strings.TrimSpace(o.arg.Text)
		case "r", "reference":
			ref = true
		}
	}
	grows := size != "" && (size[0] == '+' || size[0] == '>' || size[0] == '%')
	shrinks := size != "" && (size[0] == '-' || size[0] == '<' || size[0] == '/' || strings.Trim(size, "0KMGTPEBkib") == "")
	o = options{args: j.c.Args, value: o.value, long: o.long}
	for o.next() {
		if o.name != "" || o.arg.Text == "" {
			continue
		}
		s := j.spot(o.arg)
		a, v := outcome(&emptyTo, &empties, s)
		switch {
		case grows && v == medium:
			v = safe
		case !shrinks && v == medium && (size != "" || ref):
			v = little // mostly a way to make a file of some size
		}
		j.mark(a, s, v)
	}
	if j.out == nil {
		j.note(little, "overwrite", "fs-overwrite", "filesystem", "truncate-nothing", "empties files, but names none")
	}
}

// fallocate makes files larger, or makes holes in them.
func (j *job) fallocate() {
	o := options{args: j.c.Args, value: "lo", long: "punch-hole collapse-range zero-range insert-range dig-holes keep-size length= offset= posix"}
	holes := false
	for o.next() {
		switch o.name {
		case "p", "punch-hole", "c", "collapse-range", "z", "zero-range":
			holes = true
		case "":
			if o.arg.Text == "" {
				continue
			}
			if s := j.spot(o.arg); holes {
				j.emptied(s)
			} else {
				j.appended(s)
			}
		}
	}
	if j.out == nil {
		j.safely("fs-write", "create", "creates a file")
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
			if s := j.spot(in); s.zone == Device && disk(s.path) {
				j.mark(&reads, s, maybe)
				return
			}
		}
		j.safely("io", "dd", "copies bytes to its output")
		return
	}
	s := j.spot(out)
	blank := in.Text == "/dev/zero" || in.Text == "/dev/urandom" || in.Text == "/dev/random" || in.Text == "/dev/null"
	switch {
	case keeps:
		j.appended(s)
	case blank:
		a, v := outcome(&emptyTo, &overwrite, s)
		if s.zone == Nowhere {
			v = lost
		}
		j.mark(a, s, v)
	case s.zone == Nowhere:
		j.mark(&overwrite, s, lost)
	default:
		j.written(s)
	}
}

// touch, mkdir and mktemp lose nothing wherever they work.
func (j *job) create(value, long string) {
	o := options{args: j.c.Args, value: value, long: long}
	for o.next() {
		if o.name == "" && o.arg.Text != "" {
			s := j.spot(o.arg)
			v := safe
			if s.zone == Device || s.zone == Nowhere && !s.hole {
				v = little
			}
			j.mark(&creates, s, v)
		}
	}
	if j.out == nil {
		j.safely("fs-write", "create", "creates files or directories")
	}
}

// split writes pieces of a file, or hands them to a program.
func (j *job) split() {
	o := options{args: j.c.Args, value: "abClntfb", long: "filter= suffix-length= bytes= line-bytes= lines= number= separator= additional-suffix= prefix= suffix-format= digits="}
	for o.next() {
		if o.name == "filter" {
			j.runs("split-filter", "hands the pieces of a file to a program")
			return
		}
	}
	j.note(safe, "write", "fs-write", "filesystem", "split", "writes pieces of a file")
}

// An output is an option of some program that names a file to write.
type output struct {
	name  string // programs, separated by |
	short byte   // 0 = none
	long  string
}

// outputs are programs that others know, but whose output option can hit a file
// that must not be hit.
var outputs = [...]output{
	{"curl", 'o', "--output"}, {"wget", 'O', "--output-document"}, {"wget2", 'O', "--output-document"}, {"sort", 'o', "--output"},
	{"gcc", 'o', ""}, {"cc", 'o', ""}, {"clang", 'o', ""}, {"g++", 'o', ""}, {"go", 'o', "-o"}, {"rustc", 'o', ""},
	{"openssl", 0, "-out"}, {"gpg", 'o', "--output"}, {"age", 'o', "--output"}, {"pandoc", 'o', "--output"}, {"base64", 'o', "--output"},
	{"pg_dump", 'f', "--file"}, {"tree", 'o', ""}, {"strace", 'o', "--output"}, {"ssh-keygen", 'f', ""}, {"xmllint", 0, "--output"},
	{"aria2c", 'o', "--out"}, {"yq", 0, "--output"}, {"tcpdump", 'w', ""}, {"objcopy", 0, ""}, {"script", 0, ""}, {"http", 'o', "--output"},
}

// output marks only what is bad: the program's own effects are not known here.
func (j *job) output() {
	for i := range outputs {
		o := &outputs[i]
		if o.name != j.c.Name {
			continue
		}
		for k := range j.c.Args {
			w, ok := o.value(j.c.Args, k)
			if !ok || w.Text == "" || w.Text == "-" {
				continue
			}
			s := j.spot(w)
			a, v := outcome(&writeTo, &overwrite, s)
			if v.label() == shell.Destructive && !(j.c.Name == "ssh-keygen" && s.kind == KindKeys) {
				j.mark(a, s, v)
			}
		}
	}
}

// value is the file that the argument at k names, or that follows it.
func (o *output) value(args []shell.Word, k int) (w shell.Word, ok bool) {
	w = args[k]
	t := w.Text
	if len(t) < 2 || t[0] != '-' {
		return w, false
	}
	if o.long != "" {
		if t == o.long && k+1 < len(args) {
			return args[k+1], true
		}
		if rest, is := strings.CutPrefix(t, o.long); is && rest != "" && rest[0] == '=' {
			w.Text = rest[1:]
			return w, true
		}
	}
	if o.short == 0 || t[1] == '-' {
		return w, false
	}
	i := strings.IndexByte(t, o.short)
	switch {
	case i < 0 || i > 4:
		return w, false
	case i == len(t)-1 && k+1 < len(args):
		return args[k+1], true
	}
	w.Text = t[i+1:]
	return w, w.Text != "" && (i == 1 || strings.ContainsAny(w.Text[:1], "/~."))
}

// sorted is sort, which prints unless -o says where to.
func (j *job) sorted() {
	o := options{args: j.c.Args, value: "okSTt", long: "output= key= buffer-size= temporary-directory= field-separator= compress-program= parallel= files0-from= batch-size= sort= random-source="}
	for o.next() {
		switch o.name {
		case "o", "output":
			if o.arg.Text != "" {
				j.edited(j.spot(o.arg))
			}
		case "compress-program":
			j.runs("sort-program", "runs a program to compress what it sorts")
		}
	}
	if j.out == nil {
		j.safely("text-read", "sort", "sorts text")
	}
}
