package transcript_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

// longestFixture returns the longest transcript of a host, or "" if the host has none in lines.
func longestFixture(t testing.TB, host string) (path string, text []byte) {
	t.Helper()
	home, err := filepath.Abs(filepath.Join("testdata", host))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range setups.Transcripts().Find(home, nil) {
		b, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(f.Path) != ".db" && len(b) > len(text) {
			path, text = f.Path, b
		}
	}
	return path, text
}

// readCalls reads text as a transcript of host, and returns a line for each call.
func readCalls(t testing.TB, host, text string) ([]string, transcript.Report, error) {
	t.Helper()
	var out []string
	rep, err := setups.Transcripts().ForHost(host).Read(strings.NewReader(text), transcript.Options{}, func(c *transcript.Call) error {
		out = append(out, formatCall(c))
		return nil
	})
	return out, rep, err
}

func formatCall(c *transcript.Call) string {
	return fmt.Sprintf("%s %s %s %s %s %s %x %t", c.Outcome, c.ID, c.Session, c.Agent, c.Tool, c.Command, c.Digest, c.Orphan)
}

func hostsWithLines() []string {
	return slices.DeleteFunc(setups.Transcripts().Hosts(), func(h string) bool { return h == "opencode" })
}

func TestUnknownLinesAreSkipped(t *testing.T) {
	const alien = `{"type":"brand.new","kind":"brand-new","sessionId":"","payload":{"type":["odd"]},"message":7,"data":[],"toolCalls":{"tool_use":1},"x":"tool_result function_call"}` + "\n"
	for _, host := range hostsWithLines() {
		_, text := longestFixture(t, host)
		want, _, err := readCalls(t, host, string(text))
		if err != nil || len(want) < 7 {
			t.Fatalf("%s: %d calls, %v", host, len(want), err)
		}
		lines := strings.SplitAfter(string(text), "\n")
		deep := strings.Repeat("[", 100_000)
		for name, ruin := range map[string]struct {
			text    string
			skipped int
			cut     bool
		}{
			"new kinds":     {text: strings.Join(lines, alien)},
			"new members":   {text: strings.ReplaceAll(string(text), "\n{", "\n"+`{"brand_new":{"tool_use":["tool_result",null]},`)},
			"CRLF":          {text: strings.ReplaceAll(string(text), "\n", "\r\n")},
			"empty lines":   {text: strings.ReplaceAll(string(text), "\n", "\n\n \n")},
			"garbage":       {text: lines[0] + "\xff\xfe garbage }{\n" + strings.Join(lines[1:], ""), skipped: 1},
			"NUL bytes":     {text: lines[0] + strings.Repeat("\x00", 9000) + "\n" + strings.Join(lines[1:], ""), skipped: 1},
			"not an object": {text: lines[0] + "[1]\n7\n\"tool_use\"\n" + strings.Join(lines[1:], ""), skipped: 3},
			"too deep":      {text: lines[0] + `{"a":` + deep + "\n" + strings.Join(lines[1:], ""), skipped: 1},
			"cut last line": {text: string(text) + `{"type":"assistant","mess`, cut: true},
			"no last end":   {text: strings.TrimSuffix(string(text), "\n")},
		} {
			got, rep, err := readCalls(t, host, ruin.text)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v\n%s\nwant\n%s", host, name, err, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if rep.SkippedAll != ruin.skipped || len(rep.Skipped) != ruin.skipped || rep.Truncated != ruin.cut {
				t.Errorf("%s, %s: %+v", host, name, rep)
			}
		}
	}
}

// A repeatReader returns the same piece again and again, without holding all copies in memory.
type repeatReader struct {
	piece []byte
	times int
	rest  []byte
}

func (r *repeatReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.times == 0 {
			return 0, io.EOF
		}
		r.times--
		r.rest = r.piece
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestLongLines(t *testing.T) {
	long := func(mb int) io.Reader { return &repeatReader{piece: bytes.Repeat([]byte("x"), 1<<20), times: mb} }
	const call = `{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"a","name":"Bash","input":{"command":"ls"}}]}}` + "\n"
	result := func(mb int) io.Reader {
		return io.MultiReader(strings.NewReader(`{"type":"user","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"a","content":"`),
			long(mb), strings.NewReader(`"}]}}`+"\n"))
	}
	for _, c := range []struct {
		mb      int
		outcome transcript.Outcome
		skipped int
	}{{63, transcript.Ran, 0}, {65, transcript.Unknown, 1}, {130, transcript.Unknown, 1}} {
		var got []transcript.Outcome
		size := 0
		o := transcript.Options{Text: func(_ *transcript.Call, s string) error { size = max(size, len(s)); return nil }}
		rep, err := setups.Transcripts().ForHost("claude").Read(io.MultiReader(strings.NewReader(call), result(c.mb), strings.NewReader(call)), o, func(c *transcript.Call) error {
			got = append(got, c.Outcome)
			return nil
		})
		if err != nil || len(got) != 2 || got[0] != c.outcome || rep.SkippedAll != c.skipped || c.skipped == 0 && size != c.mb<<20 {
			t.Errorf("%d MB: %v, %d bytes of text, %+v, %v", c.mb, got, size, rep, err)
		}
	}
}

func TestMemoryDoesNotGrow(t *testing.T) {
	for _, host := range hostsWithLines() {
		_, text := longestFixture(t, host)
		var most uint64
		n := 0
		_, err := setups.Transcripts().ForHost(host).Read(&repeatReader{piece: text, times: (24 << 20) / len(text)}, transcript.Options{Text: func(*transcript.Call, string) error { return nil }}, func(*transcript.Call) error {
			if n++; n%4096 == 0 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapAlloc)
			}
			return nil
		})
		if err != nil || most > 24<<20 {
			t.Errorf("%s: %d calls, %d MB in use at the most, %v", host, n, most>>20, err)
		}
	}
}

// TestManyParts reads lines with the maximum number of parts, and checks that memory does not grow
// with their number, that skipped parts are reported, and that the next line is read.
func TestManyParts(t *testing.T) {
	const parts = 1 << 20
	for host, around := range map[string][3]string{
		"claude": {`{"type":"assistant","sessionId":"s","message":{"content":[`, `{"type":"tool_use"}`, `]}}`},
		"gemini": {`{"id":"i","timestamp":"2026-11-17T05:15:39.742Z","type":"gemini","toolCalls":[`, `{"status":"executing"}`, `]}`},
		"qwen":   {`{"uuid":"u","sessionId":"s","type":"assistant","message":{"parts":[`, `{"functionCall":{"id":""}}`, `]}}`},
	} {
		_, text := longestFixture(t, host)
		read := func(text string) (n int, rep transcript.Report, err error) {
			rep, err = setups.Transcripts().ForHost(host).Read(strings.NewReader(text), transcript.Options{}, func(c *transcript.Call) error {
				if c.ID != "" {
					n++
				}
				return nil
			})
			return n, rep, err
		}
		want, _, _ := read(string(text))
		line := around[0] + strings.Repeat(around[1]+",", parts) + around[1] + around[2] + "\n"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, rep, err := read(line + string(text))
		runtime.ReadMemStats(&after)
		// The line is copied while its end is being searched.
		if took := after.TotalAlloc - before.TotalAlloc; took > 8*uint64(len(line))+32<<20 {
			t.Errorf("%s: %d MB for a line of %d MB", host, took>>20, len(line)>>20)
		}
		if err != nil || rep.SkippedAll != 1 || !strings.Contains(rep.Skipped[0].Why, "parts not read") || got != want {
			t.Errorf("%s: %d calls, want %d; %+v, %v", host, got, want, rep, err)
		}
	}
}

func TestForeignFileErrors(t *testing.T) {
	for _, host := range hostsWithLines() {
		for name, text := range map[string]string{
			"another's lines": `{"level":"info","msg":"hello"}` + "\n" + `{"level":"info","msg":"tool_use"}` + "\n",
			"prose":           "# tool_use\nread me\n",
			"bytes":           "\x7fELF\x00\x01\x02\n\x00\n",
			"one number":      "7\n",
		} {
			got, _, err := readCalls(t, host, text)
			var foreign *transcript.ForeignError
			if !errors.As(err, &foreign) || len(got) > 0 {
				t.Errorf("%s, %s: %v, %v", host, name, got, err)
			}
		}
		if got, _, err := readCalls(t, host, ""); err != nil || len(got) > 0 {
			t.Errorf("%s: an empty file: %v, %v", host, got, err)
		}
	}
}

func TestReusedIDIsAnotherCall(t *testing.T) {
	_, text := longestFixture(t, "claude")
	once, _, _ := readCalls(t, "claude", string(text))
	twice, _, err := readCalls(t, "claude", string(text)+string(text))
	if err != nil || len(twice) != 2*len(once) {
		t.Errorf("%d calls, then %d; %v", len(once), len(twice), err)
	}
	_, text = longestFixture(t, "gemini") // Gemini repeats calls
	once, _, _ = readCalls(t, "gemini", string(text))
	twice, _, err = readCalls(t, "gemini", string(text)+string(text))
	if err != nil || !slices.Equal(once, twice) {
		t.Errorf("%d calls, then %d; %v", len(once), len(twice), err)
	}
}

func TestManyOpenCalls(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `{"type":"assistant","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{}}]}}`+"\n", i)
	}
	got, _, err := readCalls(t, "claude", b.String())
	if err != nil || len(got) != 5000 || !strings.HasPrefix(got[0], "unknown t0 ") || !strings.HasPrefix(got[4999], "unknown t4999 ") {
		t.Errorf("%d calls, %v", len(got), err)
	}
}

func TestFirstErrorEndsReading(t *testing.T) {
	_, text := longestFixture(t, "claude")
	stop := errors.New("enough")
	n := 0
	_, err := setups.Transcripts().ForHost("claude").Read(bytes.NewReader(text), transcript.Options{}, func(*transcript.Call) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("%d calls, %v", n, err)
	}
	_, err = setups.Transcripts().ForHost("claude").Read(bytes.NewReader(text), transcript.Options{Text: func(*transcript.Call, string) error { return stop }}, func(*transcript.Call) error { t.Error("called"); return nil })
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestDigest(t *testing.T) {
	same := []string{`{"a":1,"b":["x",{"c":null,"d":"é"}]}`, "{ \"b\" : [\"x\", {\"d\":\"\\u00e9\",\"c\":null}],\n\"a\":1}", `{"a":2,"a":1,"b":["x",{"c":null,"d":"é"}]}`}
	for _, s := range same {
		if transcript.Digest([]byte(s)) != transcript.Digest([]byte(same[0])) {
			t.Errorf("%s has another digest", s)
		}
	}
	for _, s := range []string{`{"a":1,"b":["x",{"c":null,"d":"e"}]}`, `{"a":"1"}`, `{}`, `[]`} {
		if transcript.Digest([]byte(s)) == transcript.Digest([]byte(same[0])) {
			t.Errorf("%s has the same digest", s)
		}
	}
	if transcript.Digest([]byte(`{"a":`)) != [32]byte{} {
		t.Error("what is not JSON has a digest")
	}
}

func TestTextHead(t *testing.T) {
	long := strings.Repeat(`x\u00e9\n`, 1000)
	for val, want := range map[string]string{
		`"plain"`:                      "plain",
		`" spaced\n"`:                  "spaced",
		`{"output":"said"}`:            "said",
		`{"type":"x","text":"said"}`:   "said",
		`[{"type":"x","text":"said"}]`: "said",
		`["said","more"]`:              "said",
		`{"n":1,"o":{"text":"deep"}}`:  "",
		`[]`:                           "", `{}`: "", `7`: "", `""`: "",
		`{"output":"said ` + long + `"}`:            "said x",
		`[{"type":"t","text":"said ` + long + `"}]`: "said x",
		`"said ` + strings.Repeat("é", 1000) + `"`:  "said é",
	} {
		if got := transcript.TextHead([]byte(val)); got != want && (want == "" || len(val) < 1000 || !strings.HasPrefix(got, want) || len(got) > transcript.MaxHead || !utf8.ValidString(got)) {
			t.Errorf("%.60s: %q, want %q", val, got, want)
		}
	}
}
