package hooks

import (
	"errors"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
)

// A wrongs knows what the readers and the engine find wrong with hooks.
type wrongs map[[2]string]string

// problemsOf collects what is wrong with each hook, by its name and origin.
func problemsOf(k *kit.Kit) wrongs {
	out := wrongs{}
	for _, err := range base.SplitErrors(k.Check()) {
		var he *checkrein.HookError
		if errors.As(err, &he) && he.Hook != "" {
			out[[2]string{he.Hook, he.Origin.String()}] = he.Err.Error()
		}
	}
	return out
}

// healthOf returns in a word whether a hook does its work, and why not: first what
// keeps it from running, then how it went the last time.
func healthOf(env *console.Env, k *kit.Kit, h *checkrein.Hook, r *hookReport, wrong wrongs) (word string, why message.Message) {
	validate := message.Run("checkrein validate", "")
	switch broken := wrong[[2]string{h.Label(), h.From.String()}]; {
	case h.Broken != "":
		return "broken", message.New(h.Broken, validate)
	case k.Disabled(h):
		return "off", message.New("disabled by the user", message.Run("checkrein hooks enable "+visible.Line(h.Label()), "to enable it"))
	case h.Off != "":
		return "off", message.New(h.Off, message.Run("checkrein hooks on", ""))
	case broken != "":
		return "broken", message.New(broken, validate)
	}
	if f := doctor.Startable(doctor.Options{Kit: k, Environ: env.Environ}, h); f != nil {
		return map[bool]string{true: "not executable", false: "missing"}[f.Check == "not-executable"], f.Message
	}
	switch {
	case r.Approval == "changed", r.Approval == "not approved":
		return r.Approval, message.New(r.Why)
	case r.LastRun == nil:
		return "never run", message.Message{}
	case r.LastRun.Fault != "":
		return "faulted", message.New(r.LastRun.Fault, message.Run("checkrein hooks doctor", ""))
	}
	return "ok", message.Message{}
}
