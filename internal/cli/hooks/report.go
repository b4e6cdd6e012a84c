package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A listReport is what hooks list --json prints.
type listReport struct {
	On       bool              `json:"on"`
	PacksOff []string          `json:"packs_off,omitempty"`
	Guards   []message.Message `json:"guards,omitempty"` // how the default guards differ from their defaults
	Off      []message.Message `json:"off,omitempty"`    // hooks that a file's own master switch keeps off
	Root     string            `json:"root"`
	Files    []fileEntry       `json:"files"`
	Hooks    []hookReport      `json:"hooks"`
	Git      *githook.Layer    `json:"git"`    // null = the project is not in a repository
	Ledger   *runLog           `json:"ledger"` // the part of the ledger that was read
	Vanished []message.Message `json:"vanished,omitempty"`
	Problems []message.Message `json:"problems,omitempty"` // parts that could not be read
}

// byDefault is the origin of hooks that no file declares.
const byDefault = "by default"

// A fileEntry describes a configuration file in a listReport.
type fileEntry struct {
	Path     string           `json:"path"`
	Scope    string           `json:"scope"`
	Dialect  string           `json:"dialect,omitempty"`
	Hooks    int              `json:"hooks"`
	Broken   bool             `json:"broken,omitempty"`
	Remedies []message.Remedy `json:"remedies,omitempty"` // how to repair a broken file
}

// A hookReport describes a hook in a listReport.
type hookReport struct {
	ID       string           `json:"id"`
	Folder   string           `json:"folder,omitempty"` // the name of its folder, if that is not the hook's
	Event    string           `json:"event"`
	Mode     string           `json:"mode,omitempty"` // shadow or paused: its decisions are not enforced
	Layer    string           `json:"layer"`          // tool, lifecycle or boundary
	Match    string           `json:"match,omitempty"`
	Type     string           `json:"type,omitempty"`
	Dialect  string           `json:"dialect,omitempty"`
	Shows    string           `json:"shows"`
	Scope    string           `json:"scope"`
	Origin   string           `json:"origin"`
	Approval string           `json:"approval"` // not needed, approved, not approved, changed, broken
	Why      string           `json:"why,omitempty"`
	Remedies []message.Remedy `json:"remedies,omitempty"` // how to make it run

	ApprovedAt time.Time     `json:"approved_at,omitzero"`
	Drift      []driftReport `json:"drift,omitempty"`

	Health    string     `json:"health"` // ok, never run, faulted, not approved, changed, missing, not executable, off, broken
	HealthWhy string     `json:"health_why,omitempty"`
	LastRun   *runRecord `json:"last_run,omitempty"`
	LastCatch *runRecord `json:"last_catch,omitempty"`

	implied bool // no file declares it: it belongs to the file's format or to checkrein
}

// A driftReport is a file or definition that changed since it was approved.
type driftReport struct {
	Path     string    `json:"path,omitempty"` // "" = the definition
	Name     string    `json:"name"`
	Why      string    `json:"why"`
	MTime    time.Time `json:"mtime,omitzero"`
	Approved time.Time `json:"approved_mtime,omitzero"`
}

// newListReport returns the report of hooks list.
func newListReport(ctx context.Context, env *console.Env, k *app.Kit) (*listReport, error) {
	r := &listReport{On: k.IsOn(), Root: k.Root(), Files: []fileEntry{}, Hooks: []hookReport{}, Vanished: vanishedMessages(k)}
	guards := k.Guards()
	mode := modeFunc(k, &guards)
	r.PacksOff, r.Guards = guards.Off, guards.Messages()
	for _, o := range OffFiles(k) {
		r.Off = append(r.Off, o.message(r.Root))
	}
	for _, f := range k.Files() {
		one := fileEntry{Path: f.Path, Scope: f.Scope.String(), Dialect: f.Dialect, Hooks: f.Hooks, Broken: f.Err != nil}
		if one.Broken {
			one.Remedies = k.WithAdministrator(f.Path, message.Message{}).With(message.Run("checkrein validate", "")).Remedies
		}
		r.Files = append(r.Files, one)
	}
	home, err := base.StateDir(env)
	if err != nil {
		return nil, err
	}
	bar := base.NewProgress(env, "reading the ledger")
	r.Ledger, err = readRecentRuns(ctx, home)
	bar.End()
	if err != nil {
		r.Problems = append(r.Problems, message.FromError(fmt.Errorf("the ledger: %w", err)))
	}
	wrong := findHookErrors(k)
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; !standsForFile(h) && !(h.Implied && h.Shadow) { // what is tried of packs is among the guards
			one := describeHook(k, h)
			one.Mode = mode(h)
			did := r.Ledger.historyOf(h, hooks)
			one.LastRun, one.LastCatch = did.last, did.catch
			word, why := hookHealth(env, k, h, &one, wrong)
			one.Health, one.HealthWhy = word, why.What
			one.Remedies = withApproveRemedies(k, h, &one, why.Remedies)
			r.Hooks = append(r.Hooks, one)
		}
	}
	r.Git, err = GitLayer(ctx, env, k.Root())
	if err != nil {
		r.Problems = append(r.Problems, message.FromError(err))
	}
	return r, nil
}

// modeFunc returns a function that returns the mode, shadow or paused, in which a hook's decisions are
// not enforced, or "" if they are enforced.
func modeFunc(k *app.Kit, guards *app.Guards) func(*checkrein.Hook) string {
	return func(h *checkrein.Hook) string {
		switch {
		case k.IsInShadow(h):
			return grammar.Shadow
		case guards.Shadow == "" || app.IsEnforced(h):
			return ""
		case guards.Paused:
			return "paused"
		}
		return grammar.Shadow
	}
}

// describeHook returns what h declares, and whether it is approved.
func describeHook(k *app.Kit, h *checkrein.Hook) hookReport {
	r := hookReport{ID: h.Label(), Event: approval.EventName(h), Layer: checkrein.ContractOf(h.On).Layer, Match: h.Match, Type: h.Run, Dialect: h.Dialect,
		Shows: approval.RunText(h), Scope: h.From.Scope.String(), Origin: h.From.String(), Approval: "not needed", Why: h.Broken}
	r.implied = h.Implied
	if h.Implied && h.From.File == "" {
		r.Origin = byDefault
	}
	if folder := filepath.Base(rawjson.GetText(h.With, "hook_folder")); folder != "." && folder != r.ID {
		r.Folder = folder
	}
	if k.NeedsApproval(h) {
		state, why := k.Approval(h)
		r.Approval = map[engine.Approval]string{engine.Approved: "approved", engine.Changed: "changed"}[state]
		if r.Approval == "" { // such as for the user's own hook that would run a project's file
			r.Approval = "not approved"
		}
		if r.Why == "" {
			r.Why = why.What
		}
		r.addDrift(k, h)
	}
	if h.Broken != "" {
		r.Approval = "broken"
	}
	return r
}

// addDrift sets when h was approved, and what has changed since.
func (r *hookReport) addDrift(k *app.Kit, h *checkrein.Hook) {
	a, drifts, ok := k.Drift(h)
	if !ok {
		return
	}
	r.ApprovedAt = a.At
	for _, d := range drifts {
		r.Drift = append(r.Drift, driftReport{d.Path, d.Name, d.Why, d.Now, d.Then})
	}
}

// GitLayer returns the hooks that git runs in root, or nil if root is not in a repository.
func GitLayer(ctx context.Context, env *console.Env, root string) (*githook.Layer, error) {
	l, err := githook.ReadLayer(ctx, root, env.Environ)
	if errors.Is(err, githook.ErrNoRepository) {
		return nil, nil
	}
	return l, err
}

// standsForFile reports whether h stands for a broken file. Such a file is listed as a file rather
// than as a hook.
func standsForFile(h *checkrein.Hook) bool { return h.Run == "" && h.ID == "configuration" }

// vanishedMessages returns a message for each approval whose hook no longer exists.
func vanishedMessages(k *app.Kit) []message.Message {
	var out []message.Message
	for _, v := range k.VanishedApprovals() {
		out = append(out, message.New(visible.EscapeLine("the hook \""+v.ID+"\" ("+v.Event+") in "+v.File+" "+v.Why), v.Remedies...))
	}
	return out
}

// withApproveRemedies returns the remedies mend and, if h is not approved, the command that approves
// it. For the user's own hook, a command before it shows what the hook would run here.
func withApproveRemedies(k *app.Kit, h *checkrein.Hook, r *hookReport, mend []message.Remedy) []message.Remedy {
	if r.Approval != "not approved" && r.Approval != "changed" {
		return mend
	}
	purpose := ""
	if len(mend) > 0 {
		purpose = "then, after you have reviewed it"
	}
	if !h.From.Approval && h.Broken == "" {
		mend = append(mend, message.Run(k.RemedyCommand("approve --dry-run", h), "to see what it would run"))
	}
	return append(mend, message.Run(k.RemedyCommand("approve", h), purpose))
}
