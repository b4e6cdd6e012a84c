package match

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An operand is the parsed value that an operator compares a field with.
type operand struct {
	text string
	list []string
	num  float64
	flag bool
	re   *pattern
	sep  byte
}

// An operator is a comparison that conditions can use.
type operator struct {
	name  string
	doc   string
	types uint8 // the field types that it applies to
	read  func(f *field, want []byte) (operand, error)
	holds func(v *View, got string, want *operand) bool
}

const (
	forText   = 1<<textField | 1<<pathField
	forNumber = 1 << numberField
	forAll    = forText | forNumber | 1<<boolField
)

var operators = [...]operator{
	{"is", "equals", forAll, readScalar, func(_ *View, got string, w *operand) bool { return got == w.text }},
	{"in", "equals one of a list", forAll, readScalars, func(_ *View, got string, w *operand) bool { return slices.Contains(w.list, got) }},
	{"prefix", "begins with", forText, readText, func(_ *View, got string, w *operand) bool { return strings.HasPrefix(got, w.text) }},
	{"suffix", "ends with", forText, readText, func(_ *View, got string, w *operand) bool { return strings.HasSuffix(got, w.text) }},
	{"contains", "contains the string", forText, readText, func(_ *View, got string, w *operand) bool { return strings.Contains(got, w.text) }},
	{"glob", "the whole value matches a glob; in paths, * stays within one directory and ** does not", forText, readGlob, globHolds},
	{"regex", "contains a match of the regular expression", forText, readRegex, func(_ *View, got string, w *operand) bool { return w.re.matches(got) }},
	{"under", "is the directory or is inside it, after . and .. are resolved. A relative directory starts at the session's; for paths that are denied or asked about, the same directory of the project counts too", 1<<pathField | 1<<textField, readText, func(v *View, got string, w *operand) bool { return v.isUnder(got, w.text) }},
	{"outside", "is not the directory and not inside it; in a list, one such path is enough. A relative directory starts at the session's: for one of the project, write it in full", 1<<pathField | 1<<textField, readText, func(v *View, got string, w *operand) bool { return !v.isUnder(got, w.text) }},
	{"gt", "is greater than", forNumber, readNumber, func(_ *View, got string, w *operand) bool { n, ok := parseNumber(got); return ok && n > w.num }},
	{"ge", "is at least", forNumber, readNumber, func(_ *View, got string, w *operand) bool { n, ok := parseNumber(got); return ok && n >= w.num }},
	{"lt", "is less than", forNumber, readNumber, func(_ *View, got string, w *operand) bool { n, ok := parseNumber(got); return ok && n < w.num }},
	{"le", "is at most", forNumber, readNumber, func(_ *View, got string, w *operand) bool { n, ok := parseNumber(got); return ok && n <= w.num }},
	{"exists", "is present (true) or absent (false)", forAll, readFlag, nil},
}

func lookupOperator(name []byte) (*operator, bool) {
	for i := range operators {
		if operators[i].name == string(name) {
			return &operators[i], true
		}
	}
	return nil, false
}

func operatorNames() []string {
	out := make([]string, len(operators))
	for i, o := range operators {
		out[i] = o.name
	}
	return out
}

// EachOperator calls fn with the name and the description of every operator.
func EachOperator(fn func(name, doc string)) {
	for _, o := range operators {
		fn(o.name, o.doc)
	}
}

// globHolds reports whether one of the globs in w matches got.
func globHolds(_ *View, got string, w *operand) bool {
	for _, g := range w.list {
		if matchGlob(g, got, w.sep) {
			return true
		}
	}
	return false
}

// readScalar parses a string, number or boolean. It returns an error if the field f cannot have such a
// value.
func readScalar(f *field, want []byte) (operand, error) {
	kind := rawjson.Kind(want)
	switch {
	case kind == '[':
		return operand{}, errors.New("takes one value; for a list, use \"in\"")
	case kind == '{' || kind == 'n' || kind == 0:
		return operand{}, fmt.Errorf("must be a string, a number or a boolean, not %s", want)
	case f.typ == numberField && kind != '0':
		return operand{}, fmt.Errorf("must be a number here, not %s", want)
	case f.typ == boolField && kind != 'b':
		return operand{}, fmt.Errorf("must be true or false here, not %s", want)
	case (f.typ == textField || f.typ == pathField) && kind != '"':
		return operand{}, fmt.Errorf("must be a string here: quote %s", want)
	}
	return operand{text: plainText(want)}, nil
}

// readScalars parses a list of values as readScalar does. The list must not be empty.
func readScalars(f *field, want []byte) (operand, error) {
	var out operand
	var err error
	rawjson.Elements(want, func(_ int, e []byte) bool {
		var one operand
		one, err = readScalar(f, e)
		out.list = append(out.list, one.text)
		return err == nil
	})
	if err == nil && len(out.list) == 0 {
		err = fmt.Errorf("must be a list with at least one value")
	}
	return out, err
}

func readText(_ *field, want []byte) (operand, error) {
	s, ok := rawjson.Text(want)
	if !ok || s == "" {
		return operand{}, fmt.Errorf("must be a string, not %s", want)
	}
	return operand{text: s}, nil
}

// readGlob parses one glob or a list of them.
func readGlob(f *field, want []byte) (operand, error) {
	var out operand
	if rawjson.Kind(want) == '[' {
		rawjson.Elements(want, func(_ int, e []byte) bool {
			s, _ := rawjson.Text(e)
			out.list = append(out.list, s)
			return true
		})
	} else if s, ok := rawjson.Text(want); ok {
		out.list = []string{s}
	}
	if len(out.list) == 0 {
		return out, fmt.Errorf("must be a glob or a list of globs, not %s", want)
	}
	for _, g := range out.list {
		if g == "" {
			return out, fmt.Errorf("must be a glob or a list of globs, not %s", want)
		}
		if err := checkGlob(g); err != nil {
			return out, err
		}
	}
	if f.typ == pathField {
		out.sep = '/'
		for i, g := range out.list { // paths have no leading "./", see cleanPath
			for strings.HasPrefix(g, "./") && len(g) > 2 {
				g = g[2:]
			}
			out.list[i] = g
		}
	}
	return out, nil
}

func readRegex(f *field, want []byte) (operand, error) {
	out, err := readText(f, want)
	if err != nil {
		return out, err
	}
	if out.re, err = newPattern(out.text); err != nil {
		return out, explainPattern(out.text, err)
	}
	return out, nil
}

func readNumber(_ *field, want []byte) (operand, error) {
	n, ok := parseNumber(string(want))
	if !ok {
		return operand{}, fmt.Errorf("must be a number, not %s", want)
	}
	return operand{num: n}, nil
}

func readFlag(_ *field, want []byte) (operand, error) {
	switch string(want) {
	case "true", "false":
		return operand{flag: string(want) == "true"}, nil
	}
	return operand{}, fmt.Errorf("must be true or false, not %s", want)
}
