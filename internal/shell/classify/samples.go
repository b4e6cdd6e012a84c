package classify

import (
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
	"github.com/checkrein/checkrein/internal/shell/rules"
)

// CheckSamples checks the rules of p against their own samples. It returns the mismatches as a joined
// error, or nil if there are none.
func CheckSamples(p *shell.RuleSet) error {
	var errs []error
	for i := range p.Rules {
		rule := &p.Rules[i]
		if rule.Samples == nil {
			continue
		}
		for _, s := range rule.Samples.Match {
			if !matchesSample(rule, s) {
				errs = append(errs, fmt.Errorf("pack %s, rule %s: the rule does not match its own sample %q", p.Name(), rule.ID, s))
			}
		}
		for _, s := range rule.Samples.NoMatch {
			if matchesSample(rule, s) {
				errs = append(errs, fmt.Errorf("pack %s, rule %s: the rule matches %q, but must not", p.Name(), rule.ID, s))
			}
		}
	}
	return errors.Join(errs...)
}

// matchesSample reports whether rule matches one of the calls of command.
func matchesSample(rule *shell.Rule, command string) bool {
	calls, _ := resolve.Calls(command, shell.Place{})
	for _, c := range calls {
		if rules.Matches(rule, c) {
			return true
		}
	}
	return false
}
