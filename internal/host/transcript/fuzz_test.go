package transcript

import (
	"bytes"
	"errors"
	"testing"
	"unicode/utf8"
)

func FuzzClaude(f *testing.F)  { fuzzLines(f, "claude") }
func FuzzCodex(f *testing.F)   { fuzzLines(f, "codex") }
func FuzzGemini(f *testing.F)  { fuzzLines(f, "gemini") }
func FuzzQwen(f *testing.F)    { fuzzLines(f, "qwen") }
func FuzzCopilot(f *testing.F) { fuzzLines(f, "copilot") }
func FuzzNative(f *testing.F)  { fuzzLines(f, "native") }

// FuzzOpencode reads parts that are files of their own, as lines.
func FuzzOpencode(f *testing.F) { fuzzLines(f, "opencode") }

// fuzzLines feeds a form with any bytes: it ends, holds to its bounds, counts right
// and says the same of the same bytes.
func fuzzLines(f *testing.F, host string) {
	_, text := fixture(f, host)
	f.Add(text)
	for l := range bytes.Lines(text) {
		f.Add(l)
	}
	f.Add([]byte(`{"type":"tool","sessionID":"s","tool":"bash","callID":"c","state":{"status":"error","error":"checkrein blocked x","input":{"command":"ls"},"time":{"start":1}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, whole := range []bool{false, true} {
			var first []string
			for range 2 {
				var got []string
				d, err := newDesk(host, Options{
					Sum:  func(in []byte) string { return string(in[:min(len(in), 8)]) },
					Text: func(c *Call, _ string) error { checkCall(t, host, c); return nil },
				}, func(c *Call) error {
					checkCall(t, host, c)
					got = append(got, line(c))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				d.whole = whole && d.form.whole != nil
				rep, err := d.read(bytes.NewReader(b), 0)
				var foreign *ForeignError
				if err != nil && !errors.As(err, &foreign) {
					t.Fatal(err)
				}
				if rep.Calls != len(got) || rep.Bytes != int64(len(b)) || rep.Next > rep.Bytes || rep.SkippedAll < len(rep.Skipped) || len(rep.Skipped) > maxSkips {
					t.Fatalf("%d calls: %+v", len(got), rep)
				}
				if first == nil {
					first = got
				} else if len(first) != len(got) {
					t.Fatalf("%q, then %q", first, got)
				}
			}
		}
	})
}

func checkCall(t *testing.T, host string, c *Call) {
	t.Helper()
	for _, s := range []string{c.ID, c.Session, c.Root, c.Agent, c.Tool} {
		if len(s) > maxName || !utf8.ValidString(s) {
			t.Fatalf("a name of %d bytes: %q", len(s), s)
		}
	}
	if c.Host != host || len(c.Command) > maxSubject || len(c.Path) > maxSubject || int(c.Outcome) >= len(outcomes) {
		t.Fatalf("%+v", c)
	}
}

func FuzzDatabase(f *testing.F) {
	db, log := fixtureFiles(f)
	f.Add(db, log)
	f.Add(db, []byte{})
	f.Fuzz(func(t *testing.T, db, log []byte) {
		_, rep, err := readDB(t, db, log, 0)
		var foreign *ForeignError
		if err != nil && !errors.As(err, &foreign) {
			t.Fatalf("%+v, %v", rep, err)
		}
	})
}
