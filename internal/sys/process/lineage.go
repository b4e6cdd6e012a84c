package process

import "os"

// An Ancestor is a parent process, direct or not, with the details that distinguish a shell that a
// person types in from one that runs a command.
type Ancestor struct {
	ID
	Args     []string // its command line; nil if unknown
	Session  int      // the number of its session; 0 if unknown
	Leader   bool     // it leads its session
	Terminal bool     // its session has a terminal
	TTY      uint64   // the device of that terminal; 0 if none
}

// Namespaces are the kernel's names of the namespaces of a process: of process numbers, mounts, users
// and the clock of start times. Processes that differ in one of them see different things; "" means
// unknown.
type Namespaces struct{ PID, Mount, User, Time string }

// AreDifferent reports whether two namespaces are both known and different.
func AreDifferent(a, b string) bool { return a != "" && b != "" && a != b }

// Parent returns the ID of the parent process.
func Parent() (ID, error) {
	e, err := lookup(os.Getppid())
	return e.ID, err
}

// HasTerminal reports whether this process has a controlling terminal; false if the system cannot
// tell.
func HasTerminal() bool {
	e, err := lookup(os.Getpid())
	return err == nil && e.tty != 0
}

// WalkAncestors calls fn for the ancestors of this process, parent first, until fn returns false. It
// ends where [Ancestors] does, and looks up no more processes than fn needs.
func WalkAncestors(fn func(Ancestor) bool) error {
	_, err := WalkAncestorsFromSession(fn)
	return err
}

// WalkAncestorsFromSession is WalkAncestors that also returns the session of this process, as in
// Ancestor.Session.
func WalkAncestorsFromSession(fn func(Ancestor) bool) (session int, err error) {
	find, err := ancestorLookup()
	if err != nil {
		return 0, err
	}
	e, quick := ownEntry()
	if !quick {
		e, err = find(os.Getpid())
	}
	session = e.session
	for depth := 0; err == nil && depth < maxDepth && e.parent > 0; depth++ {
		var up entry
		// A parent that is younger has only inherited the number.
		if up, err = find(e.parent); err != nil || up.Start > e.Start {
			break
		}
		// The same holds if it is no longer the parent of this process.
		if quick && depth == 0 && os.Getppid() != up.PID {
			break
		}
		if !fn(newAncestor(&up)) {
			break
		}
		e = up
	}
	return session, err
}

// newAncestor returns the Ancestor for an entry.
func newAncestor(e *entry) Ancestor {
	args, _ := arguments(e.PID) // unknown ones are nil
	return Ancestor{ID: e.ID, Args: args, Session: e.session, Leader: e.session == e.PID, Terminal: e.tty != 0, TTY: e.tty}
}

// Lineage returns a process and its visible ancestors, the process itself first, and the number of the
// parent of the last one: 0 if it has none.
func Lineage(pid int) (line []Ancestor, above int, err error) {
	find, err := ancestorLookup()
	if err != nil {
		return nil, 0, err
	}
	e, err := find(pid)
	if err != nil {
		return nil, 0, err
	}
	line = append(line, newAncestor(&e))
	for len(line) < maxDepth && e.parent > 0 {
		up, err := find(e.parent)
		// A parent that is younger has only inherited the number.
		if err != nil || up.Start > e.Start {
			return line, e.parent, nil
		}
		line = append(line, newAncestor(&up))
		e = up
	}
	return line, 0, nil
}

// List returns all visible processes.
func List() ([]Ancestor, error) {
	all, err := listProcesses()
	out := make([]Ancestor, 0, len(all))
	for i := range all {
		if !all[i].dead {
			out = append(out, newAncestor(&all[i]))
		}
	}
	return out, err
}

// Environ returns the environment that a process was started with; nil if unknown.
func Environ(pid int) []string {
	env, _ := environment(pid)
	return env
}

// splitNUL returns the strings in b, each ended by a zero byte.
func splitNUL(b []byte) []string {
	var out []string
	for start, i := 0, 0; i < len(b); i++ {
		if b[i] == 0 {
			out = append(out, string(b[start:i]))
			start = i + 1
		}
	}
	return out
}
