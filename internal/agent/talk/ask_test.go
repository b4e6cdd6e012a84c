package talk

import (
	"context"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/agent"
)

// The question shows all metadata of a call: the safety label, and every other key.
func TestConfirmShowsMetadata(t *testing.T) {
	t.Parallel()
	var out, side strings.Builder
	tk := New(Options{In: strings.NewReader(""), Out: &out, Err: &side})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = tk.Confirm(ctx, agent.Question{Agent: "root", Tool: "shell", Input: []byte(`{"cmd":"x"}`),
		Metadata: map[string]string{"blast_radius": "high", "safety_label": "destructive", "category": "fs-delete", "reason": "it deletes", "note": "a\x1bb"}})
	for _, want := range []string{"[destructive, blast radius: high]", "\n  category: fs-delete\n", "\n  reason: it deletes\n", "\n  note: a\\x1bb\n"} {
		if !strings.Contains(side.String(), want) {
			t.Errorf("no %q in\n%s", want, side.String())
		}
	}
}
