package code

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A form classifies what is known about a value.
type form uint8

const (
	unknown form = iota
	text         // a string whose text is known, except for placeholders in it
	name         // an object with a dotted name, such as os.path.join
	list         // a list or map with known items
	choice       // one of several items
)

// A taint is the set of sources that a value comes from.
type taint uint16

const (
	fromFile    taint = 1 << iota // the contents of a file
	fromSecret                    // the contents of a file of secrets
	fromEnv                       // all environment variables
	fromNet                       // a response from the network
	fromInput                     // standard input whose contents are unknown
	fromCommand                   // the output of a command
	fromSetting                   // a single secret, such as one variable or one token
	fromLogin                     // a single secret where credentials belong, such as in a header
	dynamic                       // an attribute that was looked up by an unknown name
)

// local is the set of sources whose data must not leave the machine.
const local = fromFile | fromSecret | fromEnv | fromInput | fromCommand | fromSetting | fromLogin

// A value is what is known about the result of an expression. The zero value is unknown.
type value struct {
	text  string  // the text, or the dotted name
	class string  // the kind of an object, such as "Path", "file" or "sock"
	key   string  // the keyword of an argument or the key of a map entry
	items []value // the items of a list or choice
	recv  *value  // the receiver of a method
	form  form
	taint taint
	glob  bool // the text is a file name pattern
	num   bool // the text is a number
}

// homeMark stands for the path of the home directory in a value's text.
const homeMark = "\uFFFB"

// textValue returns a value for the known string s.
func textValue(s string) value { return value{form: text, text: s} }

// maxText is the maximum length of a computed string in bytes. Longer strings become unknown.
const maxText = 16 << 10

// str returns the text of v, or of its first item if v is a choice. It returns a placeholder if that
// is unknown.
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

// isKnownText reports whether v is a string without placeholders.
func (v value) isKnownText() bool { return v.form == text && !strings.Contains(v.text, placeholder) }

// isBlank reports whether nothing useful is known about the text of v, because it consists of
// placeholders, slashes, dots and spaces.
func (v value) isBlank() bool {
	if v.form != text && v.form != choice {
		return true
	}
	s := strings.ReplaceAll(v.str(), placeholder, "")
	return strings.Trim(s, "/ .") == "" && strings.Contains(v.str(), placeholder)
}

const (
	maxChoice   = 12 // alternatives of a choice
	maxElements = 64 // list items that a loop variable may stand for
)

// eachLeaf calls do for v, or for each item of v if v is a choice or a list. Items that are choices or
// lists are traversed recursively.
func (v value) eachLeaf(do func(*value)) {
	if v.form != choice && v.form != list {
		do(&v)
		return
	}
	for i := range v.items {
		if v.items[i].form == choice || v.items[i].form == list {
			v.items[i].eachLeaf(do)
			continue
		}
		do(&v.items[i])
	}
}

// concat returns the concatenation of two lists, or else of the texts of a and b. If an operand is a
// choice, so is the result. A result longer than maxText is unknown.
func concat(a, b value) value {
	if a.form == list && b.form == list {
		out := value{form: list, taint: a.taint | b.taint}
		out.items = append(append(out.items, a.items...), b.items...)
		return out
	}
	if a.form == choice && len(a.items) <= maxChoice+1 {
		out := value{form: choice, taint: a.taint | b.taint}
		for i := range a.items {
			out.items = append(out.items, concat(a.items[i], b))
		}
		return out
	}
	if b.form == choice && len(b.items) <= maxChoice+1 {
		out := value{form: choice, taint: a.taint | b.taint}
		for i := range b.items {
			if b.items[i].form == choice {
				return value{taint: out.taint}
			}
			out.items = append(out.items, concat(a, b.items[i]))
		}
		return out
	}
	out := value{form: text, taint: a.taint | b.taint, glob: a.glob || b.glob}
	x, y := a.str(), b.str()
	if b.class == "listing" { // the code prepends the directory itself
		y = "*"
	}
	if len(x)+len(y) > maxText {
		out.form = unknown
		return out
	}
	out.text = x + y
	return out
}

// choiceOf returns a value that may be a or b. If it has more than maxChoice items, a single unknown
// value replaces the rest.
func choiceOf(a, b value) value {
	out := value{form: choice, taint: a.taint | b.taint}
	if a.form == choice {
		out.items = append(out.items, a.items...)
	} else {
		out.items = append(out.items, a)
	}
	if len(out.items) >= maxChoice {
		out.items[maxChoice-1] = value{taint: out.items[maxChoice-1].taint}
		b = value{taint: b.taint}
	}
	out.items = append(out.items[:min(len(out.items), maxChoice)], b)
	return out
}

// appendChoice returns a value that may be a or b. Unlike choiceOf, it does not limit the number of
// items.
func appendChoice(a, b value) value {
	out := value{form: choice, taint: a.taint | b.taint, items: []value{a}}
	if a.form == choice {
		out.items = a.items[:len(a.items):len(a.items)]
	}
	out.items = append(out.items, b)
	return out
}

// loopElement returns the value of the variable in a loop over v. It is a choice if v is a list of
// several items.
func loopElement(v value) value {
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
			out.items = append(out.items[:maxElements:maxElements], value{taint: v.taint}) // for all further items
		}
		return out
	case text:
		if v.glob {
			return v
		}
	case choice:
		if len(v.items) > 0 && v.items[0].form == list {
			return loopElement(v.items[0])
		}
		if len(v.items) > 0 && v.items[0].glob { // a loop over one of several directories
			return v
		}
	}
	return value{taint: v.taint}
}

// keywordArg returns the argument whose keyword is one of names, which are separated by spaces. It
// also searches options objects after the first argument. It reports false if there is no such
// argument.
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

// namedOrNthArg returns the argument whose keyword is one of names, or else the n-th argument without
// a keyword, counted from 0. It returns an unknown value if there is neither.
func namedOrNthArg(args []value, n int, names string) value {
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

// hasAnyPrefix reports whether s begins with any of the prefixes.
func hasAnyPrefix(s string, prefixes ...string) bool {
	for _, w := range prefixes {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}

// containsAny reports whether s contains any of the parts.
func containsAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// isTrueLiteral reports whether v is a literal for true in one of the languages, such as True, TRUE or
// 1.
func isTrueLiteral(v value) bool {
	switch v.str() {
	case "True", "true", "TRUE", "1", "t", "T":
		return true
	}
	return v.form == name && (v.text == "True" || v.text == "true" || v.text == "TRUE" || v.text == "T")
}

// shellQuote returns v as a single shell word. Wildcards of a pattern stay unquoted, and the home
// directory becomes ~ or $HOME.
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
	setQuoted := func(quoted bool) {
		if quoted != open {
			b.WriteByte('\'')
			open = quoted
		}
	}
	for i, r := range s {
		switch {
		case r == utf8.RuneError && s[i] == 0 || r == 0:
		case r == '\'':
			setQuoted(false)
			b.WriteString(`\'`)
		case string(r) == homeMark:
			setQuoted(false)
			b.WriteString(`"$HOME"`)
		case v.glob && strings.ContainsRune("*?[]/", r):
			setQuoted(false)
			b.WriteRune(r)
		default:
			setQuoted(true)
			b.WriteRune(r)
		}
	}
	setQuoted(false)
	return b.String()
}

// isPlainWord reports whether s, which must not be empty, needs no quotes as a shell word. If glob is
// set, wildcards count as plain.
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
