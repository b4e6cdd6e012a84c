package classify_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// badShapes are patterns of reasons that name the object of a call badly.
var badShapes = map[string]*regexp.Regexp{
	"a part that is not known": regexp.MustCompile(string(shell.Placeholder)),
	"a pronoun without a noun": regexp.MustCompile(`^(?:may |possibly )?\w+s?(?:,? or \w+s)* (?:it|them)\b|: (?:it|them)$`),
	"a placeholder":            regexp.MustCompile(`\{args|\bNAME$`),
	"nothing in quotes":        regexp.MustCompile("(?:^| )(?:\"\"|''|``)(?: |$)"),
	"nothing after a colon":    regexp.MustCompile(`:\s*$|^\s|\s$|  `),
	"a lone dot":               regexp.MustCompile(` \.(?:[ ,]|$)`),
	"the command's own verb":   regexp.MustCompile(`(?:: |^\w+s )(?:delete|destroy|remove|rm|purge|drop|kill|stop|prune|reset|uninstall|unset|disable|clear|delete-\w+)(?: |$)`),
	"a word twice":             regexp.MustCompile(`(?i)\b(?:the the|a a|an an|delete delete|deletes deletes?|removes removes?|destroys destroys?|drops drops?)\b`),
}

// allSamples returns the commands of all corpora, and those with which built-in rules are tested.
func allSamples(t *testing.T) []*sample {
	t.Helper()
	all := readCorpus(t)
	for _, file := range []string{"harmful.jsonl", "second_harmful.jsonl", "values_harmful.jsonl", "everyday.jsonl", "second_everyday.jsonl"} {
		all = append(all, readSamples(t, filepath.Join("../../lab/verdicts/testdata", file))...)
	}
	text, err := os.ReadFile("../rules/testdata/tools.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.SplitN(strings.TrimSpace(line), " ", 3); len(f) == 3 && f[0] != "#" {
			all = append(all, &sample{Command: f[2], at: "tools.txt"})
		}
	}
	program.EachSample(func(rule *shell.Rule, s *shell.Samples) {
		for _, c := range s.Match {
			all = append(all, &sample{Command: c, at: rule.ID})
		}
	})
	return all
}

// TestReasonsNameObjects checks that every reason names the objects of its command, or their kind.
func TestReasonsNameObjects(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range allSamples(t) {
		r := s.report()
		for i := range r.Effects {
			e := &r.Effects[i]
			if e.Label == shell.Safe || seen[e.Reason] {
				continue
			}
			seen[e.Reason] = true
			for what, shape := range badShapes {
				if shape.MatchString(e.Reason) {
					t.Errorf("%s: the reason %q for %s contains %s [%s]", s.at, e.Reason, s.Command, what, e.RuleName())
				}
			}
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d reasons", len(seen))
	}
}

// TestRulesWithOperandsHaveSubcommands checks that a rule names operands only if its command
// determines which words they are.
func TestRulesWithOperandsHaveSubcommands(t *testing.T) {
	t.Parallel()
	program.EachRule(func(r *shell.Rule) {
		before, rest, ok := strings.Cut(r.Reason, "{args")
		if !ok {
			return
		}
		if kind, after, _ := strings.Cut(rest, "}"); kind == "" && (after != "" || !strings.HasSuffix(before, ": ")) {
			t.Errorf("%s: %q has no text for a call without operands", r.ID, r.Reason)
		}
		if strings.Contains(r.Cmd, " ") {
			return
		}
		for _, word := range strings.FieldsFunc(r.Any+" "+r.All, func(c rune) bool { return c == ' ' || c == '|' }) {
			if word[0] != '-' {
				t.Errorf("%s: %s may be one of its operands", r.ID, word)
				return
			}
		}
	})
}

// TestAlternativesFitTheCall checks that alternatives use the program of the call, and contain no
// addresses or names that are not from the call.
func TestAlternativesFitTheCall(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, s := range allSamples(t) {
		r := s.report()
		for i := range r.Effects {
			e := &r.Effects[i]
			text := e.Alternative()
			if text == "" {
				continue
			}
			rules[e.RuleName()] = true
			if strings.Contains(text, "{program") || strings.Contains(text, "://") || strings.Contains(text, "example") {
				t.Errorf("%s: %q in place of %s", s.at, text, s.Command)
			}
			for k, command := range strings.Split(text, "`") {
				program, _, _ := strings.Cut(command, " ")
				if k%2 == 1 && program != "git" && program[0] != '-' && !strings.Contains(s.Command+e.Words, program) {
					t.Errorf("%s: %q in place of %s", s.at, text, s.Command)
				}
			}
		}
	}
	if len(rules) < 40 {
		t.Errorf("only %d rules", len(rules))
	}
}
