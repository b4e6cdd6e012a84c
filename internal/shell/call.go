package shell

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// A Word is one argument of a call, as far as it is known.
type Word struct {
	// Text is what the word expands to, with the character Placeholder in place of each unknown part.
	Text string
	// Glob is set if the text has pattern characters that the shell expands.
	Glob bool
	// Quoted is set if part of the word was quoted, so that it stays one argument even if a variable
	// in it contains spaces.
	Quoted bool
	// From are the calls whose output is part of the word, as in $(cat .env).
	From []*Call
}

// Placeholder stands in a word's text for an unknown part.
const Placeholder = facts.Placeholder

// IsKnown reports whether no part of the word is unknown.
func (w Word) IsKnown() bool { return !strings.ContainsRune(w.Text, Placeholder) }

// A Call is a program that will run, with its words resolved. Wrappers are removed: in sudo env A=1 rm
// x, the call is rm x.
type Call struct {
	Name  string // the program's base name in lower case without .exe; "" = unknown
	Path  string // the program as the words name it; may contain placeholders
	Args  []Word // without the program
	Redir []Redirect
	Env   []Variable // set for this call only
	Memo  any        // package program's cache of the parsed arguments
	Files []File     // files with known contents that it names, or reads by default (a Makefile)
	Moved []*Call    // calls before it that moved files

	Absent    []string // paths as it names them; a test before it found that nothing exists there
	In        *Flow    // what is piped into it; nil = nothing
	Dir       string   // the working directory, if a cd or a wrapper sets it; "" = the directory of the place
	Dirs      []string // other directories that it may run in, if a cd before it may have failed
	Elevated  bool     // it runs through sudo, doas, su, pkexec or runas
	Remote    string   // the host, container or pod that it runs in; "" = this machine
	Piped     bool     // its output goes to another call
	Depth     int      // nested shells and wrappers around it
	ChangedBy string   // the program that gives it another home, root, user, environment or limits; "" = none
	Wrapped   bool     // a wrapper may change more than these fields show: its directory, root, user, or how many times it runs
	Source    *Source  // the file that contains it; nil = the command itself
}

// A Source is a position in a file that was read because the command runs it.
type Source struct {
	Path string // absolute
	Line int    // 0 = unknown
	Own  bool   // the session itself wrote the file: see [Place.Wrote]
}

// A Variable is an assignment to an environment variable.
type Variable struct {
	Name  string
	Value Word
}

// A File is a file that an earlier part of the same text wrote, or that was read from disk.
type File struct {
	Path     string  // as the call names it; for a file that the call reads by default, its name
	Text     string  // its contents, as far as they are known
	Complete bool    // Text is the whole contents
	Created  bool    // the text created it, so no earlier file is affected
	From     []*Call // the calls that wrote it, as in cp ~/.ssh/id_rsa x
	// Source is the file on disk, if it existed before and was read; nil = the text wrote it.
	Source *Source
}

// A Redirect is a redirection of a call from or to a file, or from text.
type Redirect struct {
	Op     string // >, >>, >|, <, <>, <<, <<<, &>, &>>, >&
	Fd     string // "" = the default of the operator
	Target Word   // the file; for << and <<< the text itself
}

// A Flow is the data that goes through a pipe or comes out of a substitution.
type Flow struct {
	From     []*Call // the calls whose output it is, the last one first
	Text     string  // the data as far as it is known, as for echo 'x' | …
	Complete bool    // Text is all of the data
	File     *Source // the file on disk that the data is read from; nil = none
}

// MayHaveUnknownOption reports whether an argument before "--" begins with an unknown part, so that it
// may be an option.
func (c *Call) MayHaveUnknownOption() bool {
	for i := range c.Args {
		switch t := c.Args[i].Text; {
		case t == "--":
			return false
		case strings.HasPrefix(t, string(Placeholder)):
			return true
		}
	}
	return false
}
