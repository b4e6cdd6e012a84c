package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// output marks only what is bad: the program's own effects are not known here.
func (j *job) output() {
	name := toolName(j.c.Name)
	for i := firstOutput(name); i < len(outputs) && outputs[i].name == name; i++ {
		o := &outputs[i]
		if !o.fits(j.c.Args) {
			continue
		}
		into := o.directory(j.c.Args)
		for k := range j.c.Args {
			w, ok := o.value(j.c.Args, k)
			if !ok || w.Text == "" || w.Text == "-" {
				continue
			}
			if into != "" && w.Text[0] != '/' && w.Text[0] != '~' {
				w.Text = into + "/" + w.Text
			}
			j.outputTo(w)
		}
		if o.fetches && into != "" {
			j.outputInto(into)
		}
		if o.word != noWord {
			j.outputWords(o)
		}
	}
}

// outputTo marks a file that a program writes.
func (j *job) outputTo(w shell.Word) {
	s := j.spot(w)
	a, v := j.outcome(&writeTo, &overwrite, s)
	switch {
	case j.c.Name == "ssh-keygen" && s.kind == kindKeys:
		j.mark(&creates, s, safe) // it is there for that
	case v.label() == shell.Destructive:
		j.mark(a, s, v)
	}
}

// outputInto marks a directory that gets files of names that are not known, when
// what lies there is protected.
func (j *job) outputInto(dir string) {
	s := j.base.locate(dir)
	if a, v := j.outcome(&writeTo, &overwrite, s); v.label() == shell.Destructive {
		j.mark(a, s, v)
		return
	}
	if s = j.base.locate(dir + "/authorized_keys"); s.kind != "" {
		j.mark(&writes, s, guarded(s))
	}
}

// outputWords marks the words that name what a program writes.
func (j *job) outputWords(o *output) {
	var words []shell.Word
	for i := 0; i < len(j.c.Args); i++ {
		switch t := j.c.Args[i].Text; {
		case len(t) > 1 && t[0] == '-':
			if isListed(o.values, t) {
				i++
			}
		default:
			words = append(words, j.c.Args[i])
		}
	}
	for n := strings.Count(o.sub, "/") + 1; o.sub != "" && n > 0 && len(words) > 0; n-- {
		words = words[1:]
	}
	switch o.word {
	case firstWord:
		if len(words) > 0 {
			j.outputTo(words[0])
		}
	case secondWord:
		if len(words) > 1 {
			j.outputTo(words[1])
		}
	case lastWord:
		if len(words) > 1 {
			j.outputTo(words[len(words)-1])
		}
	case behindOutput:
		for i := range words {
			if words[i].Text == "output" && i+1 < len(words) {
				j.outputTo(words[i+1])
			}
		}
	case eachWord:
		for _, w := range words {
			s := j.spot(w)
			if a, v := j.outcome(&editTo, &edits, s); v.label() == shell.Destructive {
				j.mark(a, s, v)
			}
		}
	}
}

// fits reports whether a call has the subcommand and one of the options that a row is
// about.
func (o *output) fits(args []shell.Word) bool {
	if o.sub != "" {
		at := 0
		for want := range strings.SplitSeq(o.sub, "/") {
			for at < len(args) && strings.HasPrefix(args[at].Text, "-") {
				at++
			}
			if at >= len(args) || want != "*" && args[at].Text != want {
				return false
			}
			at++
		}
	}
	if o.needs == "" {
		return true
	}
	for i := range args {
		name, _, _ := strings.Cut(args[i].Text, "=")
		if isListed(o.needs, name) {
			return true
		}
	}
	return false
}

// directory is the directory that an option puts the files in; "" = none.
func (o *output) directory(args []shell.Word) string {
	if o.into == "" {
		return ""
	}
	for i := range args {
		name, val, given := strings.Cut(args[i].Text, "=")
		switch {
		case !isListed(o.into, name):
		case given:
			return strings.TrimRight(val, "/")
		case i+1 < len(args):
			return strings.TrimRight(args[i+1].Text, "/")
		}
	}
	return ""
}

// value is the file that the argument at k names, or that follows it.
func (o *output) value(args []shell.Word, k int) (w shell.Word, ok bool) {
	w = args[k]
	t := w.Text
	if len(t) < 2 || t[0] != '-' {
		return w, false
	}
	if isListed(o.long, t) && k+1 < len(args) {
		return args[k+1], true
	}
	if name, val, given := strings.Cut(t, "="); given && isListed(o.long, name) {
		w.Text = val
		return w, true
	}
	if o.short == "" || t[1] == '-' {
		return w, false
	}
	i := strings.IndexAny(t, o.short)
	switch {
	case i < 0 || i > 4:
		return w, false
	case i == len(t)-1 && k+1 < len(args):
		return args[k+1], true
	}
	w.Text = t[i+1:]
	return w, w.Text != "" && (i == 1 || strings.ContainsAny(w.Text[:1], "/~."))
}

// isListed reports whether a word is one of a list.
func isListed(list, word string) bool {
	for list != "" {
		var one string
		one, list, _ = strings.Cut(list, " ")
		if one == word {
			return true
		}
	}
	return false
}

// toolName is a program of a toolchain without the machine that it builds for:
// aarch64-linux-gnu-gcc.
func toolName(name string) string {
	dash := strings.LastIndexByte(name, '-')
	if dash < 0 {
		return name
	}
	switch last := name[dash+1:]; last {
	case "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "ar", "objcopy", "strip", "gfortran":
		return last
	}
	return name
}

// firstOutput is the place of a program's first row, or where it would be.
func firstOutput(name string) int {
	lo, hi := 0, len(outputs)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if outputs[m].name < name {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// outputName reports whether a program has a row in outputs.
func outputName(name string) bool {
	name = toolName(name)
	i := firstOutput(name)
	return i < len(outputs) && outputs[i].name == name
}
