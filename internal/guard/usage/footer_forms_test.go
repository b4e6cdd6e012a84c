package usage

import (
	"strings"
	"testing"
)

func TestFooterForms(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"─ z-ai/glm-5.2 · $0.0211", "── m · $1", "─ a b · c · $0.02", "─ m · $0.0211 · 900 in / 120 out", "─ m · $0.0211 · 💰 $271.64", "─ m ·$0.02",
		"Model: GLM-5.2 | Cost: $0.038", "model: x | cost: $1", "Model: x Cost: $0.02", "Model: Claude Opus 4.5 | Tokens: 12 | Cost: $0.04 | 3 s",
	} {
		if !isFooter(line) {
			t.Errorf("%s is no footer", line)
		}
	}
	for _, line := range []string{
		"- Coffee · $3", "— said she · $5", "* x · $1", "└─ item · $5", "─ item", "─────── · $5", "─ · $5", "─ x · $VALUE", "─ x · $5 a month", "─ x · about $5", "─ car · $20000",
		"export PRICE=$VALUE  # set it", "Model: see the docs for setup.", "Model: it has a Cost: section", "The Cost: $5", "Model: Corolla. Cost: $5", "Model: X Cost: $5 plan is best.",
		"Model: Corolla | Cost: $20,000", "Model: Cost: $5", "Models: x | Cost: $5", "Model: x | Cost: 5 dollars", "Model: x | Total cost is $5", "Model: x | Cost: $", "Model: x | Cost: $.", "",
	} {
		if isFooter(line) {
			t.Errorf("%s is a footer", line)
		}
	}
}

func FuzzStripFooters(f *testing.F) {
	f.Add("a\n─ x · $1\n\nModel: x | Cost: $2")
	f.Add("─ ·  · $")
	f.Fuzz(func(t *testing.T, text string) {
		body := stripFooters(text)
		if !strings.HasPrefix(text, body) || stripFooters(body) != body {
			t.Fatalf("%q becomes %q", text, body)
		}
	})
}
