package files

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// An output is an option of some program that names a file to write.
type output struct {
	name  string // programs, separated by |
	short byte   // 0 = none
	long  string
}

// outputs are programs that others know, but whose output option can hit a file
// that must not be hit.
var outputs = [...]output{
	{"curl", 'o', "--output"}, {"wget", 'O', "--output-document"}, {"wget2", 'O', "--output-document"}, {"wget", 'P', "--directory-prefix"}, {"sort", 'o', "--output"},
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
			switch {
			case j.c.Name == "ssh-keygen" && s.kind == kindKeys:
				j.mark(&creates, s, safe) // it is there for that
			case v.label() == shell.Destructive:
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
