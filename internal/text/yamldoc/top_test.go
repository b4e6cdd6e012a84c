package yamldoc

import (
	"strings"
	"testing"
)

func TestTopLevelKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"empty", "", ""},
		{"comments only", "# agents: {}\n", ""},
		{"block", "version: 1\nhooks:\n  agents: x\n", "version= 1\n|hooks=\n  agents: x\n"},
		{"byte order mark and CRLF", "\ufeffagents:\r\n  root: x\r\n", "agents=\r\n  root: x\r\n"},
		{"quoted key", "\"agents\" : x\n'hooks': y\n", "agents= x\n|hooks= y\n"},
		{"colon in a quoted key", "\"a:b\": x\n", "a:b= x\n"},
		{"indented file", "  agents:\n    root: x\n  models: y\n", "agents=\n    root: x\n|models= y\n"},
		{"dashes of a list", "hooks:\n- event: x\n- event: y\n", "hooks=\n- event: x\n- event: y\n"},
		{"directive and start", "%YAML 1.2\n# c\n---\nagents: x\n", "agents= x\n"},
		{"start on the same line", "--- {agents: {a: b}, x: y}\n", "agents= {a: b}|x= y"},
		{"JSON", `{"agents":{"hooks":[1,"}"]},"models":null}`, `agents={"hooks":[1,"}"]}|models=null`},
		{"JSON over lines", "{\n  \"hooks\": [\n    {\"event\": \"x\"}\n  ]\n}\n", "hooks= [\n    {\"event\": \"x\"}\n  ]\n"},
		{"escaped quote", `{"a\"agents":1,"b":2}`, `a\"agents=1|b=2`},
		{"flow with comments", "{ # agents: x\n  a: b, # c: d\n  e: f}\n", "a= b|e= f"},
		{"quote in a word", "{a: don't, agents: x}", "a= don't|agents= x"},
		{"cut off", `{"agents": {"root": {`, `agents= {"root": {`},
		{"TOML", "[agents.root]\nmodel = \"x\"\n", ""},
		{"list", "- agents: x\n- hooks: y\n", ""},
		{"text", "agents\n", ""},
		{"open quote", "\"agents: x\n", ""},
	} {
		var got []string
		for key, value := range TopLevelKeys([]byte(tt.src)) {
			got = append(got, key+"="+string(value))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, s, tt.want)
		}
	}
}

func FuzzTopLevelKeys(f *testing.F) {
	f.Add([]byte("{\"a\": 'b'}"))
	f.Add([]byte("--- \"a\n:"))
	f.Fuzz(func(_ *testing.T, src []byte) {
		for range TopLevelKeys(src) { // must end and not panic
		}
	})
}
