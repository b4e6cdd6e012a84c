package strict

import (
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/decode"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// nesting is how deep JSON in a string of JSON is read as such. Beyond that it
// is a text.
const nesting = 4

// JSON returns val compact, with every string and key masked as a text, and
// the strings and numbers of members whose keys name a secret masked whole.
// A val that is not JSON is taken as a text; the result is then its string.
func (c Redactor) JSON(val []byte) []byte {
	if rawjson.Check(val) != nil {
		w := walker{nesting: nesting, c: c} // what remains of it may be JSON
		return rawjson.Quote(w.masked(strings.ToValidUTF8(string(val), "\ufffd")))
	}
	known := secret.Cleaner{Want: rules.Secrets, Memory: c.Memory}
	val, _ = known.JSON(val)
	w := walker{c: c, s: string(val), out: make([]byte, 0, len(val)+len(secret.Marker)), nesting: nesting}
	w.value(false)
	return w.out
}

// A walker goes through a value that passed Check and writes it masked.
type walker struct {
	c       Redactor
	s       string
	i       int
	out     []byte
	nesting int
	changed bool // something was masked

	level  uint8 // how strings are masked
	spaces bool  // white space stays
	room   int   // how much is written at most; 0 = all
	from   int   // from where on something is written
	full   bool  // there is no room left
	bare   bool  // the string at hand has no opening quote
	cut    bool  // nor a closing one: there is room for a part of it only
}

// next returns the first byte from here on that is not white space.
func (w *walker) next() byte {
	for byteKinds[w.s[w.i]] == spaceKind {
		if w.spaces {
			w.take()
		} else {
			w.i++
		}
	}
	return w.s[w.i]
}

// take writes the byte at hand.
func (w *walker) take() {
	w.i++
	w.write(w.s[w.i-1 : w.i])
}

// write writes what ends before the place at hand, if there is room for it.
func (w *walker) write(s string) {
	if w.i <= w.from || w.full {
		return
	}
	w.out = append(w.out, s...)
	w.full = w.room > 0 && len(w.out) >= w.room
}

// value writes the value at hand; hide masks all of its strings.
func (w *walker) value(hide bool) {
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
		w.write(w.s[start:w.i])
	}
}

// skipScalar moves behind a number or a literal.
func (w *walker) skipScalar() {
	for w.i < len(w.s) && byteKinds[w.s[w.i]]&inRun != 0 {
		w.i++
	}
}

func (w *walker) array(hide bool) {
	w.take()
	option := "" // the element before, if it is an option
	for !w.full {
		switch w.next() {
		case ']':
			w.take()
			return
		case ',':
			w.take()
		case '"':
			raw, text := w.str()
			if hide || takesSecret(option, text) {
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

// takesSecret reports whether an argument is the secret of the option before it.
func takesSecret(option, arg string) bool {
	if option == "" || strings.HasPrefix(arg, "-") || flagStrength(decode.Meant(option)) < strongName {
		return false
	}
	return !isUserFlag(option) || strings.Contains(arg, ":")
}

func (w *walker) object(hide bool) {
	w.take()
	named := plainName // what the member "name" makes of the member "value"
	for !w.full {
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
		if w.full {
			return
		}
		level := max(strengthOf(key), strengthOf(masked), judgeMeant(key), judgeMeant(masked))
		w.next()
		w.take()
		kind := w.next()
		switch {
		case isNameKey(key) && kind == '"' && !hide && level <= weakName:
			raw, text := w.str()
			named = max(strengthOf(text), strengthOf(w.text(raw, text)))
		case key == "value" || key == "Value":
			w.member(max(level, named), kind, hide)
		case level == strongName && kind == '"' && isFolder(key, "/"):
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
func judgeMeant(name string) nameStrength {
	if meant := decode.Meant(name); meant != name {
		return strengthOf(meant)
	}
	return plainName
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
func (w *walker) member(level nameStrength, kind byte, hide bool) {
	switch {
	case kind == '"' && (hide || level >= softName):
		w.hidden(w.str())
	case kind == '"' && level == weakName:
		if raw, text := w.str(); oddity(text) >= 12 && hasBoth(text) {
			w.hidden(raw, text)
		} else {
			w.text(raw, text)
		}
	case kind == '{' || kind == '[':
		w.value(hide || level >= softName)
	case level >= strongName && (kind == '-' || byteKinds[kind] == digitKind):
		w.skipScalar()
		w.mark(secret.Marker)
	default:
		w.value(hide)
	}
}

// str returns the string at hand, as it is spelt and decoded, and moves behind
// it. A quote ends it unless the backslashes before it are odd in number. A string for
// which there is no room is not gone through to its end: the walk ends in it.
func (w *walker) str() (raw, text string) {
	start, stop := w.i, len(w.s)
	if w.room > 0 {
		stop = min(stop, start+max(1, w.room-len(w.out)))
	}
	for end := start + 1; ; end++ {
		from := end
		n := strings.IndexByte(w.s[end:stop], '"')
		if n < 0 {
			w.i = stop + 1
			break
		}
		end += n
		k := end
		for k > from && w.s[k-1] == '\\' {
			k--
		}
		if (end-k)&1 == 0 {
			w.i = end + 1
			break
		}
	}
	return w.part(w.s[start:w.i])
}

// hidden writes a string masked whole. There is nothing to mask in none.
func (w *walker) hidden(raw, text string) {
	if text == "" || text == secret.MarkerFor(text) {
		w.put(raw)
		return
	}
	w.mark(secret.MarkerFor(text))
}

func (w *walker) mark(with string) {
	w.changed = true
	w.put(`"` + with + `"`)
}

// put writes what stands for the string at hand.
func (w *walker) put(s string) {
	if w.i > w.from && !w.full {
		w.out = append(w.out, s...)
	}
	w.bare, w.full = false, w.full || w.cut
}

// text writes a string masked as a text, and returns that.
func (w *walker) text(raw, text string) string {
	if w.i <= w.from {
		return text
	}
	masked := w.masked(text)
	if masked == text {
		w.put(raw)
		return text
	}
	w.changed = true
	quoted := string(rawjson.Quote(masked))
	if w.bare {
		quoted = quoted[1:]
	}
	if w.cut {
		quoted = quoted[:len(quoted)-1]
	}
	w.put(quoted)
	return masked
}

// masked masks a string until nothing changes, which with JSON in it may be
// later than for either reading alone.
func (w *walker) masked(s string) string {
	for range rounds {
		t := w.c.masked(w.nested(s), w.level)
		if t == s {
			return s
		}
		s = t
	}
	return secret.Marker
}

// nested masks a string that is JSON itself, as far as nesting goes.
func (w *walker) nested(s string) string {
	if w.nesting == 0 || len(s) < 4 {
		return s
	}
	at := 0
	for at < len(s) && byteKinds[s[at]] == spaceKind {
		at++
	}
	if at == len(s) || s[at] != '{' && s[at] != '[' && s[at] != '"' {
		return s
	}
	if rawjson.Check([]byte(s)) != nil {
		return s
	}
	in := walker{c: w.c, s: s, out: make([]byte, 0, len(s)+len(secret.Marker)), nesting: w.nesting - 1}
	if in.value(false); !in.changed {
		return s
	}
	return string(in.out)
}
