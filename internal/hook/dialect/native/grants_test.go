package native

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/google/go-cmp/cmp"
)

func TestGrants(t *testing.T) {
	t.Parallel()
	at := func(line int) checkrein.Origin { return checkrein.Origin{File: "/c.yaml", Line: line} }
	for _, tt := range []struct {
		name, text string
		want       []setting.Grant
	}{
		{"absent", "version: 1\n", nil},
		{"empty", "version: 1\ngrants: []\n", nil},
		{"a call", "version: 1\ngrants:\n  - call: git push --force origin x\n    reason: r\n", []setting.Grant{{Call: "git push --force origin x", Reason: "r", From: at(3)}}},
		{"everything", "version: 1\ngrants:\n  - call: rm -rf out\n    rules: [fs/delete, guard.sh]\n    in: ~/site\n    until: 2031-12-24\n    reason: r\n",
			[]setting.Grant{{Call: "rm -rf out", Rules: []string{"fs/delete", "guard.sh"}, In: "~/site", Until: "2031-12-25T00:00:00Z", Reason: "r", From: at(3)}}},
		{"one rule, a time", "version: 1\ngrants:\n  - {call: x, rules: git/push-force, until: '2031-12-24T18:00:00+02:00', reason: r}\n",
			[]setting.Grant{{Call: "x", Rules: []string{"git/push-force"}, Until: "2031-12-24T16:00:00Z", Reason: "r", From: at(3)}}},
		{"a tool", "version: 1\ngrants:\n  - tool: Write\n    input: {file_path: /a, content: b}\n    reason: r\n",
			[]setting.Grant{{Tool: "Write", Input: json.RawMessage(`{"file_path":"/a","content":"b"}`), Reason: "r", From: at(3)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, f.Settings.Grants); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestBadGrants checks that a grant with a mistake permits nothing, is reported at its line with a
// remedy, and closes no gate.
func TestBadGrants(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, block, err string }{
		{"a text", "git push", "grants is a string, not a list (write grants: "},
		{"a list of texts", "[git push]", "a grant is a string, not a mapping (write grants: "},
		{"no reason", "[{call: x}]", "this grant has no reason, so the grant is ignored (add one, such as"},
		{"nothing", "[{reason: r}]", "this grant has neither call nor both tool and input"},
		{"a tool without input", "[{tool: Write, reason: r}]", "this grant has neither call nor both tool and input"},
		{"both", "[{call: x, tool: Write, input: {a: b}, reason: r}]", "this grant has both call and tool"},
		{"an input of no object", "[{tool: Write, input: [a], reason: r}]", "input in this grant is a list"},
		{"a list for a call", "[{call: [git, push], reason: r}]", "call in this grant is a list"},
		{"an empty call", "[{call: ' ', reason: r}]", "call in this grant is empty"},
		{"a relative place", "[{call: x, in: site, reason: r}]", `in: "site" is a relative path, so the grant is ignored (write an absolute path, or one that starts with ~/)`},
		{"no time", "[{call: x, until: soon, reason: r}]", `until in this grant is not a valid date or time: "soon", so the grant is ignored (write a date`},
		{"no rules", "[{call: x, rules: [], reason: r}]", "rules in this grant is empty or contains an empty name"},
		{"a typo that would widen it", "[{call: x, untill: 2031-12-24, reason: r}]", `unknown key "untill" in a grant, did you mean "until"?`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := read("version: 1\ngrants: " + tt.block + "\n")
			if err == nil || !strings.Contains(err.Error(), "/c.yaml:2: ") || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("err %v, want %s", err, tt.err)
			}
			if len(f.Settings.Grants) > 0 || f.Lost != nil {
				t.Errorf("grants %+v, lost %v", f.Settings.Grants, f.Lost)
			}
		})
	}
}

// TestWriteGrants checks that written grants are read back unchanged.
func TestWriteGrants(t *testing.T) {
	t.Parallel()
	var want []setting.Grant
	for _, text := range []string{"git push --force origin gh-pages", "true", "null", "a: b", "a #b", "- x", "'q' \"d\"", "a\nb\n", "ünï", "x\\y", "1.5", "~", "a b:", "[x]", "{x}", "x,y", "*", "&a", "! x", "%", "@a", "`x`", "a\tb"} {
		want = append(want, setting.Grant{Call: strings.TrimSpace(text), Rules: []string{text, "b/c"}, In: "/" + text, Until: "2031-12-25T00:00:00Z", Reason: text})
	}
	want = append(want, setting.Grant{Tool: "mcp__db__query", Input: json.RawMessage(`{"sql":"DROP \"x\": y # z","n":[1,true,null]}`), Reason: "r"})
	f, err := read("version: 1\n" + WriteGrants(want))
	if err != nil {
		t.Fatal(err)
	}
	for i := range f.Settings.Grants {
		f.Settings.Grants[i].From = checkrein.Origin{}
	}
	if diff := cmp.Diff(want, f.Settings.Grants); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGrantsPage checks that the file on the page about grants is valid.
func TestGrantsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	if f, err := read(text); err != nil || len(f.Settings.Grants) != 2 {
		t.Errorf("%v: %+v", err, f.Settings.Grants)
	}
}
