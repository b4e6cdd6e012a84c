package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// recordWithheld records the values that hooks removed from a result. It leaves out values that the
// conversation already has, for example in a prompt of the user.
func (t *thread) recordWithheld(original, rewritten string) {
	t.rt.withheld.Add(original, rewritten, func(value string) bool {
		has := func(text string) bool { return strings.Contains(text, value) }
		return has(t.agent.spec.Instruction) || has(t.summary) || slices.ContainsFunc(t.startContext, has) ||
			slices.ContainsFunc(t.messages, func(m model.Message) bool { return has(m.Content) })
	})
}

// checkWithheld returns an error if one of messages, other than the user's, contains a value that
// hooks removed from a result.
func (t *thread) checkWithheld(ctx context.Context, messages []model.Message) error {
	for i := range messages {
		m := &messages[i]
		if m.Role == model.User {
			continue
		}
		rule := t.rt.withheld.FindIn(m.Content)
		if rule == "" {
			continue
		}
		err := fmt.Errorf("the request was not sent: its %s message contains a secret (%s) that was removed from a tool's result. A before_llm_call hook may have put it back; checkrein hooks list shows those hooks. To start over without it, enter /clear", m.Role, rule)
		t.report(Report{Type: Failure, Text: err.Error()})
		t.fireError(ctx, err.Error())
		return err
	}
	return nil
}
