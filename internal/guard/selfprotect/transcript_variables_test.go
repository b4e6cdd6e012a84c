package selfprotect

import (
	"slices"
	"testing"

	transcript "github.com/checkrein/checkrein/internal/catalog/transcripts"
	"github.com/checkrein/checkrein/internal/shell"
)

// TestTranscriptVariables checks that a shell command that uses the variables for the directories of
// transcripts is judged by their values.
func TestTranscriptVariables(t *testing.T) {
	for p := range transcript.AllPlaces {
		for _, m := range p.Vars {
			if m.Variable != "LocalAppData" && !slices.Contains(slices.Collect(shell.DirVariables), m.Variable) {
				t.Errorf("%s is not among the directories that commands name", m.Variable)
			}
		}
	}
}
