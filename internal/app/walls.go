package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/build"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/wrap"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// container returns the function with which guards ask whether commands run behind walls, or nil for
// programs that embed checkrein, which start commands themselves.
func (k *Kit) container(opts Options) func(context.Context, *checkrein.Event) (bool, error) {
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

// contains reports whether the command of ev will start through the wrapper. An error means that it
// should, and will not, or that the wrapper cannot contain it.
func (k *Kit) contains(ctx context.Context, ev *checkrein.Event) (bool, error) {
	w, ok := k.wrapperOf(ev)
	if !ok || shellCommand(ev) == "" {
		return false, nil
	}
	if now := k.effectiveWrapper(w, ev); now != k.state.Path(filepath.FromSlash(wrap.Program(w.Host))) {
		h, _ := host.Find(ev.Host)
		return false, fmt.Errorf("walls are installed, but %s starts commands with %s", h.Title, cmp.Or(now, "another program"))
	}
	if k.state.Has(wrap.Missed) {
		return false, errors.New("walls are installed, but an earlier command of this session did not run through checkrein-shell")
	}
	return true, k.tryWalls(ctx, w, ev.Session.Dir)
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
			return false
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
		set := &k.config.Settings.Walls
		place := walls.Place{
			Homes: []string{k.home, environ.OwnAccount().Home}, Dirs: walls.ProjectDirs(dir),
			Own:  []string{k.state.Path(), k.places.Config},
			Hide: set.Hide, Write: set.Write, Sockets: set.Sockets, Network: set.Network || v.Obligations[i].Detail != "",
		}
		jail, err := place.Jail()
		if err != nil {
			return
		}
		ticket.Jail = &jail
	}
	_ = k.tickets().Issue(&ticket) // without it the command is contained
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

// stopped lists the words with which programs report that a wall stopped them.
var stopped = [...]string{"Permission denied", "permission denied", "EACCES", "Operation not permitted", "EPERM", "Address family not supported"}

// reportWalls returns what a person should know about walls after the call of t: that the command did
// not run through the wrapper, or that walls stopped something. The model is then told not to retry.
func (k *Kit) reportWalls(t *turn) []string {
	ev, v := &t.event, &t.out.Verdict
	if !t.real || ev.Kind != checkrein.PostToolUse || shellCommand(ev) == "" {
		return nil
	}
	if _, walled := k.wrapperOf(ev); !walled {
		return nil
	}
	r, ok := k.awaitReceipt(ev.Session.ID, ev.Tool.CallID)
	if !ok {
		_ = k.state.WriteFast(wrap.Missed, []byte(k.now().UTC().Format(time.RFC3339)+"\n")) // the notice is given anyway
		return []string{"This command did not run through checkrein-shell as it was permitted: checkrein asks about unknown commands until the next session"}
	}
	output := string(ev.Tool.Output) + ev.Text
	if !r.Contained || !slices.ContainsFunc(stopped[:], func(word string) bool { return strings.Contains(output, word) }) {
		return nil
	}
	v.Context = append(v.Context, "checkrein ran this command behind walls because it could not be checked: it may change the project and temporary files, and may not read credentials. "+
		"If that is why it failed, do not retry it in another way, and do not use sudo or chown. Tell the user.")
	return []string{"Walls may have stopped something; to see what they permit, run checkrein walls"}
}
