package process

import "os"

// An Ancestor is a process above this one, with what tells a shell that a
// person types in from one that runs something.
type Ancestor struct {
	ID
	Args     []string // its command line; nil where nobody tells
	Session  int      // the number of its session; 0 where nobody tells
	Leader   bool     // it leads its session
	Terminal bool     // its session has a terminal
	TTY      uint64   // the device of that; 0 = none
}

// Spaces name what a process shares with others, as the kernel calls it: numbers of
// processes, files, users and the clock by which starts are told. Two that differ in
// one of them see different things; "" = unknown.
type Spaces struct{ PID, Mount, User, Time string }

// Differ reports whether two spaces are known and not the same.
func Differ(a, b string) bool { return a != "" && b != "" && a != b }

// Parent returns the ID of the process above this one.
func Parent() (ID, error) {
	e, err := lookup(os.Getppid())
	return e.ID, err
}

// HasTerminal reports whether this process has a controlling terminal; false
// where the system does not tell.
func HasTerminal() bool {
	e, err := lookup(os.Getpid())
	return err == nil && e.tty != 0
}

// Climb calls fn for the ancestors of this process, parent first, until it
// returns false. It ends where [Ancestors] does, and looks no further up than
// fn asks for.
func Climb(fn func(Ancestor) bool) error {
	_, err := ClimbFrom(fn)
	return err
}

// ClimbFrom is Climb that also tells our own session, as Ancestor.Session does.
func ClimbFrom(fn func(Ancestor) bool) (session int, err error) {
	find, err := finder()
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
		// So has ours if it is our parent no more.
		if quick && depth == 0 && os.Getppid() != up.PID {
			break
		}
		if !fn(ancestor(&up)) {
			break
		}
		e = up
	}
	return session, err
}

func ancestor(e *entry) Ancestor {
	args, _ := arguments(e.PID) // unknown ones are nil
	return Ancestor{ID: e.ID, Args: args, Session: e.session, Leader: e.session == e.PID, Terminal: e.tty != 0, TTY: e.tty}
}

// Line returns a process and its ancestors, itself first, as far as they can be
// seen, and the number of the one above the last: 0 = there is none here.
func Line(pid int) (line []Ancestor, above int, err error) {
	find, err := finder()
	if err != nil {
		return nil, 0, err
	}
	e, err := find(pid)
	if err != nil {
		return nil, 0, err
	}
	line = append(line, ancestor(&e))
	for len(line) < maxDepth && e.parent > 0 {
		up, err := find(e.parent)
		// A parent that is younger has only inherited the number.
		if err != nil || up.Start > e.Start {
			return line, e.parent, nil
		}
		line = append(line, ancestor(&up))
		e = up
	}
	return line, 0, nil
}

// All lists the processes of this machine, or of our part of it.
func All() ([]Ancestor, error) {
	all, err := table()
	out := make([]Ancestor, 0, len(all))
	for i := range all {
		if !all[i].dead {
			out = append(out, ancestor(&all[i]))
		}
	}
	return out, err
}

// Environ returns the environment that a process was started with; nil where
// nobody tells.
func Environ(pid int) []string {
	env, _ := environment(pid)
	return env
}

// fields cuts what ends with zero bytes.
func fields(b []byte) []string {
	var out []string
	for start, i := 0, 0; i < len(b); i++ {
		if b[i] == 0 {
			out = append(out, string(b[start:i]))
			start = i + 1
		}
	}
	return out
}
