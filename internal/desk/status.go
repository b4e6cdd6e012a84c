package desk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/build"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/index"
	"github.com/checkrein/checkrein/internal/install"
	"github.com/checkrein/checkrein/internal/ledger"
	"github.com/checkrein/checkrein/internal/livehost"
	"github.com/checkrein/checkrein/internal/process"
	"github.com/checkrein/checkrein/internal/record"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

// statusReport is what status --json prints.
type statusReport struct {
	Version int           `json:"version"` // of this form
	Build   string        `json:"build"`
	Program string        `json:"program"`
	Project string        `json:"project"`
	Guards  []string      `json:"guards,omitempty"` // where the default guards are not as they come
	Running []runningHost `json:"running,omitempty"`
	// Unrecorded are the calls of the last week that could not be recorded.
	Unrecorded *unrecorded      `json:"unrecorded,omitempty"`
	Hosts      []install.Report `json:"hosts"`
}

// A runningHost is an agent that is alive, because of which commands of a person are
// refused to what it starts.
type runningHost struct {
	Host  string     `json:"host"`
	PID   int        `json:"pid"`
	Since *time.Time `json:"since,omitempty"`
	Far   bool       `json:"far,omitempty"` // it is elsewhere, in a container say, and was heard of within two hours
}

func running(env *console.Env) []runningHost {
	dir, err := stateDir(env)
	if err != nil {
		return nil
	}
	var out []runningHost
	add := func(hosts []livehost.Host, far bool) {
		for i := range hosts {
			h := &hosts[i]
			r := runningHost{Host: h.Name, PID: h.PID, Far: far}
			if at, ok := process.Started(h.ID); ok && !far {
				at = at.Round(time.Second)
				r.Since = &at
			}
			if !h.Gone {
				out = append(out, r)
			}
		}
	}
	hosts, far, _ := livehost.Living(dir)
	add(hosts, false)
	add(far, true)
	return out
}

func statusCommand(env *console.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "status [HOST]", Short: "Say for each agent whether it asks checkrein, and whether that works",
		Long: `status looks at the files of each agent and at the ledger: where checkrein is
installed, whether the agent has its hooks switched on and trusts ours, when an
event was last seen, and whether what the agent honours was proven. It lists the agents
that run: what they start is refused the commands that are a person's. The exit code
is 1 when something that is installed does not work, or is gone from the agent's files.`,
		Example: `  checkrein status
  checkrein status codex
  checkrein status --json | jq '.hosts[] | select(.problems)'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return status(cmd.Context(), env, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func status(ctx context.Context, env *console.Env, args []string, asJSON bool) error {
	tellPlaces(env)
	m, err := machine(env)
	if err != nil {
		return err
	}
	_, _ = m.FindProgram(env.Program, "") // where it lies is install's concern
	names := m.Names()
	if len(args) == 1 {
		names = args
	}
	r := statusReport{Version: 1, Build: build.Version, Program: m.Program, Project: m.Project, Hosts: []install.Report{}}
	for _, name := range names {
		h, err := m.Status(name)
		if err != nil {
			return err
		}
		r.Hosts = append(r.Hosts, h)
	}
	r.Unrecorded = seen(ctx, env, r.Hosts)
	k, err := open(env, kit.Options{Peek: true})
	if err != nil {
		return err
	}
	r.Guards = guardLines(k)
	r.Running = running(env)
	if asJSON {
		err = printJSON(env, r)
	} else {
		printStatus(env, &r, len(args) == 1)
	}
	if err != nil {
		return err
	}
	for _, h := range r.Hosts {
		if !h.Works() {
			return &exit{code: console.Finding, err: errors.New("something that was installed does not work"), quiet: true}
		}
	}
	return nil
}

// unrecordedFor is how long status tells of calls that could not be recorded.
const unrecordedFor = 7 * 24 * time.Hour

// seen asks the ledger for each host's events, and for what it could not take.
func seen(ctx context.Context, env *console.Env, hosts []install.Report) (u *unrecorded) {
	dir, err := ledgerFlag("").dir(env)
	if err == nil {
		if lost := ledger.Lost(dir); lost != nil {
			defer func() { u = &unrecorded{Why: lost.Error()} }()
		}
		var segments []ledger.Segment
		segments, err = ledger.Segments(dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0 {
			return nil
		}
	}
	var ix *index.Index
	if err == nil {
		ix, err = openIndex(ctx, env, dir)
	}
	if err == nil {
		defer ix.Close()
	}
	for i := range hosts {
		h := &hosts[i]
		if err == nil {
			err = seenOf(ctx, ix, dir, h)
		}
		if err != nil {
			h.Seen.Why = err.Error()
		}
	}
	if err != nil {
		return nil
	}
	u, err = unrecordedIn(ctx, ix, dir, env.Now().Add(-unrecordedFor), time.Time{})
	if err != nil {
		return &unrecorded{Why: err.Error()}
	}
	return u
}

func seenOf(ctx context.Context, ix *index.Index, dir string, h *install.Report) error {
	filter := index.Filter{Host: []string{h.Host}, Kind: ledger.KindEvent}
	n, err := ix.Count(ctx, filter)
	if err != nil || n == 0 {
		return err
	}
	h.Seen.Count = n
	filter.Limit = 1
	_, err = hits(ctx, ix, dir, filter, func(raw []byte) {
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

// printStatus prints a block for each host that is installed, seen or asked for,
// and a line for the rest.
func printStatus(env *console.Env, r *statusReport, asked bool) {
	for _, line := range r.Guards {
		fmt.Fprintf(env.Stdout, "guards: %s\n", trust.VisibleLine(line))
	}
	if r.Unrecorded != nil {
		fmt.Fprintf(env.Stdout, "ledger: %s (checkrein audit query --kind gap)\n", trust.VisibleLine(r.Unrecorded.text()))
	}
	for _, h := range r.Running {
		since := ""
		if h.Since != nil {
			since = " since " + h.Since.In(zone(env)).Format("Jan 2 15:04")
		}
		if h.Far {
			since = " elsewhere, in a container say"
		}
		fmt.Fprintf(env.Stdout, "running: %s (process %d)%s\n", trust.VisibleLine(h.Host), h.PID, since)
	}
	var here, rest []string
	for i := range r.Hosts {
		h := &r.Hosts[i]
		switch {
		case asked || len(h.Installed) > 0 || !h.Works() || h.Seen.Count > 0:
			printHost(env, h)
		case h.Present:
			here = append(here, h.Host)
		default:
			rest = append(rest, h.Host)
		}
	}
	if len(here) > 0 {
		fmt.Fprintf(env.Stdout, "on this machine, not installed: %s (checkrein install --all)\n", strings.Join(here, ", "))
	}
	if len(rest) > 0 {
		fmt.Fprintf(env.Stdout, "not found here: %s\n", strings.Join(rest, ", "))
	}
}

func printHost(env *console.Env, h *install.Report) {
	out := env.Stdout
	fmt.Fprintf(out, "%s (%s)\n", h.Title, h.Host)
	switch {
	case len(h.Gone) > 0 && len(h.Installed) == 0:
		fmt.Fprintln(out, "  installed  no longer")
	case len(h.Installed) == 0:
		fmt.Fprintf(out, "  installed  no: checkrein install %s\n", h.Host)
	}
	for _, s := range h.Installed {
		paths := make([]string, len(s.Files))
		for i, f := range s.Files {
			paths[i] = f.Path
		}
		fmt.Fprintf(out, "  installed  %s: %s\n             %d events: %s\n", s.Scope, strings.Join(paths, ", "), len(s.Events), strings.Join(s.Events, ", "))
	}
	if h.Enabled != nil {
		fmt.Fprintf(out, "  enabled    %s\n", checkText(*h.Enabled))
		fmt.Fprintf(out, "  trusted    %s\n", checkText(*h.Trusted))
	}
	fmt.Fprintf(out, "  seen       %s\n", seenText(env, h.Seen))
	if h.Proven.State == install.Yes {
		fmt.Fprintf(out, "  proven     %s\n", h.Proven.Time.In(zone(env)).Format(time.DateTime))
	} else {
		fmt.Fprintln(out, "  proven     not proven")
	}
	for _, s := range h.Installed {
		for _, n := range append(s.Notes, s.Elsewhere...) {
			fmt.Fprintf(out, "  note: %s\n", n)
		}
	}
	for _, n := range h.Notes {
		fmt.Fprintf(out, "  note: %s\n", n)
	}
	for _, n := range h.Foreign {
		fmt.Fprintf(out, "  note: %s\n", n)
	}
	for _, s := range h.Installed {
		if len(s.Gates) > 0 {
			fmt.Fprintf(out, "  BROKEN: not wired, so nothing there is refused: %s; checkrein install %s --scope %s adds them\n", strings.Join(s.Gates, ", "), h.Host, s.Scope)
		}
	}
	for _, p := range h.Gone {
		fmt.Fprintf(out, "  GONE: %s\n", p)
	}
	for _, p := range h.Problems {
		fmt.Fprintf(out, "  BROKEN: %s\n", p)
	}
}

func checkText(c install.Check) string {
	if c.Why == "" {
		return string(c.State)
	}
	return string(c.State) + ": " + c.Why
}

func seenText(env *console.Env, s install.Seen) string {
	count := fmt.Sprintf("%d events", s.Count)
	if s.Count == 1 {
		count = "1 event"
	}
	switch {
	case s.Why != "":
		return "unknown: " + s.Why
	case s.Count == 0:
		return "never: nothing of it is in the ledger"
	case s.Last == nil:
		return count
	}
	return fmt.Sprintf("%s, the last at %s (%s)", count, s.Last.In(zone(env)).Format(time.DateTime), s.Event)
}
