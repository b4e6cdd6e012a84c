package mask

import (
	"strings"

	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/secret"
)

// nesting is how deep JSON in a string of JSON is read as such. Beyond that it
// is a text.
const nesting = 4

// JSON implements Redactor.
func (c Conservative) JSON(val []byte) []byte {
	if rawjson.Check(val) != nil {
		w := walk{nesting: nesting, c: c} // what remains of it may be JSON
		return rawjson.Quote(w.masked(strings.ToValidUTF8(string(val), "\ufffd")))
	}
	known := secret.Cleaner{Want: secret.Secrets, Memory: c.Memory}
	val, _ = known.JSON(val)
	w := walk{c: c, b: val, s: string(val), out: make([]byte, 0, len(val)+len(Marker)), nesting: nesting}
	w.value(false)
	return w.out
}

// A walk goes through a value that passed Check and writes it masked.
type walk struct {
	c       Conservative
	b       []byte
	s       string // b, to take strings from without copies
	i       int
	out     []byte
	nesting int
	changed bool // something was masked
}

// next returns the first byte from here on that is not white space.
func (w *walk) next() byte {
	for kinds[w.s[w.i]] == space {
		w.i++
	}
	return w.s[w.i]
}

// take writes the byte at hand.
func (w *walk) take() {
	w.out = append(w.out, w.s[w.i])
	w.i++
}

// value writes the value at hand; hide masks all of its strings.
func (w *walk) value(hide bool) {
	switch w.next() {
	case '{':
		w.object(hide)
	case '[':
		w.array(hide)
	case '"':
		if raw, text := w.str(); hide {
			w.hidden(raw, text)
		} else {
			w.text(raw, text)
		}
	default:
		start := w.i
		w.skipScalar()
		w.out = append(w.out, w.s[start:w.i]...)
	}
}

// skipScalar moves behind a number or a literal.
func (w *walk) skipScalar() {
	for w.i < len(w.s) && kinds[w.s[w.i]]&inRun != 0 {
		w.i++
	}
}

func (w *walk) array(hide bool) {
	w.take()
	option := "" // the element before, if it is an option
	for {
		switch w.next() {
		case ']':
			w.take()
			return
		case ',':
			w.take()
		case '"':
			raw, text := w.str()
			if hide || takes(option, text) {
				w.hidden(raw, text)
				option = ""
			} else if option = w.text(raw, text); !strings.HasPrefix(option, "-") {
				option = ""
			}
		default:
			w.value(hide)
			option = ""
		}
	}
}

// takes reports whether an argument is the secret of the option before it.
func takes(option, arg string) bool {
	if option == "" || strings.HasPrefix(arg, "-") || flagStrength(secret.Meant(option)) < strong {
		return false
	}
	return !isUserFlag(option) || strings.Contains(arg, ":")
}

func (w *walk) object(hide bool) {
	w.take()
	named := plain // what the member "name" makes of the member "value"
	for {
		switch w.next() {
		case '}':
			w.take()
			return
		case ',', ':':
			w.take()
			continue
		}
		raw, key := w.str()
		masked := w.text(raw, key)
		level := max(judge(key), judge(masked), judgeMeant(key), judgeMeant(masked))
		w.next()
		w.take()
		kind := w.next()
		switch {
		case isNameKey(key) && kind == '"' && !hide && level <= weak:
			raw, text := w.str()
			named = max(judge(text), judge(w.text(raw, text)))
		case key == "value" || key == "Value":
			w.member(max(level, named), kind, hide)
		case level == strong && kind == '"' && isFolder(key, "/"):
			if raw, text := w.str(); hide || !isFolder(key, text) {
				w.hidden(raw, text)
			} else {
				w.text(raw, text)
			}
		default:
			w.member(level, kind, hide)
		}
	}
}

// judgeMeant judges a name as it is meant.
func judgeMeant(name string) strength {
	if meant := secret.Meant(name); meant != name {
		return judge(meant)
	}
	return plain
}

// isNameKey reports whether a key says how a value is called.
func isNameKey(key string) bool {
	switch key {
	case "name", "Name", "key", "Key", "header", "field", "variable":
		return true
	}
	return false
}

// member writes the value of a member whose key has been judged.
func (w *walk) member(level strength, kind byte, hide bool) {
	switch {
	case kind == '"' && (hide || level >= soft):
		w.hidden(w.str())
	case kind == '"' && level == weak:
		if raw, text := w.str(); oddity(text) >= 12 && mixed(text) {
			w.hidden(raw, text)
		} else {
			w.text(raw, text)
		}
	case kind == '{' || kind == '[':
		w.value(hide || level >= soft)
	case level >= strong && (kind == '-' || kinds[kind] == digit):
		w.skipScalar()
		w.mark()
	default:
		w.value(hide)
	}
}

// str returns the string at hand, as it is spelt and decoded, and moves behind
// it. A quote ends it unless the backslashes before it are odd in number.
func (w *walk) str() (raw, text string) {
	start := w.i
	for end := start + 1; ; end++ {
		from := end
		end += strings.IndexByte(w.s[end:], '"')
		k := end
		for k > from && w.s[k-1] == '\\' {
			k--
		}
		if (end-k)&1 == 0 {
			w.i = end + 1
			break
		}
	}
	raw = w.s[start:w.i]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, raw[1 : len(raw)-1]
	}
	text, _ = rawjson.Text(w.b[start:w.i])
	return raw, text
}

// hidden writes a string masked whole. There is nothing to mask in none.
func (w *walk) hidden(raw, text string) {
	if text == "" || text == Marker {
		w.out = append(w.out, raw...)
		return
	}
	w.mark()
}

func (w *walk) mark() {
	w.changed = true
	w.out = append(w.out, `"`+Marker+`"`...)
}

// text writes a string masked as a text, and returns that.
func (w *walk) text(raw, text string) string {
	masked := w.masked(text)
	if masked == text {
		w.out = append(w.out, raw...)
		return text
	}
	w.changed = true
	w.out = rawjson.AppendString(w.out, masked)
	return masked
}

// masked masks a string until nothing changes, which with JSON in it may be
// later than for either reading alone.
func (w *walk) masked(s string) string {
	for range rounds {
		t := w.c.Text(w.nested(s))
		if t == s {
			return s
		}
		s = t
	}
	return Marker
}

// nested masks a string that is JSON itself, as far as nesting goes.
func (w *walk) nested(s string) string {
	if w.nesting == 0 || len(s) < 4 {
		return s
	}
	at := 0
	for at < len(s) && kinds[s[at]] == space {
		at++
	}
	if at == len(s) || s[at] != '{' && s[at] != '[' && s[at] != '"' {
		return s
	}
	b := []byte(s)
	if rawjson.Check(b) != nil {
		return s
	}
	in := walk{c: w.c, b: b, s: s, out: make([]byte, 0, len(s)+len(Marker)), nesting: w.nesting - 1}
	if in.value(false); !in.changed {
		return s
	}
	return string(in.out)
}
