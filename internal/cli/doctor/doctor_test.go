package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Every check is named in a test or a script.
func TestEveryCheckIsTested(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, glob := range []string{"*_test.go", "../health/doctor*_test.go", "../../evidence/misses/*_test.go", "../../../cmd/checkrein/testdata/script/doctor*.txtar"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			body, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(body)
		}
	}
	seen := map[string]bool{}
	for _, c := range Checks() {
		if seen[c.ID] || c.Area == "" || c.Level == Usual || c.What == "" {
			t.Errorf("row %+v", c)
		}
		seen[c.ID] = true
		if !strings.Contains(text.String(), `"`+c.ID+`"`) && !strings.Contains(text.String(), c.ID+":") {
			t.Errorf("no test finds %s", c.ID)
		}
	}
}

// A finding without a row in the table is a bug.
func TestFindingsHaveRows(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	health, _ := filepath.Glob("../health/*.go")
	for _, f := range append(files, health...) {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range []string{`find("`, `Find("`, `say("`} {
			for _, part := range strings.Split(string(body), call)[1:] {
				id, _, _ := strings.Cut(part, `"`)
				if checkByID(id).Area == "" {
					t.Errorf("%s: no row %q", f, id)
				}
			}
		}
	}
}

// For every kind of event, the payload names its event in every dialect, and can be read back.
func TestPayloadsNameTheirEvent(t *testing.T) {
	t.Parallel()
	for _, row := range checkrein.Contracts()[1:] {
		for _, d := range dialect.Table() {
			h := checkrein.Hook{On: row.Kind, Dialect: d.Name}
			ev := NewEvent(&h, "/scratch", "/root")
			body, err := d.Encode(ev)
			if err != nil || rawjson.CheckObject(body) != nil {
				t.Fatalf("%s in %s: %v: %s", row.Name, d.Name, err, body)
			}
			named := false
			for _, key := range []string{"event", "event_type", "hook_event_name"} {
				named = named || rawjson.GetText(body, key) != ""
			}
			if back, err := payload.ReadEvent(body, ""); !named || err != nil || back.Kind != row.Kind {
				t.Errorf("%s in %s: %v, %v: %s", row.Name, d.Name, back.Kind, err, body)
			}
		}
	}
}

// The event is about a tool that the hook's matcher accepts.
func TestEventHasAcceptedTool(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect, match string
		by             bool
		name           string
	}{
		{"native", "", false, "shell"},
		{"native", "shell", false, "shell"},
		{"native", ".*", false, "shell"},
		{"native", "Write|Edit", false, "Edit"},
		{"docker-agent", "edit_file", false, "edit"},
		{"claude", "Write", true, "write"},
		{"hookmd", "WriteFile", false, "write"},
		{"native", "(", false, "shell"},
		{"native", "mcp__a__b", false, "shell"},
	} {
		h := checkrein.Hook{On: checkrein.PreToolUse, Dialect: tt.dialect, Match: tt.match, MatchWords: tt.by}
		if ev := NewEvent(&h, "/scratch", ""); ev.Tool.Name != tt.name || rawjson.CheckObject(ev.Tool.Input) != nil {
			t.Errorf("%s of %s: %+v", tt.match, tt.dialect, ev.Tool)
		}
	}
}

func TestExpressionsThatCanMatch(t *testing.T) {
	t.Parallel()
	for expr, want := range map[string]bool{
		"rm -rf": true, "": true, "^": true, `^\{`: true, `^{"event`: true, "^.*rm": true, `^\s*\{`: true, `(?m)^rm`: true, "^[^a]": true, "(": true, "^(?:x|{)": true, "rm|^dd": true,
		"^rm": false, "^(rm|dd)": false, "^(?:rm)+": false, "^[a-z]": false, "(^rm)": false, "^rm|^dd": false,
	} {
		if got := canMatchJSON(expr); got != want {
			t.Errorf("%q: %v, want %v", expr, got, want)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		levels []Level
		want   string
	}{
		{nil, "healthy"},
		{[]Level{Info}, "healthy"},
		{[]Level{Warn}, "1 warning"},
		{[]Level{Error, Warn, Warn, Info}, "1 error, 2 warnings"},
		{[]Level{Warn, Error, Error}, "2 errors, 1 warning"},
		{[]Level{Error}, "1 error"},
	} {
		r := NewReport()
		for i, l := range tt.levels {
			r.Add("slow", Finding{Level: l, Message: message.New(strings.Repeat("x", i+1))})
		}
		r.Sort()
		for i := 1; i < len(r.Findings); i++ {
			if r.Findings[i].Level > r.Findings[i-1].Level {
				t.Errorf("not sorted: %+v", r.Findings)
			}
		}
		if r.Verdict() != tt.want {
			t.Errorf("%v: %s, want %s", tt.levels, r.Verdict(), tt.want)
		}
	}
}
