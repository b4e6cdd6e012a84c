// Package hosts has the facts of hosts that the districts below them need: files, programs,
// variables, tool names. Each host's folder states its own in a [Row]; `go generate
// ./internal/host` makes the tables of this package from them, a column each, with the hosts
// in order of importance.
package hosts

// A Row is what is known of one host. It is read by the generator alone: the values must be
// literals, constants of this package or variables of the same file.
type Row struct {
	Rank int    // its place among the hosts, by importance
	Name string // as in `checkrein hook NAME`
	// Aliases are what people call it otherwise, separated by spaces.
	Aliases string

	Files       []File
	Starts      []Start
	Variables   []Variable
	Transcripts []Transcript
	Secrets     []Secret
	Tools       Tools
	// Given are the files that the host gives its model without an event, in a project, in the
	// directories above and below, and in its home: a secret in there is known to the model,
	// whatever hooks replaced. GivenFolders are those of which it gives files: rules, commands
	// that people type, skills, agents, styles and what models keep for themselves.
	Given, GivenFolders []string
	HookFiles           []HookFile
	Skills              []Skill
	Installers          []Installer
	Harnesses           []Harness
	// Folders are those of projects whose names could be those of files, by their dot.
	Folders []string
	// Hints are words of commands that may be about its files, beside "settings" and "hooks".
	Hints []string
}

// Where is where a file lies.
type Where uint8

// The places, as bits.
const (
	Home    Where = 1 << iota // below the home directory
	Project                   // in a project
	System                    // Path is absolute
)

// A Form is how a file is read.
type Form uint8

// The forms.
const (
	JSON Form = iota // with comments or without
	TOML
	YAML
	Lines // a script: our entries are lines
	Whole // all of it is ours, or about trust: any change counts
)

// A File is one of a host's files that decide whether checkrein is called.
type File struct {
	Host  string
	Path  string // with slashes; a * in the last part stands for any text
	Glob  bool   // Path, and Below, have a *
	Where Where
	Form  Form
	// Env is a variable that moves the file; Below is where it lies then, "" =
	// the variable names the file itself.
	Env, Below string

	Dialect  string // the one in which people write their own hooks into it; "" = none
	Gate     string // the event before a tool runs, where the host tells of changed settings
	Switches []Switch
	// Types are the hook types that the host knows: one of another type takes
	// the whole file down. None = any.
	Types []string
	// Plugins are the ends of the names by which lists load a plugin of ours.
	Plugins []string
	// Last is set if a plugin that is loaded after ours may change what ours
	// has judged.
	Last bool
	// Placed is set if the host knows a hook by its place in the file.
	Placed bool
}

// A Switch is a setting that turns hooks off or says whose are trusted.
type Switch struct {
	Path string // keys with dots between them; a * stands for any key
	Off  Test
}

// A Test describes when a setting is off.
type Test uint8

// The tests.
const (
	True    Test = iota // it is true
	False               // it is false
	Set                 // it is there
	Lists               // it names checkrein
	Omits               // it is a list that does not name checkrein
	Changed             // it is not what it was
	Refuses             // it is "untrusted" or "DO_NOT_TRUST"
	Steers              // it is a variable that bends hosts or checkrein
)

// A Start is how a host is started from a command line, and by what it then leaves its
// hooks out or goes by other settings. Lists are separated by spaces.
type Start struct {
	Host     string
	Programs string // the names of its program
	Packages string // as package managers know it
	Sub      string // a subcommand of another program that starts it: "docker agent"
	Env      string // variables that move its settings or leave hooks out
	Bare     string // options that leave hooks out; "--disable=hooks" with a value
	Moves    string // options that name other settings, whatever they are
	Text     string // the option whose value is settings, or a file of them
	Sets     string // options whose value is one setting: key=value
	Sources  string // the option that lists whose settings count
	Without  string // subcommands that ask no hooks, or switch them off: "agent/exec"
	Config   string // subcommands that change a setting, by the key and the value behind them: "config/set"
	Wires    string // the key of the settings with checkrein's entries
	Quiet    string // subcommands that start no agent
	Starting string // options that elsewhere only show something, and here start the agent
}

// A Variable is a file of a project from which a host takes variables: NAME=value.
type Variable struct{ Host, Path string }

// A Transcript is where a host keeps transcripts.
type Transcript struct {
	Host string
	Vars []Moved // what the environment says first, the first one that is set counts
	Home string  // else below the home, with slashes
	// Files are below that, with slashes: * and ? are of a name, ** of any folders.
	Files []string
	// Beside are files that are kept with them: those of a database, and what older builds
	// of the host wrote, which is not read.
	Beside []string
	// Free are folders in there that the host leaves to the model. A * stands for a
	// directory, by the name that the host gives it.
	Free []string
	// SameIDs is set if hooks hear the IDs of calls that are in the transcript.
	SameIDs bool
	// Starts is set if a session tells its hooks that it begins, however it is run.
	Starts bool
	// InLots is set if hooks get a call several times by design: gates first, then those
	// that help to approve it, and again what a hook rewrote.
	InLots bool
}

// A Moved folder is named by a variable.
type Moved struct{ Variable, Below string }

// A Secret is a file or folder with the keys and tokens of a host.
type Secret struct {
	Path string
	At   At
}

// At is how the path of a secret is meant.
type At uint8

// The ways.
const (
	InHome   At = iota // below the home; with a / at its end a folder, and all in it
	Named              // the name of a file, wherever it lies
	Folder             // the end of a folder's path
	InFolder           // the name of a folder and of a file in it
)

// A HookFile is one in which people have hooks that the host runs itself, in a dialect that
// checkrein reads.
type HookFile struct {
	Host, Path string
	Where      Where
}

// A Skill is a folder of skills, with slashes.
type Skill struct {
	Path  string
	Where Where
	Deep  bool // in the home also folders below it
}

// An Installer is where the host has its own script to install it, in lower case. A path
// that ends with * is the beginning of one.
type Installer struct{ Domain, Path string }

// A Harness is what docker-agent calls the host where it can start it in the place of a model.
type Harness struct{ Host, Name string }

// Tools are the names that a host gives its tools, by checkrein's name for them.
type Tools struct {
	Shell, Read, Write, Edit, Patch, List, Glob, Search, Fetch, WebSearch, Task, Todo string
}

// A ToolName maps a host's name of a tool to checkrein's.
type ToolName struct{ Native, Canonical string }
