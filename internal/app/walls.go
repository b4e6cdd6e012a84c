package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// container returns the function with which guards ask whether commands run behind walls, or nil for
// programs that embed checkrein, which start commands themselves.
func (k *Kit) container(opts Options) func(context.Context, *checkrein.Event, []string) (builtin.Containment, error) {
	if opts.Own != nil || k.state.Path() == "" {
		return nil
	}
	return k.contains
}

// wrapperOf returns how the event's host starts commands, or false if install has not put the wrapper
// into its settings.
func (k *Kit) wrapperOf(ev *checkrein.Event) (hosts.Wrapper, bool) {
	w, ok := hosts.FindWrapper(ev.Host)
	return w, ok && k.state.Has(wrap.HostFile(ev.Host))
}

// contains implements [builtin.Machine.Contains]. If no host acts on the decision, such as when a person
// explains a call, the walls are taken to hold.
func (k *Kit) contains(ctx context.Context, ev *checkrein.Event, programs []string) (builtin.Containment, error) {
	w, ok := k.wrapperOf(ev)
	if !ok || shellCommand(ev) == "" {
		return builtin.NotContained, nil
	}
	if slices.Contains(k.openings(ev, programs), grant.OpenOutside) {
		return builtin.Opened, nil
	}
	if ctx.Value(enforcedKey{}) == nil {
		return builtin.Contained, nil
	}
	if now := k.effectiveWrapper(w, ev); now != k.state.Path(filepath.FromSlash(wrap.Program(w.Host))) {
		h, _ := host.Find(ev.Host)
		return builtin.NotContained, fmt.Errorf("walls are installed, but %s starts commands with %s", h.Title, cmp.Or(now, "another program"))
	}
	if k.state.Has(wrap.Missed) {
		return builtin.NotContained, errors.New("walls are installed, but an earlier command of this session did not run through checkrein-shell")
	}
	place := k.WallsPlace()
	place.Dirs = walls.ProjectDirs(callDir(ev))
	if err := place.Check(); err != nil {
		return builtin.NotContained, fmt.Errorf("walls cannot be built here: %w", err)
	}
	return builtin.Contained, k.tryWalls(ctx, w, ev.Session.Dir)
}

// openings returns the parts of the walls that a person opened for programs in the project or session
// of ev.
func (k *Kit) openings(ev *checkrein.Event, programs []string) []string {
	list, err := k.grants.Openings(&grant.Call{Host: ev.Host, Session: ev.Session.ID, Root: ev.Session.Root})
	if err != nil {
		k.logLine("grants: " + err.Error())
	}
	return grant.OpenFor(list, programs)
}

// effectiveWrapper returns the program with which the event's host starts commands: what the host
// itself reports, unless a project's settings name another one. Hosts start the hooks of administrators
// without the variables of such settings, but not commands.
func (k *Kit) effectiveWrapper(w hosts.Wrapper, ev *checkrein.Event) string {
	if w.Member != "" {
		return rawjson.GetText(ev.Raw, w.Member)
	}
	getenv := func(name string) string { v, _ := environ.Lookup(k.environ, name); return v }
	now := getenv(w.Variable)
	hostfiles.EachPath("", getenv, []string{getenv(w.Own), ev.Session.Root, ev.Session.Dir}, func(path string, f *hostfiles.File) bool {
		if f.Host != w.Host || f.Where&hosts.Project == 0 {
			return false
		}
		text, err := state.ReadRegular(filepath.FromSlash(path), maxSettings)
		if err != nil {
			if state.IsMissing(err) {
				return false
			}
			now = "a program that may be named in " + path + ", which cannot be read"
			return true
		}
		other, set := f.Variable(text, w.Variable)
		if set && other != now {
			now = other
			return true
		}
		return false
	})
	return now
}

// maxSettings is the size limit of a host's settings in bytes.
const maxSettings = 4 << 20

// wallsState is the name of the file in the state directory about walls that were seen to hold.
const wallsState = wrap.Folder + "/hold"

// tryWalls returns nil if a contained command was seen to be unable to write outside, since this machine
// was started.
func (k *Kit) tryWalls(ctx context.Context, w hosts.Wrapper, dir string) error {
	boot, _ := state.ReadRegular("/proc/sys/kernel/random/boot_id", 64) // "" = unknown
	want := strings.TrimSpace(string(boot)) + " " + build.Version
	if data, err := k.state.Read(wallsState, 1<<10); err == nil {
		if body, ok := k.state.UnsealNote(wallsState, data); ok && string(body) == want {
			return nil
		}
	}
	probe := k.state.Path(wrap.Folder, "probe")
	if err := k.state.Remove(wrap.Folder + "/probe"); err != nil {
		return err
	}
	res, err := process.Run(ctx, process.Spec{
		Argv: append([]string{k.state.Path(wrap.Program(w.Host))}, wrap.ProbeArgs(wrap.Host(w), "echo inside; echo outside >"+probe)...),
		Dir:  dir, Env: k.environ,
	})
	switch out := strings.TrimSpace(string(res.Stdout)); {
	case err != nil:
		return fmt.Errorf("walls are installed, but do not work: %w", err)
	case out != "inside":
		return fmt.Errorf("walls are installed, but do not work: %s", cmp.Or(strings.TrimSpace(string(res.Stderr)), "no output"))
	case !state.IsAbsent(probe):
		return errors.New("walls are installed, but do not hold: a command could write into checkrein's directory")
	}
	if note, err := k.state.SealNote(wallsState, []byte(want)); err == nil {
		_ = k.state.WriteFast(wallsState, note) // it is tried again otherwise
	}
	return nil
}

// shellCommand returns the command of a shell tool, as its host will run it, or "" for another event.
func shellCommand(ev *checkrein.Event) string {
	if ev.Tool == nil || cmp.Or(ev.Tool.Canonical, tools.CanonicalTool(ev.Tool.Name)) != "shell" {
		return ""
	}
	return strings.TrimSpace(rawjson.GetText(ev.Tool.Input, "command"))
}

// issueTicket issues the ticket with which the wrapper runs the command of t, contained if the verdict
// requires that. Without a ticket it is contained more strictly.
func (k *Kit) issueTicket(t *turn) {
	ev, v := &t.event, &t.out.Verdict
	w, walled := k.wrapperOf(ev)
	if ev.Kind == checkrein.SessionStart && walled {
		if string(ev.Detail("source")) != `"compact"` { // the agent goes on with the same shell
			k.tickets().Unpin(ev.Session.ID)
		}
		_ = k.state.Remove(wrap.Missed) // it only makes checkrein ask
		k.tickets().Sweep()
	}
	command := shellCommand(ev)
	if ev.Kind != checkrein.PreToolUse || v.Decision == checkrein.Deny || command == "" || !walled {
		return
	}
	if v.Input != nil {
		command = strings.TrimSpace(cmp.Or(rawjson.GetText(v.Input, "command"), command))
	}
	dir, err := filepath.EvalSymlinks(callDir(ev))
	if err != nil {
		return
	}
	ticket := wrap.Ticket{Session: ev.Session.ID, Dir: dir, Command: wrap.Host(w).Rewrite(command), CallID: ev.Tool.CallID}
	if w.Call != "" {
		ticket.Bound = ev.Tool.CallID
	}
	if i := slices.IndexFunc(v.Obligations, func(o checkrein.Obligation) bool { return o.Kind == "contain" }); i >= 0 {
		run := containedRun{Programs: strings.Fields(v.Obligations[i].Detail), Network: v.Obligations[i].ID == builtin.WallsOnline, Began: k.now()}
		jail, err := k.jail(ev, dir, &run)
		if err != nil {
			return
		}
		ticket.Jail = &jail
		k.beginRun(ev, &run)
	}
	_ = k.tickets().Issue(&ticket) // without it the command is contained
}

// jail returns the jail for a contained command of ev in dir, with what people opened for its programs.
// It sets run.Network and run.Dirs.
func (k *Kit) jail(ev *checkrein.Event, dir string, run *containedRun) (sandbox.Jail, error) {
	place := k.WallsPlace()
	if filepath.IsAbs(k.home) {
		_ = os.Mkdir(filepath.Join(k.home, ".cache"), 0o700) // programs make it, but cannot behind walls
	}
	run.Dirs = walls.ProjectDirs(dir)
	place.Dirs, place.Network = run.Dirs, k.config.Settings.Walls.Network || run.Network
	for _, what := range k.openings(ev, run.Programs) {
		switch what {
		case grant.OpenNetwork:
			place.Network = true
		case grant.OpenSockets:
			place.Sockets = true
		default:
			place.Write = append(slices.Clone(place.Write), what)
		}
	}
	run.Network = place.Network
	return place.Jail()
}

// WallsPlace returns where programs behind walls run, as the person's settings change it, without their
// directories and network.
func (k *Kit) WallsPlace() walls.Place {
	set := &k.config.Settings.Walls
	return walls.Place{
		Homes: []string{k.home, environ.OwnAccount().Home}, Own: []string{k.state.Path(), k.places.Config},
		Hide: set.Hide, Write: set.Write, Sockets: set.Sockets,
	}
}

// callDir returns the directory in which the host runs the command of ev.
func callDir(ev *checkrein.Event) string {
	h, ok := host.Find(ev.Host)
	if !ok {
		return ev.Session.Dir
	}
	for _, name := range h.Dirs {
		switch dir := filepath.FromSlash(rawjson.GetText(ev.Tool.Input, name)); {
		case filepath.IsAbs(dir):
			return dir
		case dir != "":
			return filepath.Join(ev.Session.Dir, dir)
		}
	}
	return ev.Session.Dir
}

// tickets returns the store of tickets.
func (k *Kit) tickets() *wrap.Store { return wrap.Open(k.state, k.now) }

// startTime is how long a command may take to start after the host reported it, as hosts do with
// commands in the background.
const startTime = 2 * time.Second

// awaitReceipt returns the receipt of a call, which the wrapper writes when the command starts, or false
// if there is none in time.
func (k *Kit) awaitReceipt(session, callID string) (wrap.Receipt, bool) {
	tickets := k.tickets()
	for end := time.Now().Add(startTime); ; time.Sleep(startTime / 100) {
		if r, ok := tickets.FindReceipt(session, callID); ok || time.Now().After(end) {
			return r, ok
		}
	}
}
