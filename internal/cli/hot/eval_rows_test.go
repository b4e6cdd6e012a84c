package hot

import (
	"bytes"
	"path/filepath"
	"slices"
	"testing"

	"github.com/checkrein/checkrein"
	hosts "github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

// For a host's payload, eval fires the same events as hook.
func TestEvalFiresWhatHookFires(t *testing.T) {
	t.Parallel()
	several := 0
	for _, h := range hosts.Table() {
		for _, p := range wiretest.AllPayloads(t, filepath.Join("..", "..", "host"), h) {
			file, body, event := p.File, p.Body, p.Event
			if err := checkNames(h.Name, event); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			hook := (&hookFlags{host: h.Name, event: event}).readCall(body, nil)
			got, err := (&evalFlags{host: h.Name, event: event}).readEvents(bytes.NewReader(body))
			if err != nil || !slices.Equal(kindsOf(got), kindsOf(hook.Events)) || got[0].Native != hook.Native || got[0].Host != h.Name {
				t.Errorf("%s: eval %v of %s %s, hook %v of %s, %v", file, kindsOf(got), got[0].Host, got[0].Native, kindsOf(hook.Events), hook.Native, err)
			}
			if len(got) > 1 {
				several++
			}
		}
	}
	if several < 20 {
		t.Errorf("%d payloads are several events", several)
	}
}

func kindsOf(events []checkrein.Event) []checkrein.Kind {
	out := make([]checkrein.Kind, len(events))
	for i := range events {
		out[i] = events[i].Kind
	}
	return out
}
