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
	var back *shell.Word // of mapfile -C
	from := *c
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if len(a) < 2 || a[0] != '-' {
			names = append(names, a)
			continue
		}
		last := a[len(a)-1]
		if last == 'C' && name != "read" && i+1 < len(args) {
			back = &args[i+1]
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
	if back != nil {
		w.callBack(c, *back, text, by, sure)
	}
	if len(by) == 0 && !sure {
		by = []*shell.Call{shaped} // whoever writes it
	}
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

// callBack walks what mapfile runs while it reads: a text, with the number of a line
// and the line behind it.
func (w *walker) callBack(c *command, text shell.Word, in string, by []*shell.Call, sure bool) {
	if !sure {
		in = hole
	}
	for line := range strings.Lines(in) {
		one := text
		one.Text += " 0 " + quote(strings.TrimSuffix(line, "\n"))
		if one.From = addFrom(one.From, by); !w.round() {
			w.tooMuch()
			return
		}
		inner := *c
		inner.data = true
		w.code(one, &inner)
	}
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
