package examples_test

import (
	"os"
	"strings"
	"testing"
)

// The judge is asked about what the guards cannot read, and about nothing else. Without
// a key all is as without it.
func TestJudgeOfTheUnknown(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("judge/checkrein.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	const file, model = "own.yaml", "openai/gpt-4o-mini"
	p.write(t, file, string(text)+"packs: [code, filesystem]\n") // files that are named count alone
	p.must(t, "checkrein", "validate", "-c", file)
	call := func(command string) payload {
		return payload{"hook_event_name": "PreToolUse", "session_id": command, "tool_name": "Bash", "tool_input": payload{"command": command}}
	}
	const opaque = `eval "$X"`
	if v := p.eval(t, call(opaque), "-c", file); v.Decision != "ask" || !strings.Contains(v.raw, "could not judge") {
		t.Errorf("without a key: %s", v.raw)
	}
	for said, want := range map[string]map[string]string{
		"allow": {opaque: "allow", "frobnicate": "", "rm -rf ~": "deny", opaque + "; rm -rf src": "ask"},
		"ask":   {opaque: "ask", "frobnicate": "ask", "ls": ""},
		"deny":  {opaque: "deny", "frobnicate": "deny", "ls": "", "git push": ""},
	} {
		p.write(t, said+".json", `{"steps": [{"text": "{\"decision\": \"`+said+`\", \"reason\": \"so it is\"}"}]}`)
		p.write(t, said+".yaml", strings.Replace(string(text), model, "scripted/"+said+".json", 1)+"packs: [code, filesystem]\n")
		for command, decision := range want {
			if v := p.eval(t, call(command), "-c", said+".yaml"); v.Decision != decision {
				t.Errorf("it says %s of %s: %s", said, command, v.raw)
			}
		}
	}
}
