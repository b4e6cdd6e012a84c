package person

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/sys/process"
)

// A Case is a command that is a person's to give, while agent hosts are alive.
type Case struct {
	Hosts []liveagents.Host // that are alive, or were lately; without one there is nothing to find
	Marks []string          // the variables that hosts set for what they run

	seen map[int]bool // the processes that were looked at
}

// A Doubt is why an agent may have given a command, and which one.
type Doubt struct {
	Host liveagents.Host
	Why  string
}

func (d *Doubt) Error() string { return d.Why }

// doubt returns a Doubt because of a host, which the text names last.
func doubt(h *liveagents.Host, format string, args ...any) error {
	return &Doubt{*h, fmt.Sprintf(format, args...) + ", and " + running(h)}
}

// Doubt returns a [*Doubt], or another error, if an agent may have given the command;
// nil = a person did, by all that can be seen. While a host is alive the person must sit
// there: below the terminal is a shell that is typed in, and of a multiplexer the pane is
// looked at.
func (c *Case) Doubt() error {
	if len(c.Hosts) == 0 {
		return nil
	}
	if !process.HasOwnTable() {
		return doubt(c.first(), "this process is isolated from the processes that it sees")
	}
	if err := table(); err != nil {
		return doubt(c.first(), "%v", err)
	}
	if err := c.apart(); err != nil {
		return err
	}
	c.seen = map[int]bool{}
	// What a host that ended left behind has a terminal of its own: above that is no
	// person's, however it is typed in.
	alive := slices.ContainsFunc(c.Hosts, func(h liveagents.Host) bool { return !h.Gone })
	return c.origin(os.Getpid(), alive)
}

// apart reports that this process has other users or another clock than a host: then
// neither whose a process is nor when it started is told truly. Who has only other
// files is judged like the rest, see [Case.genuine].
func (c *Case) apart() error {
	own := process.NamespacesOf(os.Getpid())
	for i := range c.Hosts {
		h := &c.Hosts[i]
		if process.AreDifferent(own.User, h.Spaces.User) {
			return doubt(h, "this process is in its own user namespace")
		}
		if process.AreDifferent(own.Time, h.Spaces.Time) {
			return doubt(h, "this process has its own clock (a time namespace)")
		}
	}
	return nil
}

// first returns the host to name where all of them count alike: one that runs.
func (c *Case) first() *liveagents.Host {
	return &c.Hosts[max(0, slices.IndexFunc(c.Hosts, func(h liveagents.Host) bool { return !h.Gone }))]
}

// running describes a host, for messages.
func running(h *liveagents.Host) string {
	if h.Gone {
		return fmt.Sprintf("%s (process %d), which has ended, may have left programs running", h.Name, h.PID)
	}
	return fmt.Sprintf("%s is running (process %d)", h.Name, h.PID)
}

// elder returns a host that is older than a process, and may have started it; nil = none
// is.
func (c *Case) elder(a *process.Ancestor) *liveagents.Host {
	var found *liveagents.Host
	for i := range c.Hosts {
		if h := &c.Hosts[i]; h.Start <= a.Start && (found == nil || found.Gone && !h.Gone) {
			found = h
		}
	}
	return found
}

// older reports whether a process is older than all hosts: none of them started it.
func (c *Case) older(a *process.Ancestor) bool { return c.elder(a) == nil }

// genuine reports whether the name of a process tells what it is: no host can have made
// the file that it runs, nor have it run other code than its own.
func (c *Case) genuine(a *process.Ancestor) bool {
	if c.older(a) || runtime.GOOS != "linux" {
		return true
	}
	changed, ok := process.ExecutableChangeTime(a.PID)
	if !ok { // it is another user's, or hides
		return process.RunsAsRoot(a.PID)
	}
	if !installed(a.PID, os.Geteuid() == 0) {
		return false
	}
	files := process.NamespacesOf(a.PID).Mount
	for i := range c.Hosts {
		if process.AreDifferent(files, c.Hosts[i].Spaces.Mount) {
			return false // where it lies is where somebody put it
		}
		start, ok := process.StartTime(c.Hosts[i].ID)
		if !ok || changed.After(start.Add(-clocks)) {
			return false
		}
	}
	return !slices.ContainsFunc(process.Environ(a.PID), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return value != "" && slices.Contains(steering, name)
	})
}

// installed reports whether the file which a process runs lies where programs are
// installed: an agent of an earlier day may have made it as well. Root can write
// everywhere, so that only the usual places count.
func installed(pid int, root bool) bool {
	file := process.ExecutablePath(pid)
	there, err := os.Stat(file)
	runs, err2 := os.Stat(process.ExecutableLink(pid))
	if err != nil || err2 != nil || !os.SameFile(there, runs) {
		return false // another lies there by now, or it was never there
	}
	if root {
		return slices.ContainsFunc(systemDirs, func(dir string) bool { return strings.HasPrefix(file, dir) })
	}
	return !process.CanWrite(file) && !process.CanWrite(path.Dir(file))
}

func (c *Case) madeUp(a *process.Ancestor) error {
	return doubt(cmp.Or(c.elder(a), c.first()), "an agent may have created %s (process %d): it is newer than the agent, is in a place where agents can put programs, or was made to run other code", process.ExecutablePath(a.PID), a.PID)
}

// clocks is by how much the times of files and processes may differ.
const clocks = time.Second

// A line is a process and what is above it.
type line struct {
	up    []process.Ancestor // itself first
	above int                // the number of the one that cannot be seen; 0 = none
}

// ofRoot reports whether the program at a place, which works for root and for the
// person by turns, is root's in one of them, or may be where it cannot be seen.
func (l *line) ofRoot(at int) bool {
	for _, a := range l.up[at:] {
		if !slices.Contains(sshds, nameOf(&a)) {
			return false
		}
		if process.RunsAsRoot(a.PID) {
			return true
		}
	}
	return l.above > 1
}

// origin follows a process up to what gave it its terminal.
func (c *Case) origin(pid int, seat bool) error {
	if c.seen[pid] {
		return fmt.Errorf("process %d is its own parent", pid)
	}
	c.seen[pid] = true
	up, above, err := process.Lineage(pid)
	if err != nil || len(up) == 0 {
		return doubt(c.first(), "process %d cannot be inspected", pid)
	}
	l := line{up, above}
	if err := c.started(up); err != nil {
		return err
	}
	for i := range up {
		// A debugger can make a process do anything, so it must be the person's.
		if by := process.Tracer(up[i].PID); by != 0 && !c.seen[by] {
			if err := c.origin(by, false); err != nil {
				return fmt.Errorf("process %d controls process %d like a debugger: %w", by, up[i].PID, err)
			}
		}
	}
	typed := false
	for i := 1; i < len(up); i++ {
		a := &up[i]
		name := nameOf(a)
		switch {
		case liveagents.KindOf(a) == liveagents.Person && a.Terminal:
			typed = true
		case slices.Contains(jobs, name):
			return doubt(c.first(), "this command runs as a job of %s (process %d)", name, a.PID)
		case slices.Contains(sshds, name) && l.ofRoot(i):
			if !c.genuine(a) {
				return c.madeUp(a)
			}
			return c.login(&l, i)
		case isMultiplexer(a):
			if seat && !typed {
				return c.untyped(&l)
			}
			return c.attached(&l, i, seat)
		}
	}
	if entered := above == 0 && up[len(up)-1].PID != 1; entered {
		return nil // from outside, which what is inside cannot do
	}
	if seat && !typed {
		return c.untyped(&l)
	}
	return c.top(&l)
}

func (c *Case) untyped(l *line) error {
	if !l.up[0].Terminal {
		return doubt(c.first(), "%s: the command was not started from an interactive shell", l.terminal())
	}
	return doubt(c.first(), "this command was not started from an interactive shell")
}

// terminal describes the terminal of a line, for messages: whether there is one, and which
// process opened it.
func (l *line) terminal() string {
	self := &l.up[0]
	switch {
	case self.Terminal:
	case self.PID == os.Getpid():
		return "there is no terminal here"
	default:
		return fmt.Sprintf("process %d has no terminal", self.PID)
	}
	for i := range l.up {
		if a := &l.up[i]; a.TTY != self.TTY && liveagents.KindOf(a) != liveagents.Adopter {
			return fmt.Sprintf("%s (process %d) opened this terminal, and may be an agent's", nameOf(a), a.PID)
		}
	}
	return "the program that opened this terminal has ended"
}

// started returns a doubt if a host started a process or one of its ancestors: one of them is
// a host, or has a mark of one. The others have the mark from the highest of them, so that
// is the one to name.
func (c *Case) started(up []process.Ancestor) error {
	var marked error
	for i := range up {
		a := &up[i]
		for j := range c.Hosts {
			if c.Hosts[j].ID != a.ID {
				continue
			}
			if a.PID == os.Getpid() { // a request, or a pipe, gave it to the agent itself
				return &Doubt{c.Hosts[j], fmt.Sprintf("it was sent to %s (process %d) and not typed at its prompt, so another program may have sent it", c.Hosts[j].Name, a.PID)}
			}
			return &Doubt{c.Hosts[j], fmt.Sprintf("an agent runs this terminal: %s (process %d, %s)", c.Hosts[j].Name, a.PID, nameOf(a))}
		}
		if name := c.mark(a); name != "" {
			marked = doubt(c.elder(a), "process %d (%s) has %s in its environment, which agents set for the programs they run", a.PID, nameOf(a), name)
		}
	}
	return marked
}

// mark returns the variable of a host that a process has in its environment; "" = none, or
// no host can have started the process.
func (c *Case) mark(a *process.Ancestor) string {
	if c.older(a) {
		return ""
	}
	for _, v := range process.Environ(a.PID) {
		if name, value, _ := strings.Cut(v, "="); value != "" && slices.Contains(c.Marks, name) {
			return name
		}
	}
	return ""
}

// top judges by the highest process of a line that did not merely take it in: it
// is older than the hosts, or it is known to give terminals to people.
func (c *Case) top(l *line) error {
	n := len(l.up) - 1
	for n > 0 && liveagents.KindOf(&l.up[n]) == liveagents.Adopter {
		n--
	}
	a := &l.up[n]
	if n+1 < len(l.up) && isRelay(&l.up[n+1]) && a.Leader && a.Terminal && liveagents.KindOf(a) == liveagents.Person {
		return nil
	}
	if c.older(a) && n > 0 || n > 0 && c.givesTerminals(a) {
		return nil
	}
	if n == len(l.up)-1 && l.above > 1 && liveagents.KindOf(a) == liveagents.Starter {
		return nil // the rest is another user's
	}
	if n == 0 {
		return doubt(c.first(), "the program that started this command has ended")
	}
	h := cmp.Or(c.elder(a), c.first())
	return doubt(h, "%s", l.terminal())
}

// isRelay reports whether a process is the one by which a window of Windows shows
// a shell of Linux. It is called like the one that takes orphans in.
func isRelay(a *process.Ancestor) bool {
	return strings.HasPrefix(process.CommandName(a.PID), "Relay(") && process.RunsAsRoot(a.PID)
}

// nameOf is what a process is called: by the file that it runs, where that is told
// and is not one that plays many parts.
func nameOf(a *process.Ancestor) string {
	said := ""
	if len(a.Args) > 0 {
		said = liveagents.NameOf(a.Args[0])
	}
	file := path.Base(process.ExecutablePath(a.PID))
	if file == "." || said == "SCREEN" && strings.HasPrefix(file, "screen") {
		return said
	}
	return file
}

// givesTerminals reports whether a program is known to start shells for people.
func (c *Case) givesTerminals(a *process.Ancestor) bool {
	name := nameOf(a)
	if name == "login" {
		return process.RunsAsRoot(a.PID) && c.genuine(a)
	}
	name = strings.TrimRight(strings.ToLower(name), "-.0123456789") // some have their version there
	_, ok := slices.BinarySearch(terminals[:], name)
	// What it was given to run is not what a person types.
	return ok && c.genuine(a) && !slices.ContainsFunc(a.Args, func(s string) bool { return slices.Contains(runs, s) })
}
