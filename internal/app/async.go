package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/handover"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// detacher returns a function that starts an asynchronous hook in a separate process, which outlives
// this one.
func (k *Kit) detacher(opts Options) func(*checkrein.Hook, checkrein.Event) error {
	return func(h *checkrein.Hook, ev checkrein.Event) error {
		task := handover.Task{Build: build.Version, Hook: *h, Event: ev, State: k.state.Path(), Config: k.places.Config, Foreign: k.standing.foreign}
		if k.NeedsApproval(h) {
			is, _, files := approvalChecker{k, k.view().approvals}.check(h)
			if is.State != engine.Approved {
				return errors.New(is.Why)
			}
			task.Files = files
			if approval.IsSealed(h) {
				digest, err := k.sealedDigest(h)
				if err != nil {
					return err
				}
				with, err := rawjson.Patch(h.With, fmt.Appendf(nil, `{"sealed":%q}`, digest))
				if err != nil {
					return err
				}
				task.Hook.With = with
			}
		}
		line, err := handover.EncodeLine(task)
		if err != nil {
			return err
		}
		argv := []string{opts.Program, "_async"}
		return process.Detach(process.Spec{Argv: argv, Env: childEnviron(opts), Stdin: line, Ticket: true}, "")
	}
}

// childEnviron returns the environment for child processes that run hooks. If a host called, it does
// not let http hooks send to local addresses.
func childEnviron(opts Options) []string {
	if opts.Called {
		return environ.WithoutAllowLocal(opts.Environ)
	}
	return opts.Environ
}

// RunAsync runs the asynchronous hook that another process handed over in line, and logs the result.
func (k *Kit) RunAsync(ctx context.Context, line []byte) error {
	task, err := handover.DecodeTask(line)
	if err != nil {
		return err
	}
	k.standing.foreign = task.Foreign
	began := time.Now()
	answer, fault := k.runTask(ctx, task)
	return k.state.OpenLog("log/async.log").Append(asyncRecord(&task.Hook, began, answer, fault))
}

// maxAsyncOutput is how many bytes of a hook's output the log has.
const maxAsyncOutput = 4 << 10

// asyncRecord returns the line about a run of the asynchronous hook h for the log.
func asyncRecord(h *checkrein.Hook, began time.Time, answer *checkrein.Answer, fault error) []byte {
	rec := struct {
		Time  string           `json:"time"`
		Hook  string           `json:"hook"`
		Event string           `json:"event"`
		From  string           `json:"origin"`
		MS    int64            `json:"ms"`
		Ended string           `json:"ended"`
		Said  string           `json:"said,omitempty"` // standard output, which has no effect
		Log   string           `json:"log,omitempty"`
		Spent *checkrein.Usage `json:"spent,omitempty"` // what a model used
	}{Time: began.UTC().Format(time.RFC3339Nano), Hook: h.Label(), Event: h.On.String(), From: h.From.String(),
		MS: time.Since(began).Milliseconds(), Ended: "done"}
	if fault != nil {
		rec.Ended = "failed: " + fault.Error()
	}
	if answer != nil {
		rec.Spent = answer.Usage
		kept := func(text string) string {
			return clip(secret.Redactor{}.MaskText(strings.TrimSpace(text)), maxAsyncOutput)
		}
		rec.Log, rec.Said = kept(answer.Log), kept(string(answer.Raw))
		if rec.Log == "" {
			rec.Log = kept(answer.Reason) // the stderr of a block, which has no effect
		}
		if rec.Said == rec.Log {
			rec.Said = ""
		}
	}
	line, err := json.Marshal(rec)
	if err != nil {
		return fmt.Appendf(nil, "%v", err)
	}
	return line
}

// RunStep runs the hook that the hot program handed over in line, and returns a line with its answer
// or fault.
func (k *Kit) RunStep(ctx context.Context, line []byte) []byte {
	done := handover.Outcome{Build: build.Version}
	task, err := handover.DecodeTask(line)
	if err == nil {
		if !task.Deadline.IsZero() {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, task.Deadline)
			defer cancel()
		}
		done.Answer, err = k.runTask(context.WithValue(ctx, policyKey{}, task.Policy), task)
	}
	if err != nil {
		done.Fault = err.Error()
		if a := done.Answer; a != nil { // beside a fault, its verdict has no effect
			done.Answer = &checkrein.Answer{Raw: a.Raw, Log: a.Log, Usage: a.Usage}
		}
	}
	out, err := handover.EncodeLine(done)
	if err != nil {
		out, _ = handover.EncodeLine(handover.Outcome{Build: build.Version, Fault: err.Error()})
	}
	return out
}

// runTask runs a hook that another process planned and checked. It returns an error if the hook's
// files changed before or during the run.
func (k *Kit) runTask(ctx context.Context, task handover.Task) (*checkrein.Answer, error) {
	root := task.Event.Session.Root
	if path := state.FirstChanged(task.Files); path != "" {
		return nil, fmt.Errorf("its file %s changed before it ran", approval.ShortName(root, path))
	}
	h := task.Hook
	// The process that planned the hook has checked that it matches and is approved.
	h.From.Approval, h.Async, h.If, h.Match = false, false, nil, ""
	out := k.view().engine.WithHook(h).Decide(ctx, task.Event)
	if why := approval.ChangedDuringRun(root, task.Files); why != "" {
		return nil, fmt.Errorf("%s, so its answer is ignored", why)
	}
	if len(out.Steps) == 0 {
		return nil, fmt.Errorf("the hook does not handle %s", task.Event.Kind)
	}
	return out.Steps[0].Answer, out.Steps[0].Fault
}
