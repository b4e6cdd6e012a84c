package hot

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	hosts "github.com/checkrein/checkrein/internal/host"
)

// What eval makes of a host's payload is what hook makes of it: all of its rows.
func TestEvalFiresWhatHookFires(t *testing.T) {
	t.Parallel()
	several := 0
	for _, h := range hosts.Table() {
		files, err := filepath.Glob(filepath.Join("..", "host", strings.ReplaceAll(h.Name, "-", ""), "testdata", "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d payloads, %v", h.Name, len(files), err)
		}
		for _, file := range files {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			event := ""
			if h.Unnamed {
				event, _, _ = strings.Cut(filepath.Base(file), ".")
			}
			if err := checkNames(h.Name, event); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			hook := (&hookFlags{host: h.Name, event: event}).read(body, nil)
			got, err := (&evalFlags{host: h.Name, event: event}).read(bytes.NewReader(body))
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
