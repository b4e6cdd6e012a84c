package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// withhold notes what hooks took out of a result. What the conversation had before, such as a
// prompt of the person's, is not held back by that.
func (t *thread) withhold(was, is string) {
	t.rt.withheld.Add(was, is, func(value string) bool {
		has := func(text string) bool { return strings.Contains(text, value) }
		return has(t.who.spec.Instruction) || has(t.summary) || slices.ContainsFunc(t.began, has) ||
			slices.ContainsFunc(t.messages, func(m model.Message) bool { return has(m.Content) })
	})
}

// checked looks at a request before it is sent: what was taken out of a result is in none of
// its texts. Those of the person are the person's.
func (t *thread) checked(ctx context.Context, messages []model.Message) error {
	for i := range messages {
		m := &messages[i]
		if m.Role == model.User {
			continue
		}
		rule := t.rt.withheld.In(m.Content)
		if rule == "" {
			continue
		}
		err := fmt.Errorf("the request was not sent: a message in it (%s) has a secret (%s) that was taken out of a result. A hook on before_llm_call may have put it back: checkrein hooks list shows them. To start again without it: /clear", m.Role, rule)
		t.report(Report{Type: Failure, Text: err.Error()})
		t.alarm(ctx, err.Error())
		return err
	}
	return nil
}
