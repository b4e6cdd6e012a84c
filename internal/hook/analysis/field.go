package analysis

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/hook/automaton"
)

// A field describes the values that a field of an event can have.
type field struct {
	name     string
	many     bool            // the value may be a list, of which one element must pass a test
	required bool            // every event has the field
	usual    bool            // nearly every event has it
	numeric  bool            // the value is a number
	boolean  bool            // the value is true or false
	domain   *automaton.Lang // the texts that it can have; nil = all
	absolute *automaton.Lang // the texts of absolute paths
	relative *automaton.Lang // the texts of other paths
}

// Expressions for the texts that fields can have. A field compiles its own, because automata grow as
// they are searched and analyses may run at the same time.
var (
	notEmpty  = `(?s).`
	trueFalse = exactExpr([]string{"true", "false"})
	numbers   = `\A-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\z`
	impacts   = exactExpr([]string{"low", "medium", "high", "unknown"})
)

// singles lists the fields that have one text, which is not empty.
var singles = []string{"event", "host", "session_id", "cwd", "agent", "tool_name", "tool", "prompt", "response", "message"}

// newField returns the field name of events with the contract row.
func newField(name string, row *checkrein.Contract) *field {
	f := &field{name: name, many: true, absolute: automaton.MustCompile(`\A/`), relative: automaton.MustCompile(`\A[^/]`)}
	switch {
	case name == "event":
		texts := notEmpty
		if row.Kind != checkrein.Other {
			texts = exactExpr([]string{row.Name})
		}
		f.domain, f.required, f.many = automaton.MustCompile(texts), true, false
	case slices.Contains(singles, name) || name == row.Text:
		f.domain, f.required, f.many = automaton.MustCompile(notEmpty), name == "host", false
		f.usual = strings.HasPrefix(name, "tool")
	case name == "radius":
		f.domain, f.many = automaton.MustCompile(impacts), false
	case name == "tool_error":
		f.domain, f.boolean, f.required, f.many = automaton.MustCompile(trueFalse), true, true, false
	case name == "command" || name == "effects" || name == "paths" || name == matcherField:
		f.domain, f.usual = automaton.MustCompile(notEmpty), name == matcherField
	case strings.HasPrefix(name, "tool_input.") || name == "tool_response" || name == argumentsField || name == payloadField:
	default:
		f.setPayloadType()
	}
	return f
}

// setPayloadType sets the type of a member of the payload.
func (f *field) setPayloadType() {
	known, ok := fields.Find(f.name)
	if !ok {
		return
	}
	switch known.Type {
	case fields.StringValue:
		f.many = false
	case fields.NumberValue:
		f.many, f.numeric, f.domain = false, true, automaton.MustCompile(numbers)
	case fields.BoolValue:
		f.many, f.boolean, f.domain = false, true, automaton.MustCompile(trueFalse)
	}
}

// A literal is an atom that holds or does not.
type literal struct {
	*atom
	holds bool
}

// An element is one value of a field, in all forms.
type element struct {
	parts [numViews]string
	set   [numViews]bool // atoms require something of this form
}

// test reports whether a holds for e.
func (a *atom) test(e *element) bool {
	switch a.view {
	case noView:
		return false
	case asNumber:
		n, err := strconv.ParseFloat(e.parts[asNumber], 64)
		return err == nil && a.compare(n)
	}
	return a.lang.Contains(e.parts[a.view]) != a.outside
}

// compare reports whether the comparison of numbers a holds for n.
func (a *atom) compare(n float64) bool {
	switch a.op {
	case "gt":
		return n > a.bound
	case "ge":
		return n >= a.bound
	case "lt":
		return n < a.bound
	}
	return n <= a.bound
}

// element returns a value of f for which all literals hold.
func (f *field) element(lits []literal, b *automaton.Budget) (element, automaton.Result) {
	var out element
	result := automaton.Found
	for v := range numViews {
		here := slices.DeleteFunc(slices.Clone(lits), func(l literal) bool { return l.view != v || l.exists })
		if len(here) == 0 && v != asText {
			continue
		}
		out.set[v] = len(here) > 0
		var got automaton.Result
		if v == asNumber {
			out.parts[v], got = f.number(here, lits)
		} else {
			out.parts[v], got = f.text(v, here, b)
		}
		if got == automaton.None {
			return out, automaton.None
		}
		if got == automaton.Unknown {
			result = got
		}
	}
	switch {
	case result != automaton.Found:
	case out.set[asNumber]: // the number decides the text, unless both are required
		if all, ok := f.both(lits, &out); ok {
			out.parts[asText], out.parts[asNumber] = all, all
		} else if f.finite(lits) != nil {
			return out, automaton.None
		}
	default:
		out.parts[asNumber] = out.parts[asText]
	}
	return out, result
}

// both returns a text of f that passes the tests of texts and of numbers.
func (f *field) both(lits []literal, e *element) (string, bool) {
	for _, s := range append(f.finite(lits), e.parts[asNumber], e.parts[asText]) {
		one := element{parts: [numViews]string{asText: s, asNumber: s}}
		if !slices.ContainsFunc(lits, func(l literal) bool {
			return (l.view == asText || l.view == asNumber) && !l.exists && l.test(&one) != l.holds
		}) && (f.domain == nil || f.domain.Contains(s)) {
			return s, true
		}
	}
	return "", false
}

// finite returns the values of a test in lits that lists them, or nil.
func (f *field) finite(lits []literal) []string {
	for _, l := range lits {
		if l.holds && (l.op == "is" || l.op == "in") {
			return slices.Clone(l.want)
		}
	}
	return nil
}

// text returns a string that passes the tests here, of the form v.
func (f *field) text(v view, here []literal, b *automaton.Budget) (string, automaton.Result) {
	var in, out []*automaton.Lang
	for _, l := range here {
		if l.holds != l.outside {
			in = append(in, l.lang)
		} else {
			out = append(out, l.lang)
		}
	}
	switch {
	case v == asText && f.domain != nil:
		in = append(in, f.domain)
	case v == asAbs:
		in = append(in, f.absolute)
	case v == asRel || v == asHome:
		in = append(in, f.relative)
	}
	return automaton.Search(in, out, b)
}

// number returns a number that passes the tests here, or a text that is none.
func (f *field) number(here, all []literal) (string, automaton.Result) {
	tries := []float64{0}
	for _, l := range here {
		tries = append(tries, l.bound, math.Floor(l.bound)-1, math.Ceil(l.bound)+1, math.Nextafter(l.bound, math.Inf(1)), math.Nextafter(l.bound, math.Inf(-1)))
	}
	if !f.numeric {
		tries = append(tries, math.NaN(), math.Inf(1), math.Inf(-1))
	}
	var texts []string
	for _, n := range tries {
		if f.numeric && math.IsInf(n, 0) {
			continue
		}
		texts = append(texts, strconv.FormatFloat(n, 'f', -1, 64))
	}
	good := func(s string, lits []literal) bool {
		one := element{parts: [numViews]string{asText: s, asNumber: s}}
		return !slices.ContainsFunc(lits, func(l literal) bool { return !l.exists && l.view <= asNumber && l.test(&one) != l.holds })
	}
	for _, lits := range [][]literal{all, here} { // preferably one that passes the tests of texts as well
		for _, s := range texts {
			if good(s, lits) {
				return s, automaton.Found
			}
		}
	}
	return "", automaton.None
}

// values returns values of f, none of them if it is absent, for which all literals hold.
func (f *field) values(lits []literal, b *automaton.Budget) ([]element, automaton.Result) {
	var positive, negative []literal
	for _, l := range lits {
		if l.holds && l.sure { // then the test holds for the path as written
			positive = append(positive, literal{l.twin, true})
		}
		switch {
		case l.holds:
			positive = append(positive, l)
		case !l.sure:
			negative = append(negative, l)
		}
	}
	for _, l := range positive {
		if l.twin != nil && slices.ContainsFunc(negative, func(n literal) bool { return n.atom == l.twin }) {
			return nil, automaton.None
		}
	}
	if slices.ContainsFunc(negative, func(l literal) bool { return l.exists }) {
		if len(positive) > 0 || f.required {
			return nil, automaton.None
		}
		return nil, automaton.Found
	}
	if len(positive) == 0 && !f.required {
		if one, got := f.element(negative, b); f.usual && got == automaton.Found {
			return []element{one}, got
		}
		return nil, automaton.Found
	}
	one, got := f.element(slices.Concat(positive, negative), b)
	if got == automaton.Found || !f.many {
		return []element{one}, got
	}
	if len(positive) < 2 {
		return nil, got
	}
	var out []element
	for _, l := range positive {
		e, got := f.element(append([]literal{l}, negative...), b)
		if got != automaton.Found {
			return nil, got
		}
		out = append(out, e)
	}
	return out, automaton.Found
}
