package shell

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A Word is one argument of a call, as far as it is known.
type Word struct {
	// Text is what the word becomes. A part that cannot be known is the
	// character Hole.
	Text string
	// Glob is set if the text has pattern characters that the shell expands.
	Glob bool
	// Quoted is set if some part was quoted, so that it is one argument even
	// when a variable in it holds spaces.
	Quoted bool
	// From are the calls whose output is part of the word: $(cat .env).
	From []*Call
}

// Hole stands in a word's text for a part that is not known.
const Hole = facts.Hole

// Known reports whether all of the word is known.
func (w Word) Known() bool { return !strings.ContainsRune(w.Text, Hole) }

// A Call is a program that will run, with its words resolved. Wrappers are taken
// off: in `sudo env A=1 rm x` the call is `rm x`.
type Call struct {
	Name  string // the program's base name in lower case without .exe; "" = it is not known
	Path  string // the program as the words name it; may hold a Hole
	Args  []Word // without the program
	Redir []Redirect
	Env   []Variable // set for this call only
	Memo  any        // what package program keeps of its reading of the arguments
	Files []File     // that the same text wrote before and that this call names, or reads by custom (a Makefile)

	In       *Flow    // what is piped into it; nil = nothing
	Dir      string   // where it runs, when a cd or a wrapper says so; "" = the place's own
	Dirs     []string // where it may run as well, when a cd before it may have failed
	Elevated bool     // through sudo, doas, su, pkexec, runas
	Remote   string   // the host, container or pod that it runs in; "" = here
	Piped    bool     // its output goes to another call
	Depth    int      // of nested shells and wrappers
	Apart    string   // the program that gives it another home, root, user, environment or limits; "" = none
	Wrapped  bool     // a program runs it that may change more of it than the fields say: its directory, root, user, or how often it runs
	Source   *Source  // the file that says so; nil = the command itself
}

// A Source is a place in a file that was read because it runs.
type Source struct {
	Path string // absolute
	Line int    // 0 = it is not known
	Own  bool   // who gives the command wrote it: see [Place.Wrote]
}

// A Variable is an assignment.
type Variable struct {
	Name  string
	Value Word
}

// A File is one that an earlier part of the same text wrote.
type File struct {
	Path string  // as the call names it; of a file read by custom its name
	Text string  // what is in it, as far as it is known
	Sure bool    // Text is all of it
	Made bool    // the text made it: nothing that stood there before is meant
	From []*Call // the calls that wrote it: cp ~/.ssh/id_rsa x
	// Source is the file itself where it was there before and was read.
	Source *Source
}

// A Redirect is a file that a call reads from or writes to.
type Redirect struct {
	Op     string // >, >>, >|, <, <>, <<, <<<, &>, &>>, >&
	Fd     string // "" = the operator's own
	Target Word   // the file; of << and <<< the text itself
}

// A Flow is what goes through a pipe or out of a substitution.
type Flow struct {
	From []*Call // the calls whose output it is, last one first
	Text string  // the text, when it is known: echo 'x' | …
	Sure bool    // Text is all of it
	File *Source // the file on disk that it is; nil = none
}

// Open reports whether a word that is not known stands where an option may stand.
func (c *Call) Open() bool {
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case t == "--":
			return false
		case strings.HasPrefix(t, string(Hole)):
			return true
		}
	}
	return false
}
