package transcript_test

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

func FuzzClaude(f *testing.F)  { fuzzLines(f, "claude") }
func FuzzCodex(f *testing.F)   { fuzzLines(f, "codex") }
func FuzzGemini(f *testing.F)  { fuzzLines(f, "gemini") }
func FuzzQwen(f *testing.F)    { fuzzLines(f, "qwen") }
func FuzzCopilot(f *testing.F) { fuzzLines(f, "copilot") }
func FuzzNative(f *testing.F)  { fuzzLines(f, "native") }

// fuzzLines checks that reading any bytes ends, respects the limits, counts correctly and is
// deterministic.
func fuzzLines(f *testing.F, host string) {
	_, text := longestFixture(f, host)
	f.Add(text)
	for l := range bytes.Lines(text) {
		f.Add(l)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var first []string
		for range 2 {
			var got []string
			form := setups.Transcripts().ForHost(host)
			rep, err := form.Read(bytes.NewReader(b), transcript.Options{
				Digest: func(in []byte) string { return string(in[:min(len(in), 8)]) },
				Text:   func(c *transcript.Call, _ string) error { checkCall(t, host, c); return nil },
			}, func(c *transcript.Call) error {
				checkCall(t, host, c)
				got = append(got, formatCall(c))
				return nil
			})
			var foreign *transcript.ForeignError
			if err != nil && !errors.As(err, &foreign) {
				t.Fatal(err)
			}
			if rep.Calls != len(got) || rep.Bytes != int64(len(b)) || rep.SkippedAll < len(rep.Skipped) || len(rep.Skipped) > transcript.MaxSkips {
				t.Fatalf("%d calls: %+v", len(got), rep)
			}
			if first == nil {
				first = got
			} else if len(first) != len(got) {
				t.Fatalf("%q, then %q", first, got)
			}
		}
	})
}

func checkCall(t *testing.T, host string, c *transcript.Call) {
	t.Helper()
	for _, s := range []string{c.ID, c.Session, c.Root, c.Agent, c.Tool} {
		if len(s) > transcript.MaxName || !utf8.ValidString(s) {
			t.Fatalf("a name of %d bytes: %q", len(s), s)
		}
	}
	if c.Host != host || len(c.Command) > transcript.MaxSubject || len(c.Path) > transcript.MaxSubject || int(c.Outcome) >= len(transcript.Outcomes) {
		t.Fatalf("%+v", c)
	}
}

func FuzzDatabase(f *testing.F) {
	db, log := fixtureFiles(f)
	f.Add(db, log)
	f.Add(db, []byte{})
	f.Fuzz(func(t *testing.T, db, log []byte) {
		_, rep, err := readDatabase(t, db, log)
		var foreign *transcript.ForeignError
		if err != nil && !errors.As(err, &foreign) {
			t.Fatalf("%+v, %v", rep, err)
		}
	})
}
