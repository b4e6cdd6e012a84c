package shell

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// A Label is the overall judgement on a command or an effect.
type Label uint8

// The labels, from weakest to strongest.
const (
	Safe         Label = iota // only reads, or writes something that can be regenerated
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

// The impacts. An unknown impact counts as worse than medium, so compare impacts by [Impact.Weight].
const (
	ImpactLow Impact = iota
	ImpactMedium
	ImpactHigh
	ImpactUnknown
)

// String returns low, medium, high or unknown.
func (i Impact) String() string { return [...]string{"low", "medium", "high", "unknown"}[i] }

// Weight returns a number that orders impacts: low, medium, unknown, high.
func (i Impact) Weight() int { return [...]int{0, 1, 3, 2}[i] }

// An Effect is one thing that a command does.
type Effect struct {
	Label    Label
	Kind     string // the verb: delete, overwrite, modify, chmod, kill, push, drop, upload, read, run, …
	Category Category
	Own      *Row   // the row of a rule that the user wrote, which replaces that of the category; nil = none
	Rule     string // the id of the rule in its pack; "" = none
	Impact   Impact
	Paths    []string // affected paths, normalised as far as they are known
	Hosts    []string // hosts that it communicates with
	// Subject is what is affected if that is neither a path nor a host, in words that are the same for
	// every spelling of the command: "main of origin". An effect that reaches further has another
	// subject. "" means that only Words describe the effect.
	Subject      string
	Words        string  // the words that cause it, as they will run
	Reason       string  // one line for the user
	Uncertain    bool    // part of its words is unknown, so it may be another effect
	Foreign      bool    // it is on another machine, with other privileges, or of a program that may only share the name
	Wrapped      bool    // a program runs the command, which may be in another place than it seems
	Elsewhere    bool    // it works in a directory that is neither in the project nor for temporary files
	ContextBound bool    // words, paths and hosts do not determine it, because variables, input or the directory matter too
	Repo         string  // a directory in the git repository of which it loses what Keeps names; "" = none, or unknown
	Keeps        Saving  // what of Repo must be saved first
	Source       *Source // the file that causes it, if the command runs a file that was read; nil = the command itself
}

// A Saving is what must be saved before an effect, so that it can be undone.
type Saving uint8

// The savings.
const (
	SaveNothing Saving = iota // nothing, or it cannot be saved
	SaveRemoved               // the paths, which are removed or replaced
	SaveWritten               // the paths, which are written in place
	SaveWork                  // git's index and the changed files of its working tree
	SaveIgnored               // these and ignored files
	SaveCommits               // git's index, stashes, refs and their commits
	SaveAll                   // these and the changed files of the working tree
)

// ToSave returns what must be saved before e so that it can be undone.
func (e *Effect) ToSave() Saving {
	switch {
	case e.Foreign || e.Label > Destructive:
		return SaveNothing
	case e.Repo != "":
		return e.Keeps
	case strings.HasSuffix(e.Rule, "-root"): // names below it are unknown, and may lead out of it
		return SaveNothing
	case !e.Row().Saved && e.Keeps == SaveNothing || len(e.Paths) == 0 || len(e.Paths) >= MaxPaths:
		return SaveNothing
	}
	for _, path := range e.Paths {
		if !strings.HasPrefix(path, "/") || strings.ContainsRune(path, Placeholder) {
			return SaveNothing
		}
	}
	switch {
	case e.Keeps != SaveNothing:
		return e.Keeps
	case e.Kind == "delete", e.Kind == "move", e.Kind == "chmod", e.Kind == "chown":
		return SaveRemoved
	}
	return SaveWritten
}

// RuleName returns the name of the rule that decides about the effect, as users type it:
// git/push-force.
func (e *Effect) RuleName() string {
	row := e.Row()
	if e.Rule == "" {
		return row.PackName() + "/" + row.Name
	}
	return row.PackName() + "/" + e.Rule
}

// IsReadOnly reports whether the effect is known to change nothing. It is not enough that nothing is
// lost.
func (e *Effect) IsReadOnly() bool {
	return e.Label == Safe && e.Kind == "read" && !e.Uncertain && !e.Foreign && !e.Wrapped && e.Row().Reads
}

// Row returns the row of the user's own rule, if there is one, or else that of the effect's category.
func (e *Effect) Row() *Row {
	if e.Own != nil {
		return e.Own
	}
	return e.Category.Row()
}

// MaxPaths bounds the paths of an effect, and MaxEffects the effects of a report. If there
// are more effects, the mildest are left out first.
const (
	MaxPaths   = 64
	MaxEffects = 200
)

// RuleWaits is the rule of effects of programs that wait for commands and run them.
const RuleWaits = "waits"

// IsWorse reports whether an effect with label l and impact i is worse than one with thanLabel and
// thanImpact. Labels are compared first.
func IsWorse(l Label, i Impact, thanLabel Label, thanImpact Impact) bool {
	if l != thanLabel {
		return l > thanLabel
	}
	return i.Weight() > thanImpact.Weight()
}

// A Place is where a command runs. In the zero Place, relative paths are assumed to be in a project,
// and nothing else is known.
type Place struct {
	Dir  string // the working directory, absolute
	Root string // the project's directory, absolute
	Home string // the value of ~ and $HOME
	// Getenv returns the value of the environment variable name, which names one of the user's
	// directories, such as XDG_STATE_HOME, or what a program acts on, such as PGHOST. It may be nil.
	Getenv       func(name string) string
	Dialect      Dialect
	Packs        []*RuleSet    // further rules, after the built-in ones
	TypedSecrets []TypedSecret // secrets in the text of the command; sending them is an effect
	// Read returns the text of the existing file at path, which is absolute, so that scripts are
	// followed. If Read is nil, no files are read.
	Read func(path string) (text string, ok bool)
	// Wrote reports whether the session that runs the command wrote the file at path before. path is
	// absolute. If Wrote is nil, there are no such files.
	Wrote func(path string) bool
	// Secret returns the file whose secrets an earlier call of the session put into the file at path,
	// and whether it put only a part of them there; "" if there is none. path is absolute. Secret is
	// called for files that are sent. It may be nil.
	Secret func(path string) (source string, partial bool)
	// Fills is called with each file that the command fills with secrets, in order, and the source of
	// these. It may be nil.
	Fills func(path, source string, partial bool)
	// Moved returns the calls with which the session moved files before. If Moved is nil, there are
	// none.
	Moved func() []*Call
	// Real returns path, which is absolute, with symlinks resolved in all elements but the last. It is
	// called for paths with .. after a symlink, and for those that are read. If Real is nil, paths are
	// taken literally.
	Real func(path string) string
	// Repo returns the git repository that contains dir, or nil if it cannot be read. It is called for
	// pushes that overwrite and for branches that are deleted. It may be nil.
	Repo func(dir string) *Repo
	// Switched is like Repo, but for a repository in which the command itself checked out a branch, which
	// is then its Head. It may be nil.
	Switched func(dir string) *Repo
	// Kind returns the kind of file at path, which is absolute. If Kind is nil, the name decides.
	Kind func(path string) PathKind
	// List returns the entries of dir, an absolute path, at most [MaxEntries], and whether these are
	// all. It is called for patterns and trees that are written or deleted. It may be nil.
	List func(dir string) (entries []Entry, all bool)
	// Calls is called with the calls that code resolves to, and the directory in which they start:
	// first those of the command itself, then those of code that it runs. It may be nil.
	Calls func(dir string, calls []*Call)
	// Written is called with each file that code wrote and its contents, once all of the code was read. whole
	// reports whether text is all of the contents, and certain. It may be nil.
	Written func(path, text string, whole bool)
	// Effect is called with each effect of a call. It may be nil.
	Effect func(c *Call, e *Effect)
}

// MaxEntries bounds the entries of a directory that [Place.List] returns.
const MaxEntries = 256

// An Entry is an entry of a directory.
type Entry struct {
	Name string
	Dir  bool
	Link bool
}

// dirVariables lists the environment variables that name directories of the user.
var dirVariables = [...]string{"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "ZDOTDIR"}

// DirVariables calls fn with the name of each environment variable that names a directory of the user
// or of an agent, until fn returns false.
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

// isDirVariable reports whether name is one of [DirVariables].
func isDirVariable(name string) bool {
	for d := range DirVariables {
		if d == name {
			return true
		}
	}
	return false
}

// EnvDir returns the value of the environment variable name, without a trailing slash, if it is one of
// [DirVariables]. It returns "" for other variables, and if the value is unknown or not an absolute
// path.
func (p *Place) EnvDir(name string) string {
	if p.Getenv == nil || !isDirVariable(name) {
		return ""
	}
	if v := p.Getenv(name); strings.HasPrefix(v, "/") {
		return strings.TrimRight(v, "/")
	}
	return ""
}

// A PathKind is the kind of file that exists at a path.
type PathKind uint8

// The kinds.
const (
	NoPath PathKind = iota // nothing exists there, or that is unknown
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
