package classify

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// everydayCommands returns everyday commands from the corpora on which verdicts are measured.
func everydayCommands(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, file := range []string{"everyday.jsonl", "second_everyday.jsonl"} {
		f, err := os.Open("../../lab/verdicts/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var row struct{ Command, Dialect string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			if row.Command != "" && (row.Dialect == "" || row.Dialect == "bash") {
				out = append(out, row.Command)
			}
		}
	}
	return out
}

// TestEverydayCommandsAreReadable checks that hardly any everyday command is opaque or exceeds a
// limit, since a guard asks about those.
func TestEverydayCommandsAreReadable(t *testing.T) {
	all := everydayCommands(t)
	hidden := 0
	for _, text := range all {
		r := Command(text, shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u"})
		if r.Gaps.Has(shell.GapOpaque) || r.Gaps.Has(shell.GapLimit) {
			hidden++
			t.Logf("%s: %s: %s", r.Gaps.Worst(), r.Reason, strings.ReplaceAll(text, "\n", "⏎"))
		}
	}
	share := float64(hidden) / float64(len(all))
	t.Logf("%d of %d commands hide something (%.2f %%)", hidden, len(all), 100*share)
	if len(all) < 1000 || share > 0.005 {
		t.Errorf("%.2f %% of %d everyday commands are opaque or exceed a limit; at most 0.5 %% may", 100*share, len(all))
	}
}
