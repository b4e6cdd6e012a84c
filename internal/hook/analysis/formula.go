package analysis

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/automaton"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// An expr is a formula over atoms: all or any of its kids, the opposite of its kid, or an atom.
type expr struct {
	op   exprOp
	kids []*expr
	atom *atom
}

type exprOp uint8

const (
	isAll exprOp = iota
	isAny
	isNot
	isAtom
)

// A view is a form of a value that atoms test. Different forms of one value count as independent.
type view uint8

const (
	asText   view = iota
	asNumber      // the number that the text stands for
	asAbs         // the absolute path that the text stands for
	asRel         // that path relative to the session's directory
	asHome        // that path relative to the home directory
	numViews
	noView // the atom has no automaton
)

// An atom is a test of a field. Equal tests are one atom.
type atom struct {
	id      int
	field   *field
	op      string
	want    []string
	sure    bool // see [match.Cond.SurelyHolds]; only of paths
	exists  bool // the test is whether the field is present
	view    view
	lang    *automaton.Lang // the values that pass; nil for numbers and without an automaton
	outside bool            // the values that are not in lang pass
	bound   float64         // the operand of a comparison of numbers
	// twin is of a sure test the one that is not sure, which holds if this one does. sureTwin is the
	// opposite.
	twin, sureTwin *atom
}

// pseudo-fields for what a hook requires besides its condition.
const (
	matcherField   = "matcher"
	argumentsField = "arguments"
	payloadField   = "payload"
)

// A compiler compiles conditions of events of one kind. It returns the same atom for equal tests.
type compiler struct {
	row    *checkrein.Contract
	fields map[string]*field
	atoms  map[string]*atom
	list   []*atom
}

func newCompiler(kind checkrein.Kind) *compiler {
	return &compiler{row: checkrein.ContractOf(kind), fields: map[string]*field{}, atoms: map[string]*atom{}}
}

// compileHook returns the formula for the events to which h applies. If sure is set, h allows calls.
func (c *compiler) compileHook(h *checkrein.Hook, sure bool) (*expr, error) {
	out, err := c.compileCondition(h.If, sure)
	if err != nil {
		return nil, err
	}
	all := []*expr{out}
	tool, err := match.CompileTool(h.Match, h.MatchWords)
	if err != nil {
		return nil, err
	}
	if !tool.MatchesAll() {
		p := tool.Part(h.Match, nil, "")
		names := `(?s)` + h.Match // see [match.CompileTool]
		switch {
		case p.Op == "is":
			names = exactExpr(p.Want)
		case !h.MatchWords:
			names = `(?s)^(?:` + h.Match + `)$`
		}
		all = append(all, c.regexAtom(matcherField, p.Op, p.Want, names))
	}
	if h.Args != "" {
		all = append(all, c.regexAtom(argumentsField, "regex", []string{h.Args}, h.Args))
	}
	if h.Search != "" {
		all = append(all, c.regexAtom(payloadField, "regex", []string{h.Search}, h.Search))
	}
	if h.On == checkrein.Other && h.Event != "" {
		all = append(all, c.regexAtom("event", "is", []string{h.Event}, exactExpr([]string{h.Event})))
	}
	return &expr{op: isAll, kids: all}, nil
}

// compileCondition returns the formula for a condition, as JSON.
func (c *compiler) compileCondition(src []byte, sure bool) (*expr, error) {
	cond, err := match.CompileCond(src, c.row)
	if err != nil {
		return nil, err
	}
	view := match.ViewOf(&checkrein.Event{Kind: c.row.Kind}, "", nil)
	return c.conjunction(cond.Parts(&view, sure), sure), nil
}

// conjunction returns the formula that holds if all parts do.
func (c *compiler) conjunction(parts []match.Part, sure bool) *expr {
	return &expr{op: isAll, kids: c.exprs(parts, sure)}
}

func (c *compiler) exprs(parts []match.Part, sure bool) []*expr {
	out := make([]*expr, len(parts))
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Op != "":
			out[i] = c.test(p, sure)
		case p.Name == "any":
			out[i] = &expr{op: isAny, kids: c.exprs(p.Parts, sure)}
		case p.Name == "not":
			out[i] = &expr{op: isNot, kids: []*expr{c.conjunction(p.Parts, !sure)}}
		default:
			out[i] = c.conjunction(p.Parts, sure)
		}
	}
	return out
}

// test returns the formula for one test of a field.
func (c *compiler) test(p *match.Part, sure bool) *expr {
	if p.Op == "exists" {
		a := &expr{op: isAtom, atom: c.intern(&atom{op: "exists", want: []string{"true"}, exists: true}, p.Name)}
		if p.Want[0] == "true" {
			return a
		}
		return &expr{op: isNot, kids: []*expr{a}}
	}
	a := atom{op: p.Op, want: p.Want}
	if p.Name == "paths" {
		a.sure = sure
	}
	c.setLang(&a, p.Name)
	found := c.intern(&a, p.Name)
	if a.sure && found.twin == nil {
		lax := a
		lax.sure = false
		found.twin = c.intern(&lax, p.Name)
		found.twin.sureTwin = found
	}
	return &expr{op: isAtom, atom: found}
}

// regexAtom returns the formula for a test whose automaton is that of the expression expr.
func (c *compiler) regexAtom(name, op string, want []string, expression string) *expr {
	a := atom{op: op, want: want, view: noView}
	if lang, err := automaton.Compile(expression); err == nil {
		a.view, a.lang = asText, lang
	}
	return &expr{op: isAtom, atom: c.intern(&a, name)}
}

// intern returns the atom that equals a on the field name.
func (c *compiler) intern(a *atom, name string) *atom {
	key := fmt.Sprintf("%s %s %q %v", name, a.op, a.want, a.sure)
	if have := c.atoms[key]; have != nil {
		return have
	}
	f := c.fields[name]
	if f == nil {
		f = newField(name, c.row)
		c.fields[name] = f
	}
	a.id, a.field = len(c.list), f
	c.atoms[key] = a
	c.list = append(c.list, a)
	return a
}

// textOperators has for each operator on texts the expression for the values that pass.
var textOperators = map[string]func(want []string, sep byte) string{
	"is":       func(want []string, _ byte) string { return exactExpr(want) },
	"in":       func(want []string, _ byte) string { return exactExpr(want) },
	"prefix":   func(want []string, _ byte) string { return `\A` + regexp.QuoteMeta(want[0]) },
	"suffix":   func(want []string, _ byte) string { return regexp.QuoteMeta(want[0]) + `\z` },
	"contains": func(want []string, _ byte) string { return regexp.QuoteMeta(want[0]) },
	"regex":    func(want []string, _ byte) string { return want[0] },
	"glob": func(want []string, sep byte) string {
		out := make([]string, len(want))
		for i, g := range want {
			out[i] = automaton.Glob(g, sep)
		}
		return strings.Join(out, "|")
	},
}

// exactExpr returns the expression for the strings in want.
func exactExpr(want []string) string {
	out := make([]string, len(want))
	for i, s := range want {
		out[i] = regexp.QuoteMeta(s)
	}
	return `\A(?:` + strings.Join(out, "|") + `)\z`
}

// setLang sets what a tests, a test of the field name. Tests of whole directories among the paths of a
// call have no automaton, because symlinks decide about them.
func (c *compiler) setLang(a *atom, name string) {
	a.view = noView
	expression := ""
	switch a.op {
	case "gt", "ge", "lt", "le":
		if bound, err := strconv.ParseFloat(a.want[0], 64); err == nil {
			a.view, a.bound = asNumber, bound
		}
		return
	case "under", "outside":
		if name == "paths" {
			return
		}
		a.view, expression = underDirectory(a.want[0])
		a.outside = a.op == "outside"
	default:
		sep := byte(0)
		if name == "paths" || name == "cwd" {
			sep = '/'
		}
		if of := textOperators[a.op]; of != nil {
			a.view, expression = asText, of(a.want, sep)
		}
	}
	if a.view == noView {
		return
	}
	lang, err := automaton.Compile(expression)
	if err != nil {
		a.view = noView
		return
	}
	a.lang = lang
}

// underDirectory returns the form in which paths are compared with dir, and the expression for those
// that are dir or below it.
func underDirectory(dir string) (view, string) {
	below := func(clean string) string { return `\A` + regexp.QuoteMeta(clean) + `(?:/|\z)` }
	home, inHome := strings.CutPrefix(dir, "~/")
	if dir == "~" {
		home, inHome = ".", true
	}
	clean := path.Clean(dir)
	kind := asRel
	if inHome {
		clean, kind = path.Clean(home), asHome
	}
	switch {
	case filepath.ToSlash(dir) != dir || strings.ContainsAny(dir, `\:`) || clean == ".." || strings.HasPrefix(clean, "../"):
		return noView, ""
	case !inHome && clean == "/":
		return asAbs, `\A/`
	case !inHome && path.IsAbs(clean):
		return asAbs, below(clean)
	case clean == ".":
		return kind, `\A(?:[^.]|\.\z|\.[^.]|\.\.[^/])`
	}
	return kind, below(clean)
}
