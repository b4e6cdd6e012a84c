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

// badShapes are ways in which a sentence names what a call is about and says nothing.
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

// said are the commands of all corpora, and those that hold built-in rules to their
// word.
func said(t *testing.T) []*sample {
	t.Helper()
	all := corpus(t)
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

// Every sentence about a command names its objects well or names their kind.
func TestReasonsNameObjects(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range said(t) {
		r := s.report()
		for i := range r.Effects {
			e := &r.Effects[i]
			if e.Label == shell.Safe || seen[e.Reason] {
				continue
			}
			seen[e.Reason] = true
			for what, shape := range badShapes {
				if shape.MatchString(e.Reason) {
					t.Errorf("%s: %q is said of %s: %s [%s]", s.at, e.Reason, s.Command, what, e.RuleName())
				}
			}
		}
	}
	if len(seen) < 500 {
		t.Errorf("only %d sentences", len(seen))
	}
}

// A rule names operands only where its command says which words they are.
func TestOperandsStandBehindTheCommand(t *testing.T) {
	t.Parallel()
	program.EachRule(func(r *shell.Rule) {
		before, rest, ok := strings.Cut(r.Reason, "{args")
		if !ok {
			return
		}
		if kind, after, _ := strings.Cut(rest, "}"); kind == "" && (after != "" || !strings.HasSuffix(before, ": ")) {
			t.Errorf("%s: %q does not say what there is without operands", r.ID, r.Reason)
		}
		if strings.Contains(r.Cmd, " ") {
			return
		}
		for _, word := range strings.FieldsFunc(r.Any+" "+r.All, func(c rune) bool { return c == ' ' || c == '|' }) {
			if word[0] != '-' {
				t.Errorf("%s: %s may stand among its operands", r.ID, word)
				return
			}
		}
	})
}

// What is said to be fine in the place of a call has the call's own program, and no
// address or name that is not the call's.
func TestAlternativesFitTheCall(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, s := range said(t) {
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
