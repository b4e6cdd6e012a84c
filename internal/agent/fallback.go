package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// fallbackModels holds the models that are tried if an agent's own does not answer. The runtime's mu
// guards all fields except models.
type fallbackModels struct {
	models []model.Model
	first  int       // the model that is tried first: 0 = the agent's own
	until  time.Time // when first becomes 0 again
}

// modelsInOrder returns the own model of who and its fallbacks in the order in which to try them.
func (r *Runtime) modelsInOrder(who *member) []model.Model {
	list := append([]model.Model{who.model}, who.fallback.models...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := who.fallback.first; n > 0 && n < len(list) && r.opts.Now().Before(who.fallback.until) {
		return slices.Concat(list[n:], list[:n])
	}
	return list
}

// coolDown makes the model after m, which is rate-limited, the first one to try until the cooldown
// ends.
func (r *Runtime) coolDown(who *member, m model.Model) {
	list := append([]model.Model{who.model}, who.fallback.models...)
	r.mu.Lock()
	defer r.mu.Unlock()
	who.fallback.first = (slices.Index(list, m) + 1) % len(list)
	who.fallback.until = r.opts.Now().Add(who.spec.Fallback.Cooldown)
}

// tryModels calls call with the agent's models in turn until one succeeds. call runs the hooks on
// before_llm_call, because they judge what is sent to each model and may deny only one of them. If the
// conversation is too long for a model, or a hook ends the run, no other model is tried.
func (t *thread) tryModels(ctx context.Context, call func(model.Model) error) error {
	list := t.rt.modelsInOrder(t.agent)
	var failed modelErrors
	for i, m := range list {
		err := call(m)
		if err == nil || len(list) == 1 || ctx.Err() != nil || errors.Is(err, model.ErrOverflow) || errors.Is(err, ErrBlocked) {
			return err
		}
		if failed = append(failed, err); i == len(list)-1 {
			break
		}
		if model.IsRateLimited(err) {
			t.rt.coolDown(t.agent, m)
		}
		t.report(Report{Type: Warning, Text: fmt.Sprintf("%v: using %s instead", err, list[i+1].ID())})
	}
	return failed
}

// modelErrors holds the errors of all models of an agent. Hooks get them together. The UI has already
// reported each but the last.
type modelErrors []error

func (f modelErrors) Error() string {
	text := "all models failed"
	for i, err := range f {
		text += [...]string{": ", "; "}[min(i, 1)] + err.Error()
	}
	return text
}

func (f modelErrors) Unwrap() []error { return f }
