package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// fallbackModels are the models that are tried if an agent's own does not answer. Except for models,
// it is guarded by the runtime's mu.
type fallbackModels struct {
	models []model.Model
	first  int       // the model that is tried first: 0 = the agent's own
	until  time.Time // when first becomes 0 again
}

// modelsInOrder returns the agent's own model and its fallbacks in the order in which they are tried.
func (r *Runtime) modelsInOrder(who *member) []model.Model {
	list := append([]model.Model{who.model}, who.fallback.models...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := who.fallback.first; n > 0 && n < len(list) && r.opts.Now().Before(who.fallback.until) {
		return slices.Concat(list[n:], list[:n])
	}
	return list
}

// coolDown skips a rate-limited model for a while: the next one is tried first.
func (r *Runtime) coolDown(who *member, m model.Model) {
	list := append([]model.Model{who.model}, who.fallback.models...)
	r.mu.Lock()
	defer r.mu.Unlock()
	who.fallback.first = (slices.Index(list, m) + 1) % len(list)
	who.fallback.until = r.opts.Now().Add(who.spec.Fallback.Cooldown)
}

// tryModels calls the agent's models until one answers. Hooks on before_llm_call belong into call:
// they judge what is sent to each model, and may deny only one of them. An overflow of the context is
// not tried on another model.
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

// modelErrors are the errors of an agent's models. Hooks get them together; the UI reported each but
// the last when it occurred.
type modelErrors []error

func (f modelErrors) Error() string {
	text := "all models failed"
	for i, err := range f {
		text += [...]string{": ", "; "}[min(i, 1)] + err.Error()
	}
	return text
}

func (f modelErrors) Unwrap() []error { return f }
