package process

import "os"

// An Ancestor is a process above this one, with what tells a shell that a
// person types in from one that runs something.
type Ancestor struct {
	ID
	Args     []string // its command line; nil where nobody tells
	Leader   bool     // it leads its session
	Terminal bool     // its session has a terminal
}

// Parent returns the ID of the process above this one.
func Parent() (ID, error) {
	e, err := lookup(os.Getppid())
	return e.ID, err
}

// HasTerminal reports whether this process has a controlling terminal; false
// where the system does not tell.
func HasTerminal() bool {
	e, err := lookup(os.Getpid())
	return err == nil && e.terminal
}

// Climb calls fn for the ancestors of this process, parent first, until it
// returns false. It ends where [Ancestors] does, and looks no further up than
// fn asks for.
func Climb(fn func(Ancestor) bool) error {
	find, err := finder()
	if err != nil {
		return err
	}
	e, err := find(os.Getpid())
	for depth := 0; err == nil && depth < maxDepth && e.parent > 0; depth++ {
		var up entry
		// A parent that is younger has only inherited the number.
		if up, err = find(e.parent); err != nil || up.Start > e.Start {
			break
		}
		args, _ := arguments(up.PID) // unknown ones are nil
		if !fn(Ancestor{ID: up.ID, Args: args, Leader: up.session == up.PID, Terminal: up.terminal}) {
			break
		}
		e = up
	}
	return err
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
