package transcript_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// listCalls returns a line for each file and each call in a home directory.
func listCalls(t *testing.T, home string, environ ...string) string {
	t.Helper()
	var b strings.Builder
	for _, f := range setups.Transcripts().Find(home, environ) {
		name, err := filepath.Rel(home, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s %s\n", f.Host, filepath.ToSlash(name))
		texts := map[string][]string{}
		o := transcript.Options{Text: func(c *transcript.Call, text string) error {
			texts[c.ID] = append(texts[c.ID], transcript.Short(text, 60))
			return nil
		}}
		rep, err := f.Read(o, func(c *transcript.Call) error {
			fmt.Fprintf(&b, "\t%s %s session=%s agent=%s %s %x", c.Outcome, c.ID, c.Session, c.Agent, c.Tool, c.Digest[:4])
			for _, s := range []string{c.Command, c.Path} {
				if s != "" {
					fmt.Fprintf(&b, " %q", transcript.Short(s, 60))
				}
			}
			fmt.Fprintf(&b, " %s %q\n", c.At.Format("15:04:05.000"), texts[c.ID])
			return nil
		})
		if err != nil {
			fmt.Fprintf(&b, "\t%v\n", err)
		}
		for _, s := range rep.Skipped {
			fmt.Fprintf(&b, "\tline %d: %s\n", s.Line, s.Why)
		}
	}
	return b.String()
}

// TestFixtures reads what real hosts wrote for each kind of call; see the README beside the fixtures.
func TestFixtures(t *testing.T) {
	for _, host := range setups.Transcripts().Hosts() {
		t.Run(host, func(t *testing.T) {
			home, err := filepath.Abs(filepath.Join("testdata", host))
			if err != nil {
				t.Fatal(err)
			}
			got, golden := listCalls(t, home), filepath.Join("testdata", host+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) || !strings.Contains(got, "denied") {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
