package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// A pattern is a valid regular expression that is compiled when it is first needed.
type pattern struct {
	src  string
	once sync.Once
	re   *regexp.Regexp
}

// newPattern returns the pattern src, or an error if its syntax is invalid.
func newPattern(src string) (*pattern, error) {
	if _, err := syntax.Parse(src, syntax.Perl); err != nil {
		return nil, err
	}
	return &pattern{src: src}, nil
}

// matches reports whether s contains a match of p.
func (p *pattern) matches(s string) bool {
	// MustCompile cannot panic: newPattern parsed the same source.
	p.once.Do(func() { p.re = regexp.MustCompile(p.src) })
	return p.re.MatchString(s)
}

// explainPattern is like [Explain], with advice for patterns in hook files, which can have conditions.
func explainPattern(expr string, err error) error {
	return Explain(expr, err, "use a broader pattern and exclude the rest with if: {not: …}")
}

// Explain returns a readable error for err, the syntax error in the pattern expr: what is wrong, and
// what to write instead. The text around is the advice for patterns with look-around, which Go does
// not support.
func Explain(expr string, err error, around string) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return fmt.Errorf("pattern %q: %w", expr, err)
	}
	if lookAroundPrefix(bad.Expr) != "" {
		return fmt.Errorf("pattern %q: look-around %q is not supported: %s", expr, lookAroundPrefix(bad.Expr), around)
	}
	return fmt.Errorf("pattern %q: %s", expr, describeSyntaxError(bad))
}

// describeSyntaxError describes a syntax error. It does not quote the whole pattern, because
// CompileTool adds to it.
func describeSyntaxError(bad *syntax.Error) string {
	switch bad.Code {
	case syntax.ErrMissingParen:
		return `"(" is never closed: add ")", or write "\(" for a literal bracket`
	case syntax.ErrUnexpectedParen:
		return `")" has no opening bracket: remove it, or write "\)" for a literal bracket`
	case syntax.ErrMissingBracket:
		return `"[" is never closed: add "]", or write "\[" for a literal bracket`
	case syntax.ErrMissingRepeatArgument:
		return `"` + bad.Expr + `" has nothing before it to repeat: in a regular expression, ".*" matches any text`
	case syntax.ErrInvalidRepeatOp:
		return `"` + bad.Expr + `" repeats a repetition: in a regular expression, ".*" matches any text`
	case syntax.ErrInvalidRepeatSize:
		return `"` + bad.Expr + `" repeats too often: at most 1000 times`
	case syntax.ErrInvalidCharRange:
		return `"` + bad.Expr + `" is not a valid range: the smaller character comes first, as in "a-z"`
	case syntax.ErrInvalidEscape:
		return `"` + bad.Expr + `" means nothing here: write the character without the backslash`
	case syntax.ErrTrailingBackslash:
		return `nothing follows the backslash at the end: for a literal backslash, write "\\"`
	case syntax.ErrInvalidPerlOp, syntax.ErrInvalidNamedCapture:
		return `"` + bad.Expr + `" is not supported: leave it out`
	}
	return "this is not a valid regular expression"
}

// lookAroundPrefix returns the look-around operator, such as "(?=", with which rejected begins, or ""
// if there is none.
func lookAroundPrefix(rejected string) string {
	for _, op := range [...]string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rejected, op) {
			return op
		}
	}
	return ""
}
