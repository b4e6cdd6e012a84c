// Package health holds the commands status, doctor, misses and prove, which show whether agents call
// checkrein and whether they honour its verdicts.
package health

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/scan/githook"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/undo"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/spf13/cobra"
)

// statusReport is what status --json prints.
type statusReport struct {
	Version int                `json:"version"` // of this format
	Build   string             `json:"build"`
	Program string             `json:"program"`
	Project string             `json:"project"`
	On      bool               `json:"on"`               // the master switch; managed hooks always run
	Guards  []message.Message  `json:"guards,omitempty"` // how the default guards differ from their defaults
	Wrong   []problems.Problem `json:"wrong,omitempty"`  // errors in the configuration
	// Weakened names what makes the guards weaker than by default, without details.
	Weakened []string `json:"weakened,omitempty"`
	// Tampered lists files of the state directory that another program changed.
	Tampered []message.Message `json:"tampered,omitempty"`
	Unsealed *message.Message  `json:"unsealed,omitempty"` // files that an older version left unsealed
	// GitUnscanned is set if this is a repository whose commits and pushes are not scanned.
	GitUnscanned bool          `json:"git_unscanned,omitempty"`
	Running      []runningHost `json:"running,omitempty"`
	// Models names environment variables that are set but ignored by hooks that call a model.
	Models string `json:"models,omitempty"`
	// Unrecorded counts the calls of the last week that could not be recorded.
	Unrecorded *records.Unrecorded `json:"unrecorded,omitempty"`
	Undo       *undoStatus         `json:"undo,omitempty"` // nil = nothing is saved
	Hosts      []install.Report    `json:"hosts"`
	Evidence   []evidence          `json:"evidence,omitempty"` // about installed agents, and hooks that need attention
	Messages   []report.Message    `json:"messages"`           // everything that is shown to people
}

// An undoStatus describes what checkrein undo can take back.
type undoStatus struct {
	Saves  int       `json:"saves"`
	Bytes  int64     `json:"bytes"`
	Latest time.Time `json:"latest"`
}

// readUndoStatus returns what can be taken back, or nil if there is nothing.
func readUndoStatus(env *console.Env) *undoStatus {
	dir, err := base.StateDir(env)
	if err != nil {
		return nil
	}
	n, bytes, latest := undo.Open(dir, env.Environ, env.Now).Usage()
	if n == 0 {
		return nil
	}
	return &undoStatus{n, bytes, latest}
}

// A runningHost is a live agent. Its child processes may not run commands that are reserved for
// people.
type runningHost struct {
	Host  string     `json:"host"`
	PID   int        `json:"pid"`
	Since *time.Time `json:"since,omitempty"`
	// Background is set if the process has no terminal, such as one that an agent left behind.
	Background bool `json:"background,omitempty"`
	Far        bool `json:"far,omitempty"` // it runs elsewhere, such as in a container, and sent an event in the last two hours
}

// runningHosts returns the live agents, those on this machine first.
func runningHosts(env *console.Env) []runningHost {
	dir, err := base.StateDir(env)
	if err != nil {
		return nil
	}
	var out []runningHost
	all, _ := process.ListAll()
	background := func(id process.ID) bool {
		return slices.ContainsFunc(all, func(a process.Ancestor) bool { return a.ID == id && a.Session != 0 && !a.Terminal })
	}
	add := func(hosts []liveagents.Host, far bool) {
		for i := range hosts {
			h := &hosts[i]
			r := runningHost{Host: h.Name, PID: h.PID, Far: far}
			if at, ok := process.StartTime(h.ID); ok && !far {
				at = at.Round(time.Second)
				r.Since, r.Background = &at, background(h.ID)
			}
			if !h.Gone {
				out = append(out, r)
			}
		}
	}
	hosts, far, _ := liveagents.RecentHosts(dir)
	add(hosts, false)
	add(far, true)
	return out
}

// StatusCommand returns the status command.
func StatusCommand(env *console.Env) *cobra.Command {
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use: "status [AGENT]", Short: "Show whether each agent calls checkrein, and whether that works",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStatus(cmd.Context(), env, args, asJSON, verbose)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show files and events")
	return cmd
}

// runStatus prints the status of the agent that args names, or of all agents.
func runStatus(ctx context.Context, env *console.Env, args []string, asJSON, verbose bool) error {
	base.WarnPlaces(env)
	m, err := base.Machine(env)
	if err != nil {
		return err
	}
	_, _ = m.FindProgram(env.Program, "") // install reports an unsuitable location
	names := m.HostNames()
	if len(args) == 1 {
		names = args
	}
	r := statusReport{Version: 2, Build: build.Version, Program: m.Program, Project: m.Project, Hosts: []install.Report{}}
	for _, name := range names {
		h, err := m.Status(name)
		if err != nil {
			return err
		}
		r.Hosts = append(r.Hosts, h)
	}
	r.Unrecorded = countEvents(ctx, env, r.Hosts)
	r.Undo = readUndoStatus(env)
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	r.Evidence = collectEvidence(ctx, env, k, r.Hosts)
	r.Guards = append(packs.GuardMessages(k), hooks.DisabledMessages(k)...)
	for _, err := range base.SplitErrors(k.Check()) {
		p := problems.New(problems.Error, err)
		p.Message = k.WithAdministrator(p.File, p.Message)
		r.Wrong = append(r.Wrong, p)
	}
	r.checkState(env)
	r.Weakened = listWeakenings(k)
	if r.On = k.IsOn(); !r.On {
		for i := range r.Hosts {
			if h := &r.Hosts[i]; h.Enabled != nil && h.Enabled.State == install.Yes {
				h.Enabled = &install.Check{State: install.No, Why: hooks.OffMessage.What, Remedies: hooks.OffMessage.Remedies}
			}
		}
	}
	r.Running = runningHosts(env)
	if uses, set := k.ModelUses(), model.RedirectingVars(base.Getenv(env)); len(uses) > 0 && len(set) > 0 {
		r.Models = doctor.IgnoredText(set)
	}
	if len(args) == 0 {
		l, err := hooks.GitLayer(ctx, env, k.Root())
		r.GitUnscanned = err == nil && l != nil && !slices.ContainsFunc(l.Hooks, func(h githook.Hook) bool { return h.Ours })
	}
	broken := len(r.Wrong) > 0 || len(r.Tampered) > 0 || slices.ContainsFunc(r.Hosts, func(h install.Report) bool { return !h.Works() })
	return base.OrFinding(r.report(env, len(args) == 1, verbose).Print(env, asJSON, &r), broken, "something that was installed does not work")
}

// listWeakenings returns what makes the guards of k weaker than by default.
func listWeakenings(k *app.Kit) (out []string) {
	g := k.Guards()
	if !k.IsOn() {
		out = append(out, "hooks are off")
	}
	if len(g.Off) > 0 {
		out = append(out, "packs are off: "+strings.Join(g.Off, ", "))
	}
	switch {
	case g.Paused:
		out = append(out, "paused until "+g.Until())
	case g.Shadow != "":
		out = append(out, "shadow mode until "+g.Until())
	}
	return out
}

// checkState sets which files of the state directory were changed by another program or have no seal.
func (r *statusReport) checkState(env *console.Env) {
	dir, err := base.StateDir(env)
	if err != nil {
		return
	}
	r.Tampered = tamperedMessages(env, dir)
	if text := base.ReplacedState(env, dir); text != "" {
		r.Tampered = append(r.Tampered, message.New(text, doctor.Remedies("state-new")...))
	}
	if _, unsealed := dir.CheckSealed(); len(unsealed) > 0 {
		m := unsealedMessage(unsealed)
		r.Unsealed = &m
	}
}

// unrecordedAge is how far back status shows calls that could not be recorded.
const unrecordedAge = 7 * 24 * time.Hour

// countEvents sets in each report how many events of the host the ledger has and whether the host is
// silent. It returns the calls that could not be recorded, or nil if there are none.
func countEvents(ctx context.Context, env *console.Env, hosts []install.Report) (u *records.Unrecorded) {
	dir, err := records.LedgerFlag("").Dir(env)
	if err == nil {
		if lost := ledger.CheckCurrent(dir); lost != nil {
			defer func() { u = &records.Unrecorded{Why: lost.Error()} }()
		}
		var segments []ledger.Segment
		segments, err = ledger.Segments(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0 {
			markSilent(eventLog{ctx: ctx}, env, hosts)
			return nil
		}
	}
	var ix *index.Index
	if err == nil {
		ix, err = records.OpenIndex(ctx, env, dir)
	}
	if err == nil {
		defer ix.Close()
	}
	for i := range hosts {
		h := &hosts[i]
		if err == nil {
			err = setSeen(ctx, ix, dir, h)
		}
		if err == nil {
			err = correctTrusted(ctx, ix, dir, environ.RepoTop(env.Dir), h)
		}
		if err != nil {
			h.Seen.Why = err.Error()
		}
	}
	if err != nil {
		return nil
	}
	markSilent(eventLog{ctx, ix, dir}, env, hosts)
	u, err = records.UnrecordedIn(ctx, ix, dir, env.Now().Add(-unrecordedAge), time.Time{})
	if err != nil {
		return &records.Unrecorded{Why: err.Error()}
	}
	return u
}

// markSilent sets in the reports which hosts are silent, or adds a note on why that is unknown.
func markSilent(e eventLog, env *console.Env, hosts []install.Report) {
	if err := e.findSilent(env, hosts); err != nil {
		for i := range hosts {
			if h := &hosts[i]; shouldSendEvents(h) {
				h.Notes = append(h.Notes, message.New("checkrein cannot tell whether "+h.Title+" sends all events: "+err.Error()))
			}
		}
	}
}

// setSeen sets in h how many events of the host the ledger has, and the last of them.
func setSeen(ctx context.Context, ix *index.Index, dir string, h *install.Report) error {
	filter := index.Filter{Host: []string{h.Host}, Kind: ledger.KindEvent}
	n, err := ix.Count(ctx, filter)
	if err != nil || n == 0 {
		return err
	}
	h.Seen.Count = n
	filter.Limit = 1
	_, err = records.EachHit(ctx, ix, dir, filter, func(raw []byte) {
		r, err := record.Decode(raw)
		if err != nil {
			return
		}
		at := r.Time
		h.Seen.Last, h.Seen.Event = &at, r.Native
		if h.Seen.Event == "" {
			h.Seen.Event = r.Event
		}
	})
	return err
}

// correctTrusted corrects in h whether the host trusts checkrein's hooks. If events arrived from the
// project since the host's files last changed, a hook ran, so the host trusted it or a run bypassed
// the check.
func correctTrusted(ctx context.Context, ix *index.Index, dir, project string, h *install.Report) error {
	if h.Seen.Count == 0 || h.Trusted == nil || h.Trusted.State != install.NotYet {
		return nil
	}
	var since time.Time
	for _, site := range h.Installed {
		for _, f := range site.Files {
			if info, err := os.Stat(f.Path); err == nil && info.ModTime().After(since) {
				since = info.ModTime()
			}
		}
	}
	var last *time.Time
	filter := index.Filter{Host: []string{h.Host}, Kind: ledger.KindEvent, Since: since, Limit: 1000}
	_, err := records.EachHitUntil(ctx, ix, dir, filter, func(raw []byte) bool {
		r, err := record.Decode(raw)
		if err != nil || r.Foreign {
			return true
		}
		if at := cmp.Or(r.Root, r.Dir); at == project || approval.IsBelow(project, at) {
			last = &r.Time
		}
		return last == nil
	})
	switch {
	case err != nil || last == nil:
	case h.TrustsFolders:
		h.Trusted = &install.Check{State: install.Yes, Why: h.Title + " ran checkrein's hooks here, last on " + last.Local().Format(time.DateTime)}
	default:
		h.Trusted.Why += fmt.Sprintf(". The events that arrived, last on %s, came from a run that bypassed this", last.Local().Format(time.DateTime))
	}
	return err
}
