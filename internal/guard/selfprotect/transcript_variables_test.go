package selfprotect

import (
	"slices"
	"testing"

	transcript "github.com/checkrein/checkrein/internal/catalog/transcripts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A shell puts in what the variables hold that move a host's transcripts.
func TestTranscriptVariables(t *testing.T) {
	for p := range transcript.AllPlaces {
		for _, m := range p.Vars {
			if m.Variable != "LocalAppData" && !slices.Contains(slices.Collect(shell.DirVariables), m.Variable) {
				t.Errorf("%s is not among the directories that commands name", m.Variable)
			}
		}
	}
}
