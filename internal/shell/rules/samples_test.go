package rules

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// TestRuleSamples checks that every rule matches its samples, and does not match those for which it
// must not.
func TestRuleSamples(t *testing.T) {
	program.EachSample(func(rule *shell.Rule, samples *shell.Samples) {
		if rule.Cmd == "" || samples == nil {
			return // a pseudo-rule, or a rule without samples, which another test reports
		}
		name := rule.Category.Row().PackName() + "/" + rule.ID
		if len(samples.Match) < 2 {
			t.Errorf("%s: needs at least two samples that match", name)
		}
		for _, text := range samples.Match {
			if !matchesAnyCall(t, rule, text) {
				t.Errorf("%s does not match %q", name, text)
			}
		}
		for _, text := range samples.NoMatch {
			if matchesAnyCall(t, rule, text) {
				t.Errorf("%s matches %q", name, text)
			}
		}
	})
}

func matchesAnyCall(t *testing.T, rule *shell.Rule, text string) bool {
	t.Helper()
	for _, c := range resolveCalls(t, text) {
		if Matches(rule, c) {
			return true
		}
	}
	return false
}

// TestRulesAreComplete checks the fields that every rule must have.
func TestRulesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, pack := range program.Packs {
		for i := range pack.Rules {
			r := &pack.Rules[i]
			if r.ID == "" || r.Cmd == "" || r.Kind == "" || r.Category == shell.NoCategory || r.Reason == "" {
				t.Errorf("%s/%s: ID, Cmd, Kind, Category and Reason must be set", pack.Name(), r.ID)
			}
			name := r.Category.Row().PackName() + "/" + r.ID // by which people know it
			if seen[name] {
				t.Errorf("%s is listed twice, once in the set %s", name, pack.Name())
			}
			seen[name] = true
			if name, _, _ := strings.Cut(r.Cmd, " "); strings.ContainsAny(name, "*?") {
				t.Errorf("%s/%s: a program's name cannot be a pattern: %s", pack.Name(), r.ID, name)
			}
			for _, s := range [...]string{r.Cmd, r.Any, r.All, r.Not, r.Arg} {
				if strings.Join(strings.Fields(s), " ") != s {
					t.Errorf("%s/%s: spaces in %q", pack.Name(), r.ID, s)
				}
			}
		}
	}
}

// resolveCalls returns the calls in text, resolved in a fixed place.
func resolveCalls(t testing.TB, text string) []*shell.Call {
	t.Helper()
	list, _ := resolve.Calls(text, shell.Place{Dir: "/home/jo/app", Root: "/home/jo/app", Home: "/home/jo"})
	return list
}
