package builtin

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// limit runs the limiter on an output and returns the new one, "" when it
// stays, and what was kept.
func limit(t *testing.T, tool checkrein.Tool) (out string, kept []string) {
	t.Helper()
	run, err := newLimitLargeToolResults(nil)
	if err != nil {
		t.Fatal(err)
	}
	call := Call{Event: checkrein.Event{Kind: checkrein.ToolResponseTransform, Session: checkrein.Session{ID: "s"}, Tool: &tool}}
	call.Env.Spill = func(_ *checkrein.Event, text string) (string, error) {
		kept = append(kept, text)
		return "/state/results/1.txt", nil
	}
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
		out, kept := limit(t, c.tool)
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
		if again, _ := limit(t, checkrein.Tool{Name: c.tool.Name, Category: c.tool.Category, Output: json.RawMessage(rawjson.Quote(end))}); again != "" {
			t.Errorf("%s: what was cut is cut again", c.name)
		}
	}
}

// Hosts check the shape of what replaces an output, so only its texts change.
func TestLimitKeepsTheShape(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789\n", 10<<10)
	val, _ := json.Marshal(map[string]any{"stdout": big, "stderr": "", "interrupted": false, "code": 0})
	out, kept := limit(t, checkrein.Tool{Name: "Bash", Output: val})
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
	if out, _ := limit(t, checkrein.Tool{Name: "Glob", Output: val}); out == "" || len(out) > 2*maxResult {
		t.Errorf("a list of many small texts became %d bytes", len(out))
	}
}

// What goes to a file is redacted first, whoever else redacts.
func TestLimitRedactsBeforeItKeeps(t *testing.T) {
	t.Parallel()
	for _, name := range secretKinds {
		secret := planted(name)
		_, kept := limit(t, checkrein.Tool{Name: "Bash", Output: rawjson.Quote(strings.Repeat("x\n", 3000) + "the key: " + secret + "\n")})
		if len(kept) != 1 || leaked(kept[0], secret) {
			t.Errorf("%s reached the file", name)
		}
	}
}
