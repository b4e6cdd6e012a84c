package shell

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A Label is the overall judgement of a command or an effect.
type Label uint8

// The labels, from weakest to strongest.
const (
	Safe         Label = iota // only reads, or writes what the project regenerates
	Unknown                   // cannot be resolved, or the program is unknown
	Destructive               // loses data, history or access that cannot be restored in a minute
	Exfiltration              // sends secrets or files off the machine
)

// String returns safe, unknown, destructive or exfiltration.
func (l Label) String() string {
	return [...]string{"safe", "unknown", "destructive", "exfiltration"}[l]
}

// An Impact is how much an effect can destroy.
type Impact uint8

// The impacts. Unknown counts as worse than medium: compare them by [Impact.Weight].
const (
	ImpactLow Impact = iota
	ImpactMedium
	ImpactHigh
	ImpactUnknown
)

// String returns low, medium, high or unknown.
func (r Impact) String() string { return [...]string{"low", "medium", "high", "unknown"}[r] }

// Weight returns a number that orders impacts: low, medium, unknown, high.
func (r Impact) Weight() int { return [...]int{0, 1, 3, 2}[r] }

// An Effect is one thing that a command does.
type Effect struct {
	Label    Label
	Kind     string // the verb: delete, overwrite, modify, chmod, kill, push, drop, upload, read, run, …
	Category Category
	Own      *Row   // the row of a person's own rule, in place of the category's; nil = none
	Rule     string // the rule's id in the pack; "" = none
	Impact   Impact
	Paths    []string // affected paths, normalised as far as they are known
	Hosts    []string // hosts that it communicates with
	// Subject is what is affected if that is neither a path nor a host, in words that are the same for
	// every spelling: "main of origin". An effect that reaches further has another subject. "" means
	// that only Words describe it.
	Subject      string
	Words        string  // the words that cause it, as they will run
	Reason       string  // one line for people
	Uncertain    bool    // part of its words is unknown, so that it may be another effect
	Foreign      bool    // on another machine, with other rights, or by a program that may only share the name
	ContextBound bool    // words, paths and hosts do not determine it: variables, input or the directory matter too
	Source       *Source // the file that causes it, if the command runs one that was read; nil = the command itself
}

// RuleName returns the rule that decides about the effect, as people type it: git/push-force.
func (e *Effect) RuleName() string {
	row := e.Row()
	if e.Rule == "" {
		return row.PackName() + "/" + row.Name
	}
	return row.PackName() + "/" + e.Rule
}

// IsReadOnly reports whether the effect is known to change nothing. That it loses nothing is not
// enough.
func (e *Effect) IsReadOnly() bool {
	return e.Label == Safe && e.Kind == "read" && !e.Uncertain && !e.Foreign && e.Row().Reads
}

// Row returns the row of the effect's category, or that of a person's own rule.
func (e *Effect) Row() *Row {
	if e.Own != nil {
		return e.Own
	}
	return e.Category.Row()
}

// MaxPaths bounds the paths of an effect, MaxEffects the effects of a report. If there
// are more, the mildest are left out first.
const (
	MaxPaths   = 64
	MaxEffects = 200
)

// RuleWaits is the rule of effects of programs that run commands which they get later.
const RuleWaits = "waits"

// IsWorse reports whether label l and impact r are worse than the others.
func IsWorse(l Label, r Impact, than Label, by Impact) bool {
	if l != than {
		return l > than
	}
	return r.Weight() > by.Weight()
}

// A Place is where a command runs. In the zero Place relative paths are taken to be in a project, and
// nothing else is known.
type Place struct {
	Dir  string // the working directory, absolute
	Root string // the project's directory, absolute
	Home string // the value of ~ and $HOME
	// Getenv returns the value of a variable that names one of a person's directories, such as
	// XDG_STATE_HOME. It may be nil.
	Getenv       func(name string) string
	Dialect      Dialect
	Packs        []*RuleSet    // further rules, after the built-in ones
	TypedSecrets []TypedSecret // secrets in the command's text; sending them is an effect
	// Read returns the text of an existing file by its absolute path, so that scripts are followed. If
	// it is nil, no files are read.
	Read func(path string) (text string, ok bool)
	// Wrote reports whether the session that gives the command wrote a file before, by its absolute
	// path. If it is nil, there are no such files.
	Wrote func(path string) bool
	// Real resolves the symlinks in an absolute path before its last part. It is called for paths with
	// .. behind a symlink, and for those that are read. If it is nil, paths are taken literally.
	Real func(path string) string
	// Repo returns the git repository of a directory, or nil if it cannot be read. It is called for
	// pushes that overwrite and branches that are deleted. It may be nil.
	Repo func(dir string) *Repo
	// Kind returns the kind of file at an absolute path. If it is nil, the name decides.
	Kind func(path string) PathKind
	// List returns the entries of a directory by its absolute path, at most [MaxEntries], and whether
	// these are all. It is called for patterns and trees that are written or deleted. It may be nil.
	List func(dir string) (entries []Entry, all bool)
	// Calls is called with the calls that a text resolves to, and the directory that they start in:
	// first those of the command itself, then those of texts that it runs. It may be nil.
	Calls func(dir string, calls []*Call)
	// Effect is called with each effect of a call. It may be nil.
	Effect func(c *Call, e *Effect)
}

// MaxEntries bounds the entries of a directory that are read.
const MaxEntries = 256

// An Entry is a file in a directory.
type Entry struct {
	Name string
	Dir  bool
	Link bool
}

// dirVariables are the variables that name a person's directories.
var dirVariables = [...]string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "ZDOTDIR"}

// DirVariables calls fn with the variables that name a person's directories, including those of
// agents, until it returns false.
func DirVariables(fn func(name string) bool) {
	for _, name := range dirVariables {
		if !fn(name) {
			return
		}
	}
	for i := range hosts.Transcripts {
		for _, m := range hosts.Transcripts[i].Vars {
			if !slices.Contains(dirVariables[:], m.Variable) && !fn(m.Variable) {
				return
			}
		}
	}
}

func isDirVariable(name string) bool {
	for d := range DirVariables {
		if d == name {
			return true
		}
	}
	return false
}

// DirOf returns the value of a variable that names one of a person's directories. It returns "" for
// other variables, and if the value is unknown.
func (p *Place) DirOf(name string) string {
	if p.Getenv == nil || !isDirVariable(name) {
		return ""
	}
	if v := p.Getenv(name); strings.HasPrefix(v, "/") {
		return strings.TrimRight(v, "/")
	}
	return ""
}

// A PathKind is the kind of file at a path.
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
	Bash Dialect = iota // Bash and every POSIX shell
	PowerShell
	Cmd // cmd.exe
)
