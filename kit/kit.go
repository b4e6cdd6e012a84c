// Package kit runs the hooks of a machine for a program that runs agents: the hooks in configuration
// files, subject to the person's approvals, and the built-in guards.
//
//	k, err := kit.Open(kit.Options{Dir: workdir, Session: id})
//	if err != nil { … }
//	if err := k.Check(); err != nil { … } // mistakes in files, hooks and options
//	out := k.Serve(ctx, checkrein.Event{Kind: checkrein.PreToolUse, Tool: &checkrein.Tool{Name: "shell", CallID: id, Input: args}})
//	switch out.Verdict.Decision {
//	case checkrein.Deny: … // do not run it; out.Verdict.Reason is for the model
//	case checkrein.Ask:  … // ask the person
//	case checkrein.Allow: … // run it without asking
//	case checkrein.NoOpinion: … // the program's own permissions decide; without any, run it
//	}
//
// A program that runs agents serves at least [checkrein.SessionStart],
// [checkrein.UserPromptSubmit], [checkrein.PreToolUse], [checkrein.ToolResponseTransform]
// (the only event at which output is replaced), [checkrein.PostToolUse],
// [checkrein.PostToolUseFailure], [checkrein.Stop] and [checkrein.SessionEnd]. Of an outcome it
// honours the decision, Input or Output, Context (for the model), Notice (for the person), Halt and
// Obligations of the verdict, and Redo. A call with an obligation that has no ID, and so is not
// fulfilled yet, must not run unless the program fulfils it. [github.com/checkrein/checkrein/checkreintest.TestRuntime] checks that it does.
//
// What a denial means depends on the event ([checkrein.Contract].DenyIs):
//
//	user_prompt_submit     denies the prompt
//	before_llm_call        stops the run
//	pre_tool_use           denies the tool call
//	permission_request     denies the tool call
//	post_tool_use          stops the run
//	post_tool_use_failure  stops the run
//	stop                   keeps the agent working
//	subagent_start         keeps the sub-agent from starting
//	subagent_stop          keeps the sub-agent working
//	pre_compact            skips the compaction
//	on_outbound_message    holds the message back
//
// At session_start, tool_response_transform and session_end nothing can be denied.
//
// A tool event that hooks cannot judge, because it has no Tool or its Input is not a JSON object, is
// denied before the call, with what is wrong as the reason.
//
// A kit reads the person's configuration, approvals and settings, and does not write to them. It
// writes its own data, such as records, to the directory in Options.Ledger. Grants that a person gave
// with the allow command do not apply to it.
package kit

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
	"github.com/checkrein/checkrein/internal/app"
	inner "github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/suggest"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser" // configuration files are YAML
)

// Options configure a [Kit]. The zero Options use the working directory and the environment of the
// process, read the files of all scopes, and keep no records.
type Options struct {
	Dir     string // the directory in which the session works; "" = that of the process
	Session string // the session's ID, for events that have none; "" = a random ID
	Host    string // a known agent, as in Event.Host; "" = one of your own, whose tools have checkrein's names: shell, read, write, edit, …

	// Files are read instead of the configuration files of all scopes. Their hooks need no
	// approval. nil = the files of all scopes; an empty slice = none, which leaves Hooks and
	// the built-in guards, and is best for tests.
	Files    []string
	Hooks    []checkrein.Hook        // hooks in addition to those in files; they need no approval
	Handlers []checkrein.HandlerType // handler types for Hooks, in addition to the built-in ones, which they may replace; files can name only built-in ones

	// Ledger is a directory of the embedding program for signed records of the decisions of
	// [Kit.Serve], and for the state of sessions; a relative path is relative to Dir. "" = no records;
	// sessions last as long as the kit. To write to the person's own ledger, set it to the person's
	// state directory. The signing key is the file ledger/key in the directory. While the built-in
	// guards are on, agents may not change the directory or read the key.
	Ledger string
	// Programs is the directory of the checkrein and checkreind programs, which run hooks
	// that need a network, a model or a sandbox. "" = such hooks fault.
	Programs string
	// Environ is the environment of hooks, as "NAME=VALUE"; HOME and the XDG variables in
	// it also name the person's directories. nil = that of the process.
	Environ []string
	Logger  *slog.Logger     // receives denials, asks, rewrites and faults; nil = none
	Now     func() time.Time // nil = time.Now
}

// A Kit runs the hooks of a machine. It is safe for concurrent use.
type Kit struct {
	app     *app.Kit
	session string  // the session of events that name none
	opts    Options // with absolute paths
}

// Open reads the configuration and returns a kit. A mistake in a file or hook is not an error here:
// the hook faults when its event fires, and [Kit.Check] reports it. The kit does not read the files
// again: to use changed files, open another one.
//
// Hooks of a project run only if the person approved them with the hooks approve command. The kit
// reads approvals from the person's state directory, and notices changes while it is in use. It skips
// unapproved hooks, and [Kit.Approvals] lists them.
func Open(opts Options) (*Kit, error) {
	session := cmp.Or(opts.Session, rand.Text())
	var err error
	if opts.Dir, err = filepath.Abs(opts.Dir); err != nil {
		return nil, err
	}
	if opts.Ledger != "" && !filepath.IsAbs(opts.Ledger) {
		opts.Ledger = filepath.Join(opts.Dir, opts.Ledger)
	}
	inner := app.Options{Dir: opts.Dir, Session: session, Host: opts.Host, Files: opts.Files, Hooks: opts.Hooks, Handlers: opts.Handlers,
		Environ: opts.Environ, Now: opts.Now, Own: &opts.Ledger, ReadOnly: opts.Ledger == "", Log: func(string) {}}
	if opts.Logger != nil {
		inner.Log = func(line string) { opts.Logger.Info(line) }
	}
	if opts.Programs != "" {
		inner.Program, inner.Companion = programPath(opts.Programs, "checkrein"), programPath(opts.Programs, "checkreind")
	}
	k, err := app.Open(inner)
	if err != nil {
		return nil, err
	}
	return &Kit{k, session, opts}, nil
}

// programPath returns the path of the program name in dir.
func programPath(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

// Serve runs the hooks of an event and, if there is a ledger, records the outcome before it returns.
// The caller must do what the verdict requires.
func (k *Kit) Serve(ctx context.Context, ev checkrein.Event) engine.Outcome {
	return publicOutcome(k.app.Serve(ctx, k.withSession(ev)))
}

// Decide is [Kit.Serve] for callers that do not act on the outcome: it adds no record.
func (k *Kit) Decide(ctx context.Context, ev checkrein.Event) engine.Outcome {
	return publicOutcome(k.app.Decide(ctx, k.withSession(ev)))
}

// withSession returns ev with the kit's session if it names none. Redos are counted by session, so
// without one a hook could keep an agent going forever.
func (k *Kit) withSession(ev checkrein.Event) checkrein.Event {
	ev.Session.ID = cmp.Or(ev.Session.ID, k.session)
	return ev
}

// Check returns the mistakes in options, files and hooks as one joined error, or nil if there are none.
// To see whether records can be written it creates the directory Options.Ledger.
func (k *Kit) Check() error {
	return errors.Join(k.checkHost(), k.checkDir(), k.checkLedger(), k.checkPrograms(), inner.CheckDeclared(k.opts.Hooks), k.app.Check())
}

// checkHost returns an error if Options.Host is no agent that checkrein has a row for.
func (k *Kit) checkHost() error {
	name := k.opts.Host
	if _, known := host.Find(name); known || name == "" || name == "native" {
		return nil
	}
	return fmt.Errorf("Options.Host: unknown agent %q%s", name,
		suggest.HintOr(name, host.Names(), "leave it empty for an agent of your own, or use one of "+strings.Join(host.Names(), ", ")))
}

// checkDir returns an error if Options.Dir is not a directory.
func (k *Kit) checkDir() error {
	info, err := os.Stat(k.opts.Dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", k.opts.Dir)
	}
	if err != nil {
		return fmt.Errorf("Options.Dir: %w (create it, or set Dir to the directory in which the session works)", err)
	}
	return nil
}

// checkLedger returns an error if Options.Ledger is a directory in which no records can be written.
func (k *Kit) checkLedger() error {
	if k.opts.Ledger == "" {
		return nil
	}
	const probe = "check"
	dir := state.NewDir(k.opts.Ledger)
	err := dir.Write(probe, nil)
	if err == nil {
		err = dir.Remove(probe)
	}
	if err == nil && dir.Has(ledger.Folder+"/"+ledger.KeyFile) {
		_, err = ledger.Open(ledger.Options{Dir: dir}).Key()
	}
	if rel, relErr := filepath.Rel(k.opts.Ledger, k.opts.Dir); err == nil && relErr == nil && filepath.IsLocal(rel) {
		err = fmt.Errorf("%s contains Options.Dir, and agents may not write to the ledger", k.opts.Ledger)
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("Options.Ledger: %w (set it to a directory that only this program's user may write to, or to \"\" for no records)", err)
}

// checkPrograms returns an error if a program is missing in Options.Programs.
func (k *Kit) checkPrograms() error {
	if k.opts.Programs == "" {
		return nil
	}
	for _, name := range []string{"checkrein", "checkreind"} {
		if _, err := os.Stat(programPath(k.opts.Programs, name)); err != nil {
			return fmt.Errorf("Options.Programs: %w (set it to the directory of both programs, or to \"\" if no hook needs them)", err)
		}
	}
	return nil
}

// An Approval is a hook with the state of its approval.
type Approval struct {
	Hook  checkrein.Hook
	State engine.Approval
	Why   string // why the hook may not run; "" = it may
}

// Approvals returns the hooks of all scopes with their approvals, without the built-in guards.
func (k *Kit) Approvals() []Approval {
	var out []Approval
	for _, h := range k.app.Hooks() {
		if h.Implied && h.From.File == "" { // a built-in guard
			continue
		}
		state, why := k.app.Approval(&h)
		out = append(out, Approval{h, engine.Approval(state), why.What})
	}
	return out
}

// publicOutcome converts an outcome of the internal engine.
func publicOutcome(o inner.Outcome) engine.Outcome {
	out := engine.Outcome{Verdict: o.Verdict, Event: o.Event, Dropped: o.Dropped, Redo: (*engine.Redo)(o.Redo), Canceled: o.Ended}
	for i := range o.Steps {
		out.Steps = append(out.Steps, engine.Step(o.Steps[i].Result))
	}
	return out
}
