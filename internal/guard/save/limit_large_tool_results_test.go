package save

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
	"github.com/checkrein/checkrein/internal/lab/norace"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// runLimiter runs the Limiter on the output of tool. It returns the new output, or "" if it stays, and
// the texts that were saved.
func runLimiter(t *testing.T, tool checkrein.Tool) (out string, kept []string) {
	t.Helper()
	spill := func(_ *checkrein.Event, text string) (string, error) {
		kept = append(kept, text)
		return "/state/results/1.txt", nil
	}
	run, err := NewLimitLargeToolResults(Limiter{Spill: spill}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call := builtin.Call{Event: checkrein.Event{Kind: checkrein.ToolResponseTransform, Session: checkrein.Session{ID: "s"}, Tool: &tool}}
	v, err := run(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	return string(v.Output), kept
}

func TestLimitLargeToolResults(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("line\n", 2001)
	wide := strings.Repeat("é", 30<<10)
	for _, c := range []struct {
		name string
		tool checkrein.Tool
		cut  bool
	}{
		{"small", checkrein.Tool{Name: "Bash", Output: rawjson.Quote("ok")}, false},
		{"at the limit", checkrein.Tool{Name: "Bash", Output: rawjson.Quote(strings.Repeat("line\n", 2000))}, false},
		{"lines", checkrein.Tool{Name: "Bash", Output: rawjson.Quote(lines)}, true},
		{"bytes", checkrein.Tool{Name: "Read", Output: rawjson.Quote(wide)}, true},
		{"a server's tool", checkrein.Tool{Name: "mcp__a__b", Output: rawjson.Quote(lines)}, true},
		{"by category", checkrein.Tool{Name: "odd", Category: "a2a", Output: rawjson.Quote(lines)}, true},
		{"another category", checkrein.Tool{Name: "Bash", Category: "think", Output: rawjson.Quote(lines)}, false},
		{"another tool", checkrein.Tool{Name: "odd", Output: rawjson.Quote(lines)}, false},
	} {
		out, kept := runLimiter(t, c.tool)
		if (out != "") != c.cut {
			t.Errorf("%s: %.80s", c.name, out)
			continue
		}
		if !c.cut {
			continue
		}
		text, _ := rawjson.Text([]byte(out))
		whole, _ := rawjson.Text(c.tool.Output)
		if len(kept) != 1 || kept[0] != whole || !strings.Contains(text, "/state/results/1.txt") {
			t.Errorf("%s: kept %d texts; %.200s", c.name, len(kept), text)
		}
		_, end, _ := strings.Cut(text, "]\n")
		if !strings.HasSuffix(whole, end) || len(end) > maxResult || strings.Count(end, "\n") > maxLines || len(end) < 4000 {
			t.Errorf("%s: the end has %d bytes", c.name, len(end))
		}
		if again, _ := runLimiter(t, checkrein.Tool{Name: c.tool.Name, Category: c.tool.Category, Output: json.RawMessage(rawjson.Quote(end))}); again != "" {
			t.Errorf("%s: what was cut is cut again", c.name)
		}
	}
}

// TestLimitKeepsStructure checks that only the strings of an output change, because hosts check its
// structure.
func TestLimitKeepsStructure(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789\n", 10<<10)
	val, _ := json.Marshal(map[string]any{"stdout": big, "stderr": "", "interrupted": false, "code": 0})
	out, kept := runLimiter(t, checkrein.Tool{Name: "Bash", Output: val})
	var got map[string]any
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 4 || got["interrupted"] != false || len(kept) != 1 {
		t.Fatalf("%.200s, %v", out, err)
	}
	if s, _ := got["stdout"].(string); len(s) > maxResult+500 || !strings.HasSuffix(s, "0123456789\n") {
		t.Errorf("stdout has %d bytes", len(s))
	}
	many := make([]string, 20<<10)
	for i := range many {
		many[i] = "a name"
	}
	val, _ = json.Marshal(many)
	if out, _ := runLimiter(t, checkrein.Tool{Name: "Glob", Output: val}); out == "" || len(out) > 2*maxResult {
		t.Errorf("a list of many small texts became %d bytes", len(out))
	}
}

// TestLimitRedactsBeforeSaving checks that a saved output is redacted first, whatever other hooks do.
func TestLimitRedactsBeforeSaving(t *testing.T) {
	t.Parallel()
	for _, name := range guardtest.SecretKinds {
		secret := guardtest.PlantedSecret(name)
		_, kept := runLimiter(t, checkrein.Tool{Name: "Bash", Output: rawjson.Quote(strings.Repeat("x\n", 3000) + "the key: " + secret + "\n")})
		if len(kept) != 1 || guardtest.Leaks(kept[0], secret) {
			t.Errorf("%s reached the file", name)
		}
	}
}

// TestLimitNeverSplitsSecrets checks that a secret is redacted before the limit could cut off a part
// of it, because the rest would not be recognised as a secret.
func TestLimitNeverSplitsSecrets(t *testing.T) {
	norace.SkipUnderRace(t)
	t.Parallel()
	for _, name := range guardtest.SecretKinds {
		s := guardtest.PlantedSecret(name)
		for off := -2; off <= len(s)+2; off++ {
			whole := strings.Repeat("lorem ", 10<<10)
			at := len(whole) - maxResult - off
			whole = whole[:at] + " " + s + " " + whole[at:]
			out, kept := runLimiter(t, checkrein.Tool{Name: "Bash", Output: rawjson.Quote(whole)})
			text, _ := rawjson.Text([]byte(out))
			if guardtest.Leaks(text, s) || guardtest.Leaks(kept[0], s) {
				t.Fatalf("%s is cut %d bytes before its end, and a piece stays", name, len(s)-off)
			}
		}
		// With escapes, in an object that is large without having a large string.
		var esc strings.Builder
		for _, c := range []byte(s) {
			esc.WriteString(`\u00` + string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]))
		}
		val := `[{"key":"` + esc.String() + `"},` + strings.Repeat(`"a name",`, 20<<10) + `"` + esc.String() + `"]`
		out, kept := runLimiter(t, checkrein.Tool{Name: "Glob", Output: json.RawMessage(val)})
		if len(kept) != 1 || strings.Contains(kept[0]+out, esc.String()[:72]) || guardtest.Leaks(kept[0], s) {
			t.Errorf("%s reached the file as it was spelt", name)
		}
		// Recognised by the name of its member, within the part that is kept.
		val = `{"password":"hunter2Hunter!","stdout":` + string(rawjson.Quote(strings.Repeat("x\n", 3000))) + `}`
		if out, _ := runLimiter(t, checkrein.Tool{Name: "Bash", Output: json.RawMessage(val)}); strings.Contains(out, "hunter2") {
			t.Error("a password beside what was cut stays")
		}
	}
}

// TestLimitTwice checks that a shortened output, with the text about it, is within the limits.
func TestLimitTwice(t *testing.T) {
	t.Parallel()
	for _, whole := range []string{
		strings.Repeat("line\n", 2001), strings.Repeat("line\r\n", 9000), strings.Repeat("\n", 60<<10), strings.Repeat("é", 40<<10),
		strings.Repeat("x", maxResult+1), strings.Repeat("x", maxResult) + "\n", strings.Repeat("a\n", 1999) + "a\na", strings.Repeat("\xff", 20<<10),
	} {
		out, kept := runLimiter(t, checkrein.Tool{Name: "Bash", Output: rawjson.Quote(whole)})
		text, ok := rawjson.Text([]byte(out))
		if !ok || len(kept) != 1 || isTooLarge(text) {
			t.Errorf("%.20q: %d bytes in %d lines", whole, len(text), countLines(text))
		}
		if again, _ := runLimiter(t, checkrein.Tool{Name: "Bash", Output: json.RawMessage(out)}); again != "" {
			t.Errorf("%.20q: shortened twice", whole)
		}
	}
	for _, whole := range []string{"", "\n", strings.Repeat("x", maxResult), strings.Repeat("x", maxResult-1) + "\n", strings.Repeat("a\r\n", 2000), strings.Repeat("a\n", 1999) + "a"} {
		if out, _ := runLimiter(t, checkrein.Tool{Name: "Bash", Output: rawjson.Quote(whole)}); out != "" {
			t.Errorf("%d bytes in %d lines are too much", len(whole), countLines(whole))
		}
	}
}

// TestLimitKeepsImages checks that images are not shortened.
func TestLimitKeepsImages(t *testing.T) {
	t.Parallel()
	picture := strings.Repeat("iVBORw0KGgoA", 20<<10)
	big := string(rawjson.Quote(strings.Repeat("line\n", 3000)))
	for _, val := range []string{
		`[{"type":"image","data":"` + picture + `","mimeType":"image/png"}]`,
		`{"type":"image","file":{"base64":"` + picture + `","type":"image/png"}}`,
		`{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + picture + `"}}]}`,
	} {
		if out, kept := runLimiter(t, checkrein.Tool{Name: "mcp__a__b", Output: json.RawMessage(val)}); out != "" || len(kept) > 0 {
			t.Errorf("%.60s became %.60s", val, out)
		}
		out, kept := runLimiter(t, checkrein.Tool{Name: "mcp__a__b", Output: json.RawMessage(`[` + val + `,` + big + `]`)})
		if len(kept) != 1 || !strings.HasPrefix(out, `[`+val+`,"[This output has 3000 lines`) {
			t.Errorf("beside a large text, %.60s became %.60s", val, out)
		}
	}
	// A value that only claims to be an image is text.
	val := `[{"type":"image","data":` + big + `}]`
	if out, _ := runLimiter(t, checkrein.Tool{Name: "mcp__a__b", Output: json.RawMessage(val)}); out == "" {
		t.Error("a large text under the name of a picture stays")
	}
}
