package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// A pattern is a regular expression that is known to be valid and compiled
// when it is first needed.
type pattern struct {
	src  string
	once sync.Once
	re   *regexp.Regexp
}

func newPattern(src string) (*pattern, error) {
	if _, err := syntax.Parse(src, syntax.Perl); err != nil {
		return nil, err
	}
	return &pattern{src: src}, nil
}

func (p *pattern) match(s string) bool {
	// MustCompile cannot panic: newPattern parsed the same source.
	p.once.Do(func() { p.re = regexp.MustCompile(p.src) })
	return p.re.MatchString(s)
}

// explain turns a syntax error into one that shows what the person wrote and
// what to do about it.
func explain(expr string, err error) error {
	var bad *syntax.Error
	if errors.As(err, &bad) && lookAround(bad.Expr) != "" {
		return fmt.Errorf("pattern %q: look-around (%s) is not supported: match more here and exclude with if: {not: …}", expr, lookAround(bad.Expr))
	}
	if bad != nil && strings.Contains(expr, bad.Expr) {
		return fmt.Errorf("pattern %q: %s: %s", expr, bad.Code, bad.Expr)
	}
	if bad != nil { // it is about the whole, with what we put around it
		return fmt.Errorf("pattern %q: %s", expr, bad.Code)
	}
	return fmt.Errorf("pattern %q: %w", expr, err)
}

// lookAround returns the look-ahead or look-behind that the rejected part of a
// pattern begins with, "" when it is something else.
func lookAround(rejected string) string {
	for _, op := range [...]string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rejected, op) {
			return op
		}
	}
	return ""
}
