package classify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// TestSamplesOfCodedRules checks the samples of rules that code implements, which have no command
// pattern.
func TestSamplesOfCodedRules(t *testing.T) {
	place := shell.Place{Dir: "/home/dev/work/shop", Root: "/home/dev/work/shop", Home: "/home/dev"}
	seen := map[string]bool{}
	program.EachRule(func(r *shell.Rule) { seen[r.Category.Row().PackName()+"/"+r.ID] = true })
	program.EachSample(func(r *shell.Rule, s *shell.Samples) {
		if r.Cmd != "" {
			return
		}
		if name := r.Category.Row().PackName() + "/" + r.ID; seen[name] {
			t.Errorf("%s is listed twice", name)
		} else {
			seen[name] = true
		}
		is := func(e shell.Effect) bool {
			return e.Rule == r.ID && e.Category == r.Category && e.Label == r.Label && e.Impact == r.Impact
		}
		for _, text := range s.Match {
			if got := Command(text, place); !slices.ContainsFunc(got.Effects, is) {
				t.Errorf("%s/%s: %q is %+v", r.Category.Row().PackName(), r.ID, text, got.Effects)
			}
		}
		for _, text := range s.NoMatch {
			if got := Command(text, place); slices.ContainsFunc(got.Effects, is) {
				t.Errorf("%s/%s matches %q, but must not", r.Category.Row().PackName(), r.ID, text)
			}
		}
	})
}

// TestEveryRuleIsListed classifies the commands of all corpora and checks that every rule that applies
// is listed.
func TestEveryRuleIsListed(t *testing.T) {
	place := shell.Place{Dir: "/home/dev/work/shop", Root: "/home/dev/work/shop", Home: "/home/dev"}
	known := map[string]bool{}
	commands := corpusCommands(t)
	program.EachSample(func(r *shell.Rule, s *shell.Samples) {
		known[r.Category.Row().PackName()+"/"+r.ID] = true
		commands = append(commands, s.Match...)
	})
	for _, text := range commands {
		report := Command(text, place)
		for i := range report.Effects {
			e := &report.Effects[i]
			_, _, byPlace := files.RuleNamed(e.Rule)
			pack := e.Row().Pack
			byProgram := pack == shell.PackExfiltration || pack == shell.PackSecrets
			if e.Rule == "" || byPlace || byProgram || e.Label == shell.Safe || known[e.RuleName()] {
				continue
			}
			known[e.RuleName()] = true
			t.Errorf("%s (%s, %s %s: %s) is not listed: %s", e.RuleName(), e.Category, e.Label, e.Impact, e.Reason, text)
		}
	}
}

// corpusCommands returns the commands in the corpora of this package and of package verdicts.
func corpusCommands(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"testdata/corpus/*.jsonl", "../../lab/verdicts/testdata/*.jsonl"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for line := range bytes.Lines(data) {
				var c struct{ Command string }
				if json.Unmarshal(line, &c) == nil && c.Command != "" {
					out = append(out, c.Command)
				}
			}
		}
	}
	return out
}
