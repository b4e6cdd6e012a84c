package classify

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestSentSecrets checks two lists: commands that send secrets to a host that they name, with any
// program and through any intermediate file or variable, and similar harmless commands, which log in
// or send something that is not secret.
func TestSentSecrets(t *testing.T) {
	place := shell.Place{Dir: "/home/dev/work/shop", Root: "/home/dev/work/shop", Home: "/home/dev"}
	for _, list := range []struct {
		file  string
		leaks bool
	}{{"leaks", true}, {"harmless", false}} {
		data, err := os.ReadFile("testdata/sent/" + list.file + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var row struct{ Command string }
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatalf("%s:%d: %v", list.file, i+1, err)
			}
			leaks, reason := false, ""
			for _, e := range Command(row.Command, place).Effects {
				if e.Label == shell.Exfiltration {
					leaks, reason = true, e.Reason
				}
			}
			if leaks != list.leaks {
				t.Errorf("%s: %s\n\tleaks: %v, want %v %s", list.file, row.Command, leaks, list.leaks, reason)
			}
		}
	}
}
