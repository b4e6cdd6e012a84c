package export

import (
	"encoding/json"
	"strings"
	"testing"
)

const siemLine = `{"v":1,"seq":7,"kind":"event","time":"2026-10-01T12:00:00.5Z","hash":"ab","event":"pre_tool_use","host":"claude","session":"s|1","root":"/work/a=b","decision":"deny","reason":"[git] Blocked\nuse a\\b = c | d","tool":{"name":"Ba|sh","call_id":"c"},"policy":"p1","plan":[{"hook":"git","outcome":"answered","decision":"deny","rule":"git/push-force","scope":"managed","origin":"x","digest":"y"}],"ms":1}`

var siemSource = Source{ID: "m1", Name: "host=1", User: "dev"}

func TestCEF(t *testing.T) {
	t.Parallel()
	got, err := AppendCEF(nil, []byte(siemLine), &siemSource)
	if err != nil {
		t.Fatal(err)
	}
	head, values, _ := strings.Cut(strings.ReplaceAll(string(got), `\|`, "¦"), "|6|")
	if !strings.HasPrefix(head, "CEF:0|checkrein|checkrein|") || !strings.HasSuffix(head, `|deny.pre_tool_use|deny pre_tool_use Ba¦sh: [git] Blocked use a\\b = c ¦ d`) {
		t.Errorf("the header is %q", head)
	}
	for _, want := range []string{"rt=1790856000500 ", "externalId=7 ", "act=deny ", `reason=[git] Blocked\nuse a\\b \= c | d `, `dvchost=host\=1 `, "deviceExternalId=m1 ", "suser=dev ", "sproc=claude ", "cs2=git/push-force ", `cs4=/work/a\=b `, "cs6=p1"} {
		if !strings.Contains(values, want) && !strings.Contains(strings.ReplaceAll(values, "¦", "|"), want) {
			t.Errorf("%q is missing in %q", want, values)
		}
	}
	if strings.ContainsAny(string(got), "\n\r") {
		t.Error("the event has more than one line")
	}
}

func TestOCSF(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line                                 string
		class, kind, severity, action, block float64
	}{
		{siemLine, 2004, 200401, 3, 2, 2},
		{strings.Replace(siemLine, `"decision":"deny"`, `"decision":"none"`, 1), 6003, 600399, 1, 1, 1},
		{`{"v":1,"seq":9,"kind":"gap","time":"2026-10-01T12:00:00Z","hash":"cd","why":"lost"}`, 2004, 200401, 4, 0, 0},
	} {
		text, err := AppendOCSF(nil, []byte(tt.line), &siemSource)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		number := func(name string) float64 { n, _ := got[name].(float64); return n }
		if number("class_uid") != tt.class || number("type_uid") != tt.kind || number("severity_id") != tt.severity || number("action_id") != tt.action || number("disposition_id") != tt.block {
			t.Errorf("%s", text)
		}
		for _, name := range []string{"activity_id", "category_uid", "metadata", "time", "device"} {
			if got[name] == nil {
				t.Errorf("%s is missing in %s", name, text)
			}
		}
		if tt.class == 2004 && got["finding_info"] == nil || tt.class == 6003 && (got["api"] == nil || got["actor"] == nil || got["src_endpoint"] == nil) {
			t.Errorf("required members are missing in %s", text)
		}
	}
}
