package doctor

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/suggest"
)

// matcher finds matchers and expressions that can never hold.
func (d *doctor) matcher(h *checkrein.Hook) {
	if h.Match != "" && d.warned(h) {
		f := Finding{Level: byGuard(h), Message: message.New(fmt.Sprintf("the matcher %q matches no known tool, so the hook never runs", h.Match))}
		if s := meant(h); s != "" {
			f.Message = f.With(message.Do(fmt.Sprintf("did you mean %q? names are case-sensitive", s)))
		}
		d.find("matches-nothing", h, f)
	}
	d.found(h)
}

// found finds expressions that are searched for where they never are.
func (d *doctor) found(h *checkrein.Hook) {
	if h.Search != "" && !mayFind(h.Search) {
		d.find("never-found", h, Finding{Level: byGuard(h), Message: message.New(fmt.Sprintf("the matcher %q is matched against the whole JSON payload, which begins with a brace, so the hook never runs", h.Search))})
	}
}

// warned reports whether whoever read the hook's file found that its matcher
// matches nothing: dialects know more names than the table.
func (d *doctor) warned(h *checkrein.Hook) bool {
	for _, f := range d.Kit.Files() {
		for _, w := range f.Warnings {
			if u := (*match.UnmatchedError)(nil); f.Path == h.From.File && errors.As(w, &u) && u.Expr == h.Match {
				return true
			}
		}
	}
	return false
}

// meant is what a matcher would be with its unknown words corrected, "" when
// nothing is near.
func meant(h *checkrein.Hook) string {
	var known []string
	checkrein.KnownToolNames(func(native, canonical string) {
		known = append(known, native, canonical)
		if own := dialect.ToolName(h.Dialect, canonical); own != "" {
			known = append([]string{own}, known...) // which comes first among equals
		}
	})
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	out := h.Match
	for _, w := range strings.FieldsFunc(h.Match, func(r rune) bool { return !isWord(r) }) {
		if s := suggest.Closest(w, known); s != "" {
			out = strings.ReplaceAll(out, w, s)
		}
	}
	if out == h.Match {
		return ""
	}
	return out
}

// mayFind reports whether an expression may be found in a JSON object. One that
// is anchored to the beginning of the text and goes on with anything but a brace
// cannot.
func mayFind(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return true // which is said elsewhere
	}
	return mayBegin(re.Simplify())
}

func mayBegin(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return mayBegin(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, mayBegin)
	case syntax.OpConcat:
		return re.Sub[0].Op != syntax.OpBeginText || len(re.Sub) < 2 || takesBrace(re.Sub[1])
	}
	return true
}

// takesBrace reports whether an expression may match a text that begins with a
// brace, or nothing at all.
func takesBrace(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Rune[0] == '{'
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '{' && '{' <= re.Rune[i+1] {
				return true
			}
		}
		return false
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		return takesBrace(re.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, takesBrace)
	}
	return true
}
