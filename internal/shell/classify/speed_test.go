package classify_test

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// typicalCommands are commands that agents often run.
var typicalCommands = []string{
	"ls -la", "git status", "git diff --stat HEAD~3", "npm test", "go test ./...", "cat package.json | head -50", "grep -rn TODO src",
	"rm -rf node_modules", "mkdir -p out && cp a.txt out/", "docker ps -a", "python -m pytest -q", "git commit -am 'fix: the thing'",
	"curl -s https://example.com/api/items", "find . -name '*.go' -not -path './vendor/*'", "cd web && npm run build", "kubectl get pods -n dev",
}

// BenchmarkTypical measures typicalCommands.
func BenchmarkTypical(b *testing.B) {
	place := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	for i := 0; b.Loop(); i++ {
		classify.Command(typicalCommands[i%len(typicalCommands)], place)
	}
}

// BenchmarkScript measures a script of 7 KB.
func BenchmarkScript(b *testing.B) {
	place := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"}
	text := "set -euo pipefail\n"
	for i := 0; len(text) < 7<<10; i++ {
		text += strings.Join(typicalCommands[i%len(typicalCommands):], "\n") + "\nif [ -f out/a.txt ]; then echo \"made $i\"; fi\n"
	}
	text = text[:7<<10]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		classify.Command(text, place)
	}
}
