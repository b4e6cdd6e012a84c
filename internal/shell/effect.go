package shell

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A Label is what a whole command comes to.
type Label uint8

// The labels, in the order in which they win.
const (
	Safe         Label = iota // only reads, or writes what the project regenerates
	Unknown                   // cannot be resolved, or nobody knows the program
	Destructive               // loses data, history or access that cannot be got back in a minute
	Exfiltration              // sends secrets or files off the machine
)

// String returns safe, unknown, destructive or exfiltration.
func (l Label) String() string {
	return [...]string{"safe", "unknown", "destructive", "exfiltration"}[l]
}

// A Radius is how far an effect reaches.
type Radius uint8

// The radii. Unknown counts as worse than medium: order by [Radius.Weight].
const (
	RadiusLow Radius = iota
	RadiusMedium
	RadiusHigh
	RadiusUnknown
)

// String returns low, medium, high or unknown.
func (r Radius) String() string { return [...]string{"low", "medium", "high", "unknown"}[r] }

// Weight orders radii: low, medium, unknown, high.
func (r Radius) Weight() int { return [...]int{0, 1, 3, 2}[r] }

// An Effect is one thing that a command does.
type Effect struct {
	Label    Label
	Kind     string // the verb: delete, overwrite, modify, chmod, kill, push, drop, upload, read, run, …
	Category Category
	Own      *Row   // a person's own row, in place of the category's; nil = none
	Rule     string // the rule's id within the pack; "" = none
	Radius   Radius
	Paths    []string // that it touches, normalised as far as they are known
	Hosts    []string // that it talks to
	// On is what it is about where that is neither a path nor a host, in words that
	// are the same for every spelling: "main of origin". What reaches further has
	// another On. "" = only the words say it.
	On     string
	Words  string  // that cause it, as they will run
	Reason string  // one line for people
	Maybe  bool    // a part of its words is not known, so that it may be something else
	Away   bool    // on another machine, with other rights, or by a program that may only have the name
	Exact  bool    // its words, paths and hosts do not tell all: variables, input or the directory have a say too
	Source *Source // the file that does it, when the command runs one that was read; nil = the command itself
}

// RuleName is who decides about the effect, as people type it: git/push-force.
func (e *Effect) RuleName() string {
	row := e.Row()
	if e.Rule == "" {
		return row.PackName() + "/" + row.Name
	}
	return row.PackName() + "/" + e.Rule
}

// Reads reports whether the effect is known to leave everything as it is: it is not
// enough that nothing is lost.
func (e *Effect) Reads() bool {
	return e.Label == Safe && e.Kind == "read" && !e.Maybe && !e.Away && e.Row().Reads
}

// Row is the row of the effect's category, a person's own one included.
func (e *Effect) Row() *Row {
	if e.Own != nil {
		return e.Own
	}
	return e.Category.Row()
}

// MaxPaths bounds the paths of an effect, MaxEffects the effects of a report: what
// is more is left out, the mildest first.
const (
	MaxPaths   = 64
	MaxEffects = 200
)

// RuleWaits is the rule of effects which say that a program does what it is told
// later.
const RuleWaits = "waits"

// Worse reports whether one label and radius are worse than another.
func Worse(l Label, r Radius, than Label, by Radius) bool {
	if l != than {
		return l > than
	}
	return r.Weight() > by.Weight()
}

// A Place is what is known of where a command runs. The zero Place knows
// nothing: relative paths are then taken to lie in a project.
type Place struct {
	Dir  string // the working directory, absolute
	Root string // the project's directory, absolute
	Home string // what ~ and $HOME mean
	// Getenv is the value of a variable that says where a person's directories are,
	// such as XDG_STATE_HOME; nil knows none.
	Getenv  func(name string) string
	Dialect Dialect
	Packs   []*RuleSet // further rules, after the built-in ones
	Typed   []Typed    // secrets that are written in the command; where they go is an effect then
	// Read returns the text of a file that is there, by its absolute path, so
	// that scripts are followed; nil reads nothing.
	Read func(path string) (text string, ok bool)
	// Wrote reports whether who gives the command wrote a file before, by its
	// absolute path; nil knows of none.
	Wrote func(path string) bool
	// Real is where an absolute path leads by the links before its last part:
	// of paths that go up again behind one, and of those that are read; nil goes
	// by the words.
	Real func(path string) string
	// Repo returns the git repository that a directory lies in, nil when it
	// cannot be read; it is asked about pushes that overwrite and branches that
	// are deleted. nil knows no repository.
	Repo func(dir string) *Repo
	// Kind is what lies at an absolute path; nil goes by the name.
	Kind func(path string) PathKind
	// List returns what a directory holds, by its absolute path, and whether that is
	// all: it looks at no more than [MaxEntries]. It is asked about patterns and
	// trees that are written or deleted; nil knows nothing.
	List func(dir string) (entries []Entry, all bool)
	// Calls is given the calls that a text resolves to, and the directory that they start
	// in: those of the command itself first, then those of texts that it runs. nil = they
	// are not wanted.
	Calls func(dir string, calls []*Call)
	// Effect is given each effect of a call; nil = they are not wanted by their calls.
	Effect func(c *Call, e *Effect)
}

// MaxEntries bounds what is looked at of a directory.
const MaxEntries = 256

// An Entry is one thing in a directory.
type Entry struct {
	Name string
	Dir  bool
	Link bool
}

// directories are the variables that say where a person's directories are.
var directories = [...]string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "ZDOTDIR"}

// Directories calls fn with the variables that say where a person's directories are, those
// of hosts among them, until it returns false.
func Directories(fn func(name string) bool) {
	for _, name := range directories {
		if !fn(name) {
			return
		}
	}
	for i := range hosts.Transcripts {
		for _, m := range hosts.Transcripts[i].Vars {
			if !slices.Contains(directories[:], m.Variable) && !fn(m.Variable) {
				return
			}
		}
	}
}

func isDirectory(name string) bool {
	for d := range Directories {
		if d == name {
			return true
		}
	}
	return false
}

// Directory is what a variable holds that says where a person's directories are;
// "" = it is not one of them, or not known.
func (p *Place) Directory(name string) string {
	if p.Getenv == nil || !isDirectory(name) {
		return ""
	}
	if v := p.Getenv(name); strings.HasPrefix(v, "/") {
		return strings.TrimRight(v, "/")
	}
	return ""
}

// A PathKind is what lies at a path.
type PathKind uint8

// The kinds.
const (
	NoPath PathKind = iota
	PathFile
	PathDir
)

// A Dialect is the language of a command.
type Dialect uint8

// The dialects.
const (
	Bash Dialect = iota // and every POSIX shell
	PowerShell
	Cmd // cmd.exe
)
