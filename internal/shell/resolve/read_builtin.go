package resolve

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/shell"
)

// A reading is what the words of a read or a mapfile ask for.
type reading struct {
	names  []string
	array  bool
	raw    bool   // a backslash means itself
	delim  string // ends what is read
	count  int    // characters at most, of mapfile lines; -1 = any number
	exact  bool   // as many characters, whatever they are
	skip   int    // lines of mapfile
	unsure bool   // a word that decides is not known
	back   *shell.Word
}

// readOptions are the options of read and of mapfile that take a value.
const (
	readOptions    = "adinNptu"
	mapfileOptions = "dnOsuCc"
)

// reading reads the words of a read or a mapfile; from becomes what it reads from.
func (w *walker) reading(from *command, name string) reading {
	r := reading{array: name != "read", raw: name != "read", delim: "\n", count: -1}
	takes := readOptions
	if name != "read" {
		takes = mapfileOptions
	}
	args := from.words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i].Text
		if len(a) < 2 || a[0] != '-' {
			r.names = append(r.names, a)
			continue
		}
		for j := 1; j < len(a); j++ {
			if strings.IndexByte(takes, a[j]) < 0 {
				r.raw = r.raw || a[j] == 'r'
				continue
			}
			val := shell.Word{Text: a[j+1:]}
			if val.Text == "" && i+1 < len(args) {
				i++
				val = args[i]
			}
			if a[j] == 'u' {
				w.readsFrom(from, val.Text)
			}
			r.option(a[j], val)
			break
		}
	}
	if len(r.names) == 0 {
		r.names = []string{"REPLY"}
		if name != "read" {
			r.names[0] = "MAPFILE"
		}
	}
	return r
}

// option takes in one option with its value.
func (r *reading) option(letter byte, val shell.Word) {
	number := func() int {
		n, err := strconv.Atoi(val.Text)
		r.unsure = r.unsure || err != nil || n < 0
		return n
	}
	switch letter {
	case 'a':
		r.array = true
		r.names = append([]string{val.Text}, r.names...)
	case 'd':
		r.delim = (val.Text + "\x00")[:1]
		r.unsure = r.unsure || strings.Contains(val.Text, hole)
	case 'n':
		r.count = number()
	case 'N':
		r.count, r.exact = number(), true
	case 's':
		r.skip = number()
	case 'O':
		r.unsure = r.unsure || number() != 0
	case 'C':
		r.back = &val
	}
}

// cut takes what one read takes off a text: the value, and how much of the text is
// gone then.
func (r *reading) cut(text string) (val string, used int) {
	var b strings.Builder
	for n := 0; used < len(text) && (r.count < 0 || n < r.count); n++ {
		rest := text[used:]
		if !r.exact && strings.HasPrefix(rest, r.delim) {
			used++
			break
		}
		if !r.raw && rest[0] == '\\' && len(rest) > 1 {
			if used += 2; rest[1] != '\n' {
				b.WriteByte(rest[1])
				// A blank that a backslash keeps from ending a word does so here.
				r.unsure = r.unsure || strings.IndexByte(" \t,:;", rest[1]) >= 0 && (r.array || len(r.names) > 1)
			}
			continue
		}
		_, size := utf8.DecodeRuneInString(rest)
		b.WriteString(rest[:size])
		used += size
	}
	return b.String(), used
}

// read walks read and mapfile: variables that hold what flows in.
func (w *walker) read(c *command, name string) {
	from := *c
	r := w.reading(&from, name)
	cut := r.cut
	if name != "read" {
		cut = nil
	}
	text, by, sure := w.input(&from, cut)
	sure = sure && !r.unsure
	if r.back != nil {
		w.callBack(c, *r.back, text, by, sure)
	}
	if len(by) == 0 && !sure {
		by = []*shell.Call{shaped} // whoever writes it
	}
	switch {
	case r.array:
		w.readArray(&r, text, by, sure, name == "read")
	case !sure:
		for _, n := range r.names {
			w.setNamed(n, shell.Word{Text: hole, From: by})
		}
	case r.exact:
		for i, n := range r.names {
			val := shell.Word{From: by}
			if i == 0 {
				val.Text = text
			}
			w.setNamed(n, val)
		}
	default:
		w.readFields(r.names, text, by)
	}
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

func (w *walker) readArray(r *reading, text string, from []*shell.Call, sure, words bool) {
	v := variable{name: r.names[0], array: true}
	if !sure {
		v.list, v.more = []shell.Word{{Text: hole, From: from}}, true
		w.put(v)
		return
	}
	if words {
		f := fields{w: &w.expander}
		f.split(shell.Word{Text: text, From: from})
		f.close()
		v.list = f.out
	} else {
		for line := range strings.SplitAfterSeq(text, r.delim) {
			if r.skip--; r.skip >= 0 || line == "" {
				continue
			}
			if r.count > 0 && len(v.list) >= r.count {
				break
			}
			if len(v.list) >= maxWords {
				w.tooMuch()
				break
			}
			v.list = append(v.list, shell.Word{Text: strings.TrimSuffix(line, r.delim), From: from})
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
