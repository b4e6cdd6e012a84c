package code

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A form is the kind of knowledge about a value.
type form uint8

const (
	unknown form = iota
	text         // the text is known; it may contain placeholders
	name         // an object with a dotted name: os.path.join
	list         // a list or map with known items
	choice       // one of several known items
)

// A taint is a set of the sources that a value comes from.
type taint uint16

const (
	fromFile    taint = 1 << iota // a file's content
	fromSecret                    // a file that holds secrets, or a secret variable
	fromEnv                       // the whole environment
	fromNet                       // a response from the network
	fromInput                     // standard input with unknown content
	fromCommand                   // the output of a command
	fromSetting                   // one secret variable
	fromLogin                     // one secret variable in a place for credentials, such as a header
	dynamic                       // an object looked up by an unknown name
)

// local are the sources whose data must not leave the machine.
const local = fromFile | fromSecret | fromEnv | fromInput | fromCommand | fromSetting | fromLogin

// A value is what is known about the result of an expression.
type value struct {
	text  string // the text, or the dotted name
	class string // of an object: Path, file, sock
	key   string // the keyword of an argument or the key of a map entry
	items []value
	recv  *value // the receiver of a method
	form  form
	taint taint
	glob  bool // the text is a pattern for file names
	num   bool // the text is a number
}

// homeMark stands for the home directory in a text.
const homeMark = "\uFFFB"

// textValue returns a value with the known text s.
func textValue(s string) value { return value{form: text, text: s} }

// maxText bounds the length of concatenated texts.
const maxText = 16 << 10

// str returns the text of v, with a placeholder for an unknown one.
func (v value) str() string {
	switch v.form {
	case text:
		return v.text
	case choice:
		if len(v.items) > 0 && len(v.items) <= maxChoice+1 {
			return v.items[0].str()
		}
	}
	return placeholder
}

// isKnown reports whether v is a text without placeholders.
func (v value) isKnown() bool { return v.form == text && !strings.Contains(v.text, placeholder) }

// isBlank reports whether nothing useful is known of v: its text consists of placeholders, slashes,
// dots and spaces.
func (v value) isBlank() bool {
	if v.form != text && v.form != choice {
		return true
	}
	s := strings.ReplaceAll(v.str(), placeholder, "")
	return strings.Trim(s, "/ .") == "" && strings.Contains(v.str(), placeholder)
}

// maxChoice bounds how many values a name may stand for, maxElements those that a
// loop sees one by one.
const (
	maxChoice   = 12
	maxElements = 64
)

// each calls do for every value that v may be, including the items of nested lists.
func (v value) each(do func(*value)) {
	if v.form != choice && v.form != list {
		do(&v)
		return
	}
	for i := range v.items {
		if v.items[i].form == choice || v.items[i].form == list {
			v.items[i].each(do)
			continue
		}
		do(&v.items[i])
	}
}

// join returns the concatenation of a and b as texts, or as lists if both are lists.
func join(a, b value) value {
	if a.form == list && b.form == list {
		out := value{form: list, taint: a.taint | b.taint}
		out.items = append(append(out.items, a.items...), b.items...)
		return out
	}
	if a.form == choice && len(a.items) <= maxChoice+1 {
		out := value{form: choice, taint: a.taint | b.taint}
		for i := range a.items {
			out.items = append(out.items, join(a.items[i], b))
		}
		return out
	}
	if b.form == choice && len(b.items) <= maxChoice+1 {
		out := value{form: choice, taint: a.taint | b.taint}
		for i := range b.items {
			if b.items[i].form == choice {
				return value{taint: out.taint}
			}
			out.items = append(out.items, join(a, b.items[i]))
		}
		return out
	}
	out := value{form: text, taint: a.taint | b.taint, glob: a.glob || b.glob}
	x, y := a.str(), b.str()
	if b.class == "listing" { // a name without its directory, which the code prepends
		y = "*"
	}
	if len(x)+len(y) > maxText {
		out.form = unknown
		return out
	}
	out.text = x + y
	return out
}

// either returns a value that may be a or b. Beyond maxChoice items, a single unknown value stands for
// the rest.
func either(a, b value) value {
	out := value{form: choice, taint: a.taint | b.taint}
	if a.form == choice {
		out.items = append(out.items, a.items...)
	} else {
		out.items = append(out.items, a)
	}
	if len(out.items) >= maxChoice { // an unknown value stands for all further ones
		out.items[maxChoice-1] = value{taint: out.items[maxChoice-1].taint}
		b = value{taint: b.taint}
	}
	out.items = append(out.items[:min(len(out.items), maxChoice)], b)
	return out
}

// appendChoice returns a value that may be a or b, without a limit on the number of items.
func appendChoice(a, b value) value {
	out := value{form: choice, taint: a.taint | b.taint, items: []value{a}}
	if a.form == choice {
		out.items = a.items[:len(a.items):len(a.items)]
	}
	out.items = append(out.items, b)
	return out
}

// element returns the value that a loop variable has in a loop over v.
func element(v value) value {
	switch v.form {
	case list:
		switch len(v.items) {
		case 0:
			return value{taint: v.taint}
		case 1:
			it := v.items[0]
			it.taint |= v.taint
			return it
		}
		out := value{form: choice, taint: v.taint, items: v.items}
		if len(out.items) > maxElements {
			out.items = append(out.items[:maxElements:maxElements], value{taint: v.taint}) // stands for all further items
		}
		return out
	case text:
		if v.glob {
			return v
		}
	case choice:
		if len(v.items) > 0 && v.items[0].form == list {
			return element(v.items[0])
		}
		if len(v.items) > 0 && v.items[0].glob { // a loop over one of several directories
			return v
		}
	}
	return value{taint: v.taint}
}

// keywordArg returns the argument that is passed under one of the names, also within an options
// object. Names are separated by spaces.
func keywordArg(args []value, names string) (value, bool) {
	for i := range args {
		if args[i].key != "" && facts.InList(names, args[i].key) {
			return args[i], true
		}
		if args[i].key == "" && args[i].form == list && i > 0 { // an options object
			for j := range args[i].items {
				if k := args[i].items[j].key; k != "" && facts.InList(names, k) {
					return args[i].items[j], true
				}
			}
		}
	}
	return value{}, false
}

// positionalArg returns the argument that is passed under one of the names, or else the n-th argument
// without a keyword.
func positionalArg(args []value, n int, names string) value {
	if names != "" {
		if v, ok := keywordArg(args, names); ok {
			return v
		}
	}
	for i := range args {
		if args[i].key != "" {
			continue
		}
		if n == 0 {
			return args[i]
		}
		n--
	}
	return value{}
}

// hasAnyPrefix reports whether s begins with one of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, w := range prefixes {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// containsAny reports whether s contains one of the parts.
func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// isTrue reports whether v is a literal that means true.
func isTrue(v value) bool {
	switch v.str() {
	case "True", "true", "TRUE", "1", "t", "T":
		return true
	}
	return v.form == name && (v.text == "True" || v.text == "true" || v.text == "TRUE" || v.text == "T")
}

// shellQuote returns v as one word of shell text. Patterns stay patterns, and the home directory
// becomes ~ or $HOME.
func shellQuote(v *value) string {
	s := v.str()
	if s == "" {
		return "''"
	}
	var b strings.Builder
	if strings.HasPrefix(s, homeMark) {
		s = s[len(homeMark):]
		if s == "" || s[0] == '/' {
			b.WriteByte('~')
		} else {
			b.WriteString(`"$HOME"`)
		}
	}
	if s == "" {
		return b.String()
	}
	if isPlainWord(s, v.glob) {
		b.WriteString(s)
		return b.String()
	}
	open := false
	mark := func(quoted bool) {
		if quoted != open {
			b.WriteByte('\'')
			open = quoted
		}
	}
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] == 0 || r == 0:
		case r == '\'':
			mark(false)
			b.WriteString(`\'`)
		case string(r) == homeMark:
			mark(false)
			b.WriteString(`"$HOME"`)
		case v.glob && strings.ContainsRune("*?[]/", r):
			mark(false)
			b.WriteRune(r)
		default:
			mark(true)
			b.WriteRune(r)
		}
	}
	mark(false)
	return b.String()
}

// isPlainWord reports whether s is a shell word that needs no quotes.
func isPlainWord(s string, glob bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isLetter(c) && c < 0x80, isDigit(c):
		case strings.IndexByte("/.-_+:,@%=", c) >= 0:
		case glob && strings.IndexByte("*?[]", c) >= 0:
		default:
			return false
		}
	}
	return s[0] != '='
}
