package resolve

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/checkrein/checkrein/internal/shell"
)

// read walks read and mapfile: variables that hold what flows in.
func (w *walker) read(c *command, name string) {
	var names []string
	array := name != "read"
	args := c.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if len(a) < 2 || a[0] != '-' {
			w.subscripted(a)
			names = append(names, a)
			continue
		}
		last := a[len(a)-1]
		if last == 'C' && name != "read" && i+1 < len(args) {
			w.code(args[i+1], c) // runs while lines are read
		}
		if last == 'a' && name == "read" {
			array = true
		} else if strings.IndexByte("dinNptuCcsO", last) >= 0 && !(last == 's' && name == "read") && !(last == 't' && name != "read") {
			i++
		}
	}
	if len(names) == 0 {
		names = []string{"REPLY"}
		if name != "read" {
			names[0] = "MAPFILE"
		}
	}
	text, from, sure := w.input(c, name == "read")
	if array {
		w.readArray(names[0], text, from, sure, name == "read")
		return
	}
	if !sure {
		for _, n := range names {
			if syntax.ValidName(n) {
				w.set(n, shell.Word{Text: hole, From: from})
			}
		}
		return
	}
	w.readFields(names, text)
}

// input is the line, or all, that a command reads.
func (w *walker) input(c *command, line bool) (text string, from []*shell.Call, sure bool) {
	if c.in == nil {
		return "", nil, false
	}
	text, from, sure = c.in.Text, c.in.From, c.in.Sure
	if !sure {
		return "", from, false
	}
	shared := c.in == w.in
	if shared {
		text = text[min(w.inPos, len(text)):]
	}
	if !line {
		return text, from, true
	}
	one, _, more := strings.Cut(text, "\n")
	if shared {
		w.inPos += len(one)
		if more {
			w.inPos++
		}
	}
	return one, from, true
}

func (w *walker) readArray(name, text string, from []*shell.Call, sure, words bool) {
	v := variable{name: name, array: true}
	if !sure {
		v.list = []shell.Word{{Text: hole, From: from}}
		w.put(v)
		return
	}
	if words {
		f := fields{w: w}
		f.split(shell.Word{Text: text})
		f.close()
		v.list = f.out
	} else {
		for line := range strings.Lines(text) {
			if len(v.list) >= maxWords {
				break
			}
			v.list = append(v.list, shell.Word{Text: strings.TrimSuffix(line, "\n")})
		}
	}
	w.put(v)
}

// readFields spreads a line over variables; the last one gets the rest.
func (w *walker) readFields(names []string, text string) {
	ifs := w.ifs()
	for i, n := range names {
		text = strings.TrimLeft(text, blanks(ifs))
		val := text
		if i < len(names)-1 {
			if j := strings.IndexAny(text, ifs); j >= 0 && ifs != "" {
				val, text = text[:j], text[j+1:]
			} else {
				text = ""
			}
		}
		if i == len(names)-1 {
			val = strings.TrimRight(val, blanks(ifs))
		}
		if syntax.ValidName(n) {
			w.set(n, shell.Word{Text: val})
		}
	}
}

// blanks are the characters of ifs that are white space.
func blanks(ifs string) string {
	if ifs == " \t\n" {
		return ifs
	}
	var b []byte
	for i := range len(ifs) {
		if strings.IndexByte(" \t\n", ifs[i]) >= 0 {
			b = append(b, ifs[i])
		}
	}
	return string(b)
}
