package rules

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

//go:embed testdata/tools.txt
var toolsTable string

//go:embed testdata/everyday.txt
var everydayTable string

// TestPackEffects checks the worst effect of whole commands against a table. It covers rules, experts
// and rows of programs together.
func TestPackEffects(t *testing.T) {
	for line := range strings.SplitSeq(toolsTable+"\n"+everydayTable, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		label, rest, _ := strings.Cut(line, " ")
		radius, text, _ := strings.Cut(rest, " ")
		got := worstEffect(t, text)
		if got.Label.String() != label || radius != "-" && got.Impact.String() != radius {
			t.Errorf("%s\n\tis %v %v (%s/%s: %s), want %s %s", text, got.Label, got.Impact, got.Row().PackName(), got.Rule, got.Reason, label, radius)
		}
	}
}

// worstEffect returns the worst effect of the command line text. A call that no rule and no row
// describes is unknown.
func worstEffect(t testing.TB, text string) shell.Effect {
	var worst shell.Effect
	for _, c := range resolveCalls(t, text) {
		effects, known := Effects(c, nil)
		if !known {
			effects = append(effects, shell.Effect{Label: shell.Unknown, Impact: shell.ImpactUnknown, Reason: "not known"})
		}
		for i := range effects {
			if worst.Kind == "" && worst.Reason == "" || isWorse(&effects[i], &worst) {
				worst = effects[i]
			}
		}
	}
	return worst
}

// TestExpertsTakeLinearTime runs the experts on words that are made to take much time.
func TestExpertsTakeLinearTime(t *testing.T) {
	long := strings.Repeat("a;(", 100_000)
	words := make([]shell.Word, 20_000)
	for i := range words {
		words[i].Text = "npx"
	}
	for _, name := range [...]string{"npx", "redis-cli", "mongosh", "psql", "curl", "kill", "python", "php", "uniq", "sudo", "./x"} {
		for _, c := range [...]*shell.Call{
			{Name: name, Path: name, Args: words},
			{Name: name, Path: name, Args: []shell.Word{{Text: long}}, In: &shell.Flow{Text: long}},
			{Name: name, Path: name, Args: []shell.Word{{}, {Text: "-"}, {Text: "--"}, {Text: string(shell.Placeholder)}}},
			{Name: name, Path: name, Args: []shell.Word{{Text: "-X"}}},
		} {
			Effects(c, nil)
		}
	}
}

func BenchmarkPackEffects(b *testing.B) {
	list := resolveCalls(b, `npm run build; psql -c "SELECT 1"; redis-cli GET x; curl https://example.com; python x.py; ls -la; systemctl status nginx; gh pr view 12`)
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range list {
			Effects(c, nil)
		}
	}
}
