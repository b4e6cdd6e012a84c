package process

import "os"

// An Ancestor is a parent process, direct or indirect, with the details that distinguish a shell in
// which a person types from one that runs a command.
type Ancestor struct {
	ID
	Args     []string // its command line; nil if unknown
	Session  int      // the number of its session; 0 if unknown
	Leader   bool     // it is the leader of its session
	Terminal bool     // its session has a controlling terminal
	TTY      uint64   // the device number of that terminal; 0 if none
}

// Namespaces holds the kernel's names of the namespaces of a process: those of process ids, mounts,
// users, and the clock of start times. Processes in different namespaces of a kind see different
// things; "" means unknown.
type Namespaces struct{ PID, Mount, User, Time string }

// AreNamespacesDifferent reports whether the namespaces named a and b are both known and different.
func AreNamespacesDifferent(a, b string) bool { return a != "" && b != "" && a != b }

// ParentID returns the ID of the parent of this process.
func ParentID() (ID, error) {
	e, err := lookupProcess(os.Getppid())
	return e.ID, err
}

// HasTerminal reports whether this process has a controlling terminal. It reports false if that is
// unknown.
func HasTerminal() bool {
	e, err := lookupProcess(os.Getpid())
	return err == nil && e.tty != 0
}

// WalkAncestors calls fn for the ancestors of this process, parent first, until fn returns false. It
// ends where [Ancestors] does, and looks up no more processes than fn needs.
func WalkAncestors(fn func(Ancestor) bool) error {
	_, err := WalkAncestorsAndSession(fn)
	return err
}

// WalkAncestorsAndSession is WalkAncestors that also returns the session number of this process; see
// Ancestor.Session.
func WalkAncestorsAndSession(fn func(Ancestor) bool) (session int, err error) {
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
		// A process that started later is not the parent, but has reused its number.
		if up, err = find(e.parent); err != nil || up.Start > e.Start {
			break
		}
		// The number was also reused if it is no longer that of this process's parent.
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

// newAncestor returns e as an Ancestor, with its command line.
func newAncestor(e *entry) Ancestor {
	args, _ := commandLine(e.PID) // nil if unknown
	return Ancestor{ID: e.ID, Args: args, Session: e.session, Leader: e.session == e.PID, Terminal: e.tty != 0, TTY: e.tty}
}

// Lineage returns the process pid and its visible ancestors, the process itself first, and the number
// of the parent of the last one, or 0 if that has none.
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
		// A process that started later is not the parent, but has reused its number.
		if err != nil || up.Start > e.Start {
			return line, e.parent, nil
		}
		line = append(line, newAncestor(&up))
		e = up
	}
	return line, 0, nil
}

// ListAll returns all visible processes that have not exited.
func ListAll() ([]Ancestor, error) {
	all, err := listProcesses()
	out := make([]Ancestor, 0, len(all))
	for i := range all {
		if !all[i].dead {
			out = append(out, newAncestor(&all[i]))
		}
	}
	return out, err
}

// EnvironOf returns the environment with which the process pid was started, or nil if it is unknown.
func EnvironOf(pid int) []string {
	env, _ := environment(pid)
	return env
}

// splitNUL returns the strings in b, each of which ends with a zero byte.
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
