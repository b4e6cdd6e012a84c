package resolve

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// read walks read and mapfile: variables that hold what flows in.
func (w *walker) read(c *command, name string) {
	var names []string
	array := name != "read"
	args := c.words[1:]
	from := *c
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if len(a) < 2 || a[0] != '-' {
			names = append(names, a)
			continue
		}
		last := a[len(a)-1]
		if last == 'C' && name != "read" && i+1 < len(args) {
			w.code(args[i+1], c) // runs while lines are read
		}
		if fd := strings.IndexByte(a, 'u'); fd > 0 {
			w.readsFrom(&from, args[i:], a[fd+1:])
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
	text, by, sure := w.input(&from, name == "read")
	if array {
		w.readArray(names[0], text, by, sure, name == "read")
		return
	}
	if !sure {
		for _, n := range names {
			w.setNamed(n, shell.Word{Text: hole, From: by})
		}
		return
	}
	w.readFields(names, text, by)
}

// readsFrom makes the stream that -u names the input.
func (w *walker) readsFrom(c *command, args []shell.Word, fd string) {
	if fd == "" && len(args) > 1 {
		fd = args[1].Text
	}
	r := w.stream(c, fd)
	if r == nil {
		return
	}
	if c.in = w.reads(r); c.in == nil {
		c.in = fileFlow(r)
	}
}

// input is the line, or all, that a command reads.
func (w *walker) input(c *command, line bool) (text string, from []*shell.Call, sure bool) {
	if c.in == nil {
		if flow := fed(c); flow != nil {
			from = flow.From
		}
		return "", from, false
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
		v.list, v.more = []shell.Word{{Text: hole, From: from}}, true
		w.put(v)
		return
	}
	if words {
		f := fields{w: w}
		f.split(shell.Word{Text: text, From: from})
		f.close()
		v.list = f.out
	} else {
		for line := range strings.Lines(text) {
			if len(v.list) >= maxWords {
				w.tooMuch()
				break
			}
			v.list = append(v.list, shell.Word{Text: strings.TrimSuffix(line, "\n"), From: from})
		}
	}
	w.put(v)
}

// readFields spreads a line over variables; the last one gets the rest.
func (w *walker) readFields(names []string, text string, from []*shell.Call) {
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
		w.setNamed(n, shell.Word{Text: val, From: from})
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
