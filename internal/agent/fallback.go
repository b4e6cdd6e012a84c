package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// A spare is what answers when an agent's own model does not. Guarded by the
// runtime's mu, but for the models.
type spare struct {
	models []model.Model
	first  int       // which model is asked first: 0 = the agent's own
	until  time.Time // until then
}

// models are the agent's own model and its spares, in the order in which they are
// asked.
func (r *Runtime) models(who *member) []model.Model {
	list := append([]model.Model{who.model}, who.spare.models...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := who.spare.first; n > 0 && n < len(list) && r.opts.Now().Before(who.spare.until) {
		return slices.Concat(list[n:], list[:n])
	}
	return list
}

// rest leaves a model alone for a while that was asked too often: the next one is
// asked first.
func (r *Runtime) rest(who *member, m model.Model) {
	list := append([]model.Model{who.model}, who.spare.models...)
	r.mu.Lock()
	defer r.mu.Unlock()
	who.spare.first = (slices.Index(list, m) + 1) % len(list)
	who.spare.until = r.opts.Now().Add(who.spec.Fallback.Cooldown)
}

// tried calls models of the agent until one answers. Hooks on before_llm_call belong
// into the call: they judge what is sent to each model, and may refuse one that they
// would not refuse another. A conversation that does not fit is no fault of the model.
func (t *thread) tried(ctx context.Context, call func(model.Model) error) error {
	list := t.rt.models(t.who)
	var failed failures
	for i, m := range list {
		err := call(m)
		if err == nil || len(list) == 1 || ctx.Err() != nil || errors.Is(err, model.ErrOverflow) || errors.Is(err, ErrBlocked) {
			return err
		}
		if failed = append(failed, err); i == len(list)-1 {
			break
		}
		if model.Limited(err) {
			t.rt.rest(t.who, m)
		}
		t.report(Report{Type: Warning, Text: fmt.Sprintf("%v: using %s instead", err, list[i+1].ID())})
	}
	return failed
}

// failures are why each of an agent's models did not answer. Hooks hear of them at once:
// of those before the last, only the person was told.
type failures []error

func (f failures) Error() string {
	text := "all models failed"
	for i, err := range f {
		text += [...]string{": ", "; "}[min(i, 1)] + err.Error()
	}
	return text
}

func (f failures) Unwrap() []error { return f }
