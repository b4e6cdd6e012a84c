package agent

import (
	"strings"
	"testing"
)

// A prompt with one tool call fires the documented events in the documented order.
func TestOrder(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.yolo = true
	l.script["root"] = []scriptedAnswer{{text: "I act", calls: []string{`act {"x":1}`}}, {text: "all done"}}
	if err := l.runPrompt("hello"); err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`session_start user_prompt_submit
		turn_start before_llm_call after_llm_call pre_tool_use on_tool_approval_decision tool_response_transform post_tool_use turn_end
		turn_start before_llm_call after_llm_call on_response_end stop turn_end
		on_user_input session_end`)
	for i := range want {
		want[i] = "root " + want[i]
	}
	wantList(t, "events", l.events, want)
	wantList(t, "tools", l.ran, []string{`act {"x":1}`})
	if got := l.reportsOf(Final); len(got) != 1 || got[0].Text != "all done" {
		t.Errorf("replies: %v", got)
	}
}
