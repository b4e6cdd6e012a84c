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

// A Situation is a command that only a person may give and that was given while agent hosts were
// running.
type Situation struct {
	Hosts []liveagents.Host // hosts that are running, or were recently; if there are none, no check is needed
	Marks []string          // the environment variables that hosts set for the programs they run

	visited map[int]bool // processes that were checked
}

// A Doubt is the reason to believe that an agent may have given a command, and the agent.
type Doubt struct {
	Host liveagents.Host
	Why  string
}

func (d *Doubt) Error() string { return d.Why }

// newDoubt returns a Doubt about h with a formatted text, to which a description of h is added.
func newDoubt(h *liveagents.Host, format string, args ...any) error {
	return &Doubt{*h, fmt.Sprintf(format, args...) + ", and " + describeHost(h)}
}

// Check returns a [*Doubt], or another error, if an agent may have given the command. It returns nil
// if a person gave it, as far as this can be determined. While a host is running, the person must be
// present: there must be an interactive shell below the terminal, and a pane of a multiplexer must be
// visible.
func (c *Situation) Check() error {
	if len(c.Hosts) == 0 {
		return nil
	}
	if !process.HasOwnTable() {
		return newDoubt(c.mainHost(), "this process is isolated from the processes that it sees")
	}
	if err := checkProc(); err != nil {
		return newDoubt(c.mainHost(), "%v", err)
	}
	if err := c.doubtNamespaces(); err != nil {
		return err
	}
	c.visited = map[int]bool{}
	// Programs that an ended host left behind have a terminal that no person's program opened, even if keys
	// are typed into it.
	alive := slices.ContainsFunc(c.Hosts, func(h liveagents.Host) bool { return !h.Gone })
	return c.checkOrigin(os.Getpid(), alive)
}

// doubtNamespaces returns a doubt if this process has another user namespace or clock than a host,
// since then neither the owner nor the start time of a process can be relied on. A process that
// differs only in its mount namespace is judged like any other; see [Case.isGenuine].
func (c *Situation) doubtNamespaces() error {
	own := process.NamespacesOf(os.Getpid())
	for i := range c.Hosts {
		h := &c.Hosts[i]
		if process.AreNamespacesDifferent(own.User, h.Spaces.User) {
			return newDoubt(h, "this process is in its own user namespace")
		}
		if process.AreNamespacesDifferent(own.Time, h.Spaces.Time) {
			return newDoubt(h, "this process has its own clock (a time namespace)")
		}
	}
	return nil
}

// mainHost returns the host to name if all of them count alike. It is a running one if there is any.
func (c *Situation) mainHost() *liveagents.Host {
	return &c.Hosts[max(0, slices.IndexFunc(c.Hosts, func(h liveagents.Host) bool { return !h.Gone }))]
}

// describeHost describes h for messages.
func describeHost(h *liveagents.Host) string {
	if h.Gone {
		return fmt.Sprintf("%s (process %d), which has ended, may have left programs running", h.Name, h.PID)
	}
	return fmt.Sprintf("%s is running (process %d)", h.Name, h.PID)
}

// olderHost returns a host that is older than a, and so may have started it, or nil if there is none.
// It prefers running hosts.
func (c *Situation) olderHost(a *process.Ancestor) *liveagents.Host {
	var found *liveagents.Host
	for i := range c.Hosts {
		if h := &c.Hosts[i]; h.Start <= a.Start && (found == nil || found.Gone && !h.Gone) {
			found = h
		}
	}
	return found
}

// predatesAllHosts reports whether a is older than all hosts, so that none of them started it.
func (c *Situation) predatesAllHosts(a *process.Ancestor) bool { return c.olderHost(a) == nil }

// isGenuine reports whether the name of a can be relied on, because no host can have created the file
// that it runs, or made it run other code.
func (c *Situation) isGenuine(a *process.Ancestor) bool {
	if c.predatesAllHosts(a) || runtime.GOOS != "linux" {
		return true
	}
	changed, ok := process.ExecutableChangeTime(a.PID)
	if !ok { // it belongs to another user, or is hidden
		return process.RunsAsRoot(a.PID)
	}
	if !isInstalled(a.PID, os.Geteuid() == 0) {
		return false
	}
	files := process.NamespacesOf(a.PID).Mount
	for i := range c.Hosts {
		if process.AreNamespacesDifferent(files, c.Hosts[i].Spaces.Mount) {
			return false // in its own mount namespace, paths prove nothing
		}
		start, ok := process.StartTime(c.Hosts[i].ID)
		if !ok || changed.After(start.Add(-clockTolerance)) {
			return false
		}
	}
	return !slices.ContainsFunc(process.EnvironOf(a.PID), func(v string) bool {
		name, value, _ := strings.Cut(v, "=")
		return value != "" && slices.Contains(injectionVars, name)
	})
}

// isInstalled reports whether the executable of a process is in a directory for installed programs,
// where the user cannot write. An agent that ran earlier may have created an executable anywhere else.
// Root can write everywhere, so for root only systemDirs count.
func isInstalled(pid int, root bool) bool {
	file := process.ExecutablePath(pid)
	there, err := os.Stat(file)
	runs, err2 := os.Stat(process.ExecutableLink(pid))
	if err != nil || err2 != nil || !os.SameFile(there, runs) {
		return false // the file was replaced, or never existed
	}
	if root {
		return slices.ContainsFunc(systemDirs, func(dir string) bool { return strings.HasPrefix(file, dir) })
	}
	return !process.CanWrite(file) && !process.CanWrite(path.Dir(file))
}

// doubtProgram returns the doubt that an agent may have created the program of a.
func (c *Situation) doubtProgram(a *process.Ancestor) error {
	return newDoubt(cmp.Or(c.olderHost(a), c.mainHost()), "an agent may have created %s (process %d): it is newer than the agent, is in a place where agents can put programs, or was made to run other code", process.ExecutablePath(a.PID), a.PID)
}

// clockTolerance is how far the times of files and processes may differ.
const clockTolerance = time.Second

// An ancestry is a process and its ancestors.
type ancestry struct {
	up     []process.Ancestor // the process itself first
	hidden int                // pid of the next ancestor, which cannot be inspected; 0 means none
}

// runsAsRoot reports whether the login server at index at, which has processes of root and of the
// user, has one that runs as root, or may have one that cannot be inspected.
func (l *ancestry) runsAsRoot(at int) bool {
	for _, a := range l.up[at:] {
		if !slices.Contains(sshds, programName(&a)) {
			return false
		}
		if process.RunsAsRoot(a.PID) {
			return true
		}
	}
	return l.hidden > 1
}

// checkOrigin follows the ancestors of pid up to the program that gave it its terminal, and returns a
// doubt if that may be an agent's. If needsShell is set, there must be an interactive shell.
func (c *Situation) checkOrigin(pid int, needsShell bool) error {
	if c.visited[pid] {
		return fmt.Errorf("process %d is its own parent", pid)
	}
	c.visited[pid] = true
	up, above, err := process.Lineage(pid)
	if err != nil || len(up) == 0 {
		return newDoubt(c.mainHost(), "process %d cannot be inspected", pid)
	}
	l := ancestry{up, above}
	if err := c.checkStarted(up); err != nil {
		return err
	}
	for i := range up {
		// A debugger can make a process do anything, so it must belong to the person.
		if by := process.TracerOf(up[i].PID); by != 0 && !c.visited[by] {
			if err := c.checkOrigin(by, false); err != nil {
				return fmt.Errorf("process %d controls process %d like a debugger: %w", by, up[i].PID, err)
			}
		}
	}
	typed := false
	for i := 1; i < len(up); i++ {
		a := &up[i]
		name := programName(a)
		switch {
		case liveagents.KindOf(a) == liveagents.Person && a.Terminal:
			typed = true
		case slices.Contains(jobRunners, name):
			return newDoubt(c.mainHost(), "this command runs as a job of %s (process %d)", name, a.PID)
		case slices.Contains(sshds, name) && l.runsAsRoot(i):
			if !c.isGenuine(a) {
				return c.doubtProgram(a)
			}
			return c.checkLogin(&l, i)
		case isMultiplexer(a):
			if needsShell && !typed {
				return c.doubtNoShell(&l)
			}
			return c.checkAttached(&l, i, needsShell)
		}
	}
	if entered := above == 0 && up[len(up)-1].PID != 1; entered {
		return nil // it entered from outside this container, which no process inside can do
	}
	if needsShell && !typed {
		return c.doubtNoShell(&l)
	}
	return c.checkTop(&l)
}

// doubtNoShell returns the doubt about a command that no interactive shell started.
func (c *Situation) doubtNoShell(l *ancestry) error {
	if !l.up[0].Terminal {
		return newDoubt(c.mainHost(), "%s: the command was not started from an interactive shell", l.describeTerminal())
	}
	return newDoubt(c.mainHost(), "this command was not started from an interactive shell")
}

// describeTerminal returns text for messages: that the process has no terminal, or which process
// opened it.
func (l *ancestry) describeTerminal() string {
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
			return fmt.Sprintf("%s (process %d) opened this terminal, and may belong to an agent", programName(a), a.PID)
		}
	}
	return "the program that opened this terminal has ended"
}

// checkStarted returns a doubt if a host started the process up[0] or one of its ancestors: one of
// them is a host, or has a mark of one in its environment. If several have a mark, they inherited it
// from the highest, which the doubt names.
func (c *Situation) checkStarted(up []process.Ancestor) error {
	var marked error
	for i := range up {
		a := &up[i]
		for j := range c.Hosts {
			if c.Hosts[j].ID != a.ID {
				continue
			}
			if a.PID == os.Getpid() { // the agent received the command through a request or a pipe
				return &Doubt{c.Hosts[j], fmt.Sprintf("it was sent to %s (process %d) and not typed at its prompt, so another program may have sent it", c.Hosts[j].Name, a.PID)}
			}
			return &Doubt{c.Hosts[j], fmt.Sprintf("an agent runs this terminal: %s (process %d, %s)", c.Hosts[j].Name, a.PID, programName(a))}
		}
		if name := c.hostMark(a); name != "" {
			marked = newDoubt(c.olderHost(a), "process %d (%s) has %s in its environment, which agents set for the programs they run", a.PID, programName(a), name)
		}
	}
	return marked
}

// hostMark returns the name of a variable in the environment of a that hosts set. It returns "" if
// there is none, or if no host can have started a.
func (c *Situation) hostMark(a *process.Ancestor) string {
	if c.predatesAllHosts(a) {
		return ""
	}
	for _, v := range process.EnvironOf(a.PID) {
		if name, value, _ := strings.Cut(v, "="); value != "" && slices.Contains(c.Marks, name) {
			return name
		}
	}
	return ""
}

// checkTop returns nil if the highest ancestor that did not merely adopt the process is older than the
// hosts, or known to open terminals for people, and otherwise a doubt.
func (c *Situation) checkTop(l *ancestry) error {
	n := len(l.up) - 1
	for n > 0 && liveagents.KindOf(&l.up[n]) == liveagents.Adopter {
		n--
	}
	a := &l.up[n]
	if n+1 < len(l.up) && isRelay(&l.up[n+1]) && a.Leader && a.Terminal && liveagents.KindOf(a) == liveagents.Person {
		return nil
	}
	if c.predatesAllHosts(a) && n > 0 || n > 0 && c.opensTerminals(a) {
		return nil
	}
	if n == len(l.up)-1 && l.hidden > 1 && liveagents.KindOf(a) == liveagents.Starter {
		return nil // the remaining ancestors belong to another user
	}
	if n == 0 {
		return newDoubt(c.mainHost(), "the program that started this command has ended")
	}
	h := cmp.Or(c.olderHost(a), c.mainHost())
	return newDoubt(h, "%s", l.describeTerminal())
}

// isRelay reports whether a is the process through which a Windows console displays a Linux shell. By
// its program name it looks like the process that adopts orphans.
func isRelay(a *process.Ancestor) bool {
	return strings.HasPrefix(process.CommandName(a.PID), "Relay(") && process.RunsAsRoot(a.PID)
}

// programName returns the name of the file that a runs if it is known, and otherwise the name in its
// arguments. For the server of screen, it always returns the latter.
func programName(a *process.Ancestor) string {
	said := ""
	if len(a.Args) > 0 {
		said = liveagents.ProgramName(a.Args[0])
	}
	file := path.Base(process.ExecutablePath(a.PID))
	if file == "." || said == "SCREEN" && strings.HasPrefix(file, "screen") {
		return said
	}
	return file
}

// opensTerminals reports whether a is known to start shells for people.
func (c *Situation) opensTerminals(a *process.Ancestor) bool {
	name := programName(a)
	if name == "login" {
		return process.RunsAsRoot(a.PID) && c.isGenuine(a)
	}
	name = strings.TrimRight(strings.ToLower(name), "-.0123456789") // some names end with a version
	_, ok := slices.BinarySearch(terminals[:], name)
	// A command that was passed to it was not typed by a person.
	return ok && c.isGenuine(a) && !slices.ContainsFunc(a.Args, func(s string) bool { return slices.Contains(commandOptions, s) })
}
