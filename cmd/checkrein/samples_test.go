package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	commands "github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// TestHotProgramHasNoSamples looks into the programs as they are built: the
// samples of rules are for people and tests, so only the companion has them.
func TestHotProgramHasNoSamples(t *testing.T) {
	t.Parallel()
	longest := map[string]string{} // a pack's
	program.EachSample(func(r *commands.Rule, s *commands.Samples) {
		pack := r.Category.Row().PackName()
		for _, text := range slices.Concat(s.Match, s.NoMatch) {
			if len(text) > len(longest[pack]) {
				longest[pack] = text
			}
		}
	})
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(programs, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	hot, companion := read("checkrein"), read("checkreind")
	for pack, text := range longest {
		if bytes.Contains(hot, []byte(text)) {
			t.Errorf("the hot program carries samples of the pack %s: %s", pack, text)
		}
		if !bytes.Contains(companion, []byte(text)) {
			t.Errorf("the companion does not carry this sample of the pack %s: %s", pack, text)
		}
	}
}
