// Package hosts lists facts about hosts that districts below them need: files, programs, variables,
// tool names. Each host's directory declares its own in a [Row]; `go generate ./internal/host`
// generates the tables of this package from them, one for each column, with the hosts in order of
// importance.
package hosts

// A Row holds the facts about one host. Only the generator reads it: the values must be literals,
// constants of this package or variables of the same file.
type Row struct {
	Rank int    // the rank among the hosts, by importance
	Name string // as in `checkrein hook NAME`
	// Aliases are other names of the host, separated by spaces.
	Aliases string

	Files       []File
	Starts      []Start
	Variables   []Variable
	Transcripts []Transcript
	Secrets     []Secret
	Tools       Tools
	// Given are files that the host passes to its model without an event, in a project, in the
	// directories above and below, and in its home: the model sees a secret in them, whatever
	// hooks replaced. GivenFolders are directories of such files: rules, commands that people
	// type, skills, agents, styles and the memories of models.
	Given, GivenFolders []string
	HookFiles           []HookFile
	Skills              []Skill
	Installers          []Installer
	Harnesses           []Harness
	// Folders are directories of projects whose names contain a dot, like those of files.
	Folders []string
	// Hints are words in commands that may concern its files, besides "settings" and "hooks".
	Hints []string
}

// Where is a set of locations of a file.
type Where uint8

// The locations, as bits.
const (
	Home    Where = 1 << iota // below the home directory
	Project                   // in a project
	System                    // Path is absolute
)

// A Form is the format of a file.
type Form uint8

// The forms.
const (
	JSON Form = iota // with comments or without
	TOML
	YAML
	Lines // a script; checkrein's entries are lines
	Whole // the whole file is checkrein's or about trust: any change counts
)

// A File is one of a host's files that determine whether checkrein is called.
type File struct {
	Host  string
	Path  string // with slashes; a * in the last part stands for any text
	Glob  bool   // Path, and Below, have a *
	Where Where
	Form  Form
	// Env is a variable that moves the file; Below is its path then, or "" if
	// the variable names the file itself.
	Env, Below string

	Dialect  string // the dialect in which users write their own hooks into it, or ""
	Gate     string // the event before a tool runs, if the host reports changed settings
	Switches []Switch
	// Types are the hook types that the host supports: with one of another type, it
	// ignores the whole file. Nil means any type.
	Types []string
	// Plugins are suffixes of the names by which lists load checkrein's plugin.
	Plugins []string
	// Last is set if a plugin that is loaded after checkrein's may change what
	// checkrein has judged.
	Last bool
	// Placed is set if the host identifies a hook by its position in the file.
	Placed bool
}

// A Switch is a setting that turns hooks off or determines whose hooks are trusted.
type Switch struct {
	Path string // keys separated by dots; a * stands for any key
	Off  Test
}

// A Test is a condition under which a setting is off.
type Test uint8

// The tests.
const (
	True    Test = iota // it is true
	False               // it is false
	Set                 // it is there
	Lists               // it names checkrein
	Omits               // it is a list that does not name checkrein
	Changed             // it differs from its earlier value
	Refuses             // it is "untrusted" or "DO_NOT_TRUST"
	Steers              // it is a variable that affects hosts or checkrein
)

// A Start describes how a host is started from a command line, and which words make it skip hooks or
// use other settings. Lists are separated by spaces.
type Start struct {
	Host     string
	Programs string // the names of its program
	Packages string // its names for package managers
	Sub      string // a subcommand of another program that starts it: "docker agent"
	Env      string // variables that move its settings or skip hooks
	Bare     string // options that skip hooks; "--disable=hooks" with a value
	Moves    string // options that name other settings
	Text     string // the option whose value is settings, or a file of them
	Sets     string // options whose value is one setting: key=value
	Sources  string // the option that lists whose settings count
	Without  string // subcommands that do not call hooks, or turn them off: "agent/exec"
	Config   string // subcommands that change a setting, followed by its key and value: "config/set"
	Wires    string // the key of the settings with checkrein's entries
	Quiet    string // subcommands that start no agent
	Starting string // options that start the agent, but only show something in other hosts
}

// A Variable is a file of a project from which a host reads variables: NAME=value.
type Variable struct{ Host, Path string }

// A Transcript describes where a host keeps transcripts.
type Transcript struct {
	Host string
	Vars []Moved // variables that name the directory; the first one that is set counts
	Home string  // the directory below the home otherwise, with slashes
	// Files are patterns below that, with slashes: * and ? match in a name, ** any directories.
	Files []string
	// Beside are files beside them that are not read: those of a database, and those that older
	// builds of the host wrote.
	Beside []string
	// Free are directories in it that the host leaves to the model. A * stands for a
	// project's directory, by the name that the host gives it.
	Free []string
	// SameIDs is set if hooks receive the same call IDs as the transcript.
	SameIDs bool
	// Starts is set if every session sends its hooks an event at its start.
	Starts bool
	// InLots is set if hooks receive a call several times by design: gates first, then hooks
	// that help to approve it, and again a call that a hook rewrote.
	InLots bool
}

// A Moved is a directory that a variable names.
type Moved struct{ Variable, Below string }

// A Secret is a file or directory with the keys and tokens of a host.
type Secret struct {
	Path string
	At   At
}

// An At is how the path of a secret is interpreted.
type At uint8

// The interpretations.
const (
	InHome   At = iota // below the home; a path that ends with / is a directory and its content
	Named              // the name of a file in any directory
	Folder             // the end of a directory's path
	InFolder           // the names of a directory and of a file in it
)

// A HookFile is a file with users' hooks that the host runs itself, in a dialect that checkrein reads.
type HookFile struct {
	Host, Path string
	Where      Where
}

// A Skill is a directory of skills, with slashes.
type Skill struct {
	Path  string
	Where Where
	Deep  bool // in the home, subdirectories count too
}

// An Installer is the address of the host's own installation script, in lower case. A path that ends
// with * is a prefix.
type Installer struct{ Domain, Path string }

// A Harness is docker-agent's name for a host that it can start instead of a model.
type Harness struct{ Host, Name string }

// Tools are the names of a host's tools, by checkrein's names.
type Tools struct {
	Shell, Read, Write, Edit, Patch, List, Glob, Search, Fetch, WebSearch, Task, Todo string
}

// A ToolName maps a host's name of a tool to checkrein's name.
type ToolName struct{ Native, Canonical string }
