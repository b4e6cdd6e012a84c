package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// recordWithheld records what hooks removed from a result. Values that the conversation already had,
// such as in a prompt of the person, are not withheld.
func (t *thread) recordWithheld(original, rewritten string) {
	t.rt.withheld.Add(original, rewritten, func(value string) bool {
		has := func(text string) bool { return strings.Contains(text, value) }
		return has(t.agent.spec.Instruction) || has(t.summary) || slices.ContainsFunc(t.startContext, has) ||
			slices.ContainsFunc(t.messages, func(m model.Message) bool { return has(m.Content) })
	})
}

// checkWithheld returns an error if a message of a request, other than the person's, has a value that
// was removed from a result.
func (t *thread) checkWithheld(ctx context.Context, messages []model.Message) error {
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
		t.fireError(ctx, err.Error())
		return err
	}
	return nil
}
