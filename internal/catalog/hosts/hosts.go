// Package hosts lists facts about hosts that lower packages need: files, programs, variables and tool
// names. Each host's directory declares its facts in a [Row]. From the rows, go generate
// ./internal/host generates the tables of this package, one for each field, with the hosts in order of
// importance.
package hosts

// A Row holds the facts about one host. Only the generator reads it, so the values must be literals,
// constants of this package or variables of the same file.
type Row struct {
	Rank int    // its position in order of importance, from 1
	Name string // as in `checkrein hook NAME`
	// Aliases are other names of the host, separated by spaces.
	Aliases string

	Files       []File
	Starts      []Start
	Variables   []Variable
	Transcripts []Transcript
	Secrets     []Secret
	Tools       Tools
	// Given are files that the host passes to its model without an event: in a project, in the
	// directories above and below it, and in the home directory. The model sees secrets in them, because
	// no hook can redact them. GivenFolders are directories of such files: rules, commands for users,
	// skills, agents, styles and the memories of models.
	Given, GivenFolders []string
	HookFiles           []HookFile
	CommandFiles        []CommandFile
	// ProjectVars are the variables in such commands that name the project's directory.
	ProjectVars []string
	Skills      []Skill
	Installers  []Installer
	Harnesses   []Harness
	Wrappers    []Wrapper
	// Folders are directories of projects whose names contain a dot, as names of files do.
	Folders []string
	// Hints are words, in addition to "settings" and "hooks", that suggest that a command concerns its files.
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
	Whole // the whole file is checkrein's or about trust, so any change counts
)

// A File is one of a host's files that determine whether checkrein is called.
type File struct {
	Host  string
	Path  string // with slashes; a * in the last element stands for any text
	Glob  bool   // Path, and Below, have a *
	Where Where
	Form  Form
	// Env is an environment variable that moves the file. Below is the path of the file in that directory, or "" if
	// the variable names the file itself.
	Env, Below string

	Dialect  string // the dialect in which users write their own hooks into it, or ""
	Gate     string // the event before a tool runs, if the host reports changed settings
	Switches []Switch
	// Types are the hook types that the host supports. If a hook has another type, it
	// ignores the whole file. Nil means any type.
	Types []string
	// Plugins are suffixes of the names by which lists load checkrein's plugin.
	Plugins []string
	// Last is set if a plugin that is loaded after checkrein's can change what
	// checkrein has already checked.
	Last bool
	// Placed is set if the host identifies a hook by its position in the file.
	Placed bool
}

// A Switch is a setting that turns hooks off or determines whose hooks are trusted.
type Switch struct {
	Path string // keys separated by dots; a * stands for any key
	Off  Test
}

// A Test is the condition under which a setting turns hooks off.
type Test uint8

// The tests.
const (
	True    Test = iota // it is true
	False               // it is false
	Set                 // it is set to a value that is not empty
	Lists               // it contains the word checkrein
	Omits               // it is a list that does not contain checkrein
	Changed             // it differs from its earlier value
	Refuses             // it is "untrusted" or "DO_NOT_TRUST"
	Steers              // it is a variable that affects hosts or checkrein
)

// A Start describes how a host is started from a command line, and which arguments make it skip hooks
// or use other settings. Lists are separated by spaces.
type Start struct {
	Host     string
	Programs string // the names of its program
	Packages string // its names for package managers
	Sub      string // a subcommand of another program that starts it: "docker agent"
	Env      string // variables that move its settings or skip hooks
	Bare     string // options that skip hooks, with a value where it matters: "--disable=hooks"
	Moves    string // options that make it use other settings
	Text     string // the option whose value is settings, or a file with settings
	Sets     string // options whose value is one setting: key=value
	Sources  string // the option that lists the levels whose settings count
	Without  string // subcommands that do not call hooks, or turn them off: "agent/exec"
	Config   string // subcommands that change a setting, followed by its key and value: "config/set"
	Wires    string // the key of the settings with checkrein's entries
	Quiet    string // subcommands that start no agent
	Starting string // options that start the agent, although with other hosts they only show something
}

// A Variable is a file of a project from which a host reads environment variables, written as
// NAME=value.
type Variable struct{ Host, Path string }

// A Transcript describes where a host stores its transcripts.
type Transcript struct {
	Host string
	Vars []Moved // environment variables that set the directory; the first one that is set counts
	Home string  // the directory below the home directory if none is set, with slashes
	// Files are patterns of paths in that directory, with slashes: * and ? match within a name, ** any directories.
	Files []string
	// Beside are patterns of related files that are not read: those of a database, and those that older
	// builds of the host wrote.
	Beside []string
	// Free are directories in it that the model may write. A * stands for the name that the host gives
	// to a project's directory.
	Free []string
	// SameIDs is set if hooks get the same call IDs as the transcript has.
	SameIDs bool
	// Starts is set if every session sends hooks an event when it starts.
	Starts bool
	// InLots is set if hooks get a call several times by design: first the gates, then the hooks that
	// help to approve it, and all of them again if a hook rewrote the call.
	InLots bool
}

// A Moved is a directory that an environment variable sets: Below, in the directory that the variable
// names.
type Moved struct{ Variable, Below string }

// A Secret is a file or directory with the keys and tokens of a host.
type Secret struct {
	Path string
	At   At
}

// An At determines how the path of a secret is interpreted.
type At uint8

// The interpretations.
const (
	InHome   At = iota // a path below the home directory; one that ends with / is a directory with its contents
	Named              // a file name, in any directory
	Folder             // the end of a directory's path
	InFolder           // the name of a directory and that of a file in it
)

// A HookFile is a file with the user's hooks that the host runs itself, in a dialect that checkrein
// reads.
type HookFile struct {
	Host, Path string
	Where      Where
}

// A CommandFile is a file with settings that name programs which the host runs by itself: hooks, status lines, MCP
// servers, helpers for keys. It may be in any directory.
type CommandFile struct {
	Host string
	Path string // the end of its path, with slashes; a * in the last element stands for any text
	Form Form
	// Keys are the keys, at any depth, whose values are commands or lists of words, separated by spaces. The words
	// in "args" and the variables in "env" beside a command belong to it.
	Keys string
}

// A Skill is a directory of skills, with slashes.
type Skill struct {
	Path  string
	Where Where
	Deep  bool // in the home directory, subdirectories count too
}

// An Installer is the address of a host's own installation script, in lower case. A path that ends
// with * is a prefix.
type Installer struct{ Domain, Path string }

// A Harness is docker-agent's name for a host that it can start instead of a model.
type Harness struct{ Host, Name string }

// A Wrapper describes how a host starts the commands of its model through a program that its settings
// name.
type Wrapper struct {
	Host     string
	Variable string // the variable, which its settings can set, with that program; "" = another setting
	// Member is the member of its events with the program that its settings name, if checkrein's plugin
	// adds one; "" = Variable shows it.
	Member  string
	Session string // the variable with the ID of the session
	Call    string // the variable with the ID of the call; "" = there is none
	Own     string // a variable of its own processes, such as hooks, which tools lack; "" = it starts none this way
	Evals   bool   // the argument is a line that evaluates the command; otherwise the arguments are -c COMMAND
	Nul     bool   // it replaces nul, as the file that output goes to, by /dev/null
	// Before are files and directories whose text runs before each command: below ~, or below the
	// directory that a variable names.
	Before []string
}

// FindWrapper returns how the host starts commands through a program, or false if it does not.
func FindWrapper(host string) (Wrapper, bool) {
	for i := range Wrappers {
		if Wrappers[i].Host == host {
			return Wrappers[i], true
		}
	}
	return Wrapper{}, false
}

// Tools holds the names of a host's tools, separated by spaces, under checkrein's names.
type Tools struct {
	Shell, Read, Write, Edit, Patch, List, Glob, Search, Fetch, WebSearch, Task, Todo string
}

// A ToolName maps a host's name for a tool to checkrein's name.
type ToolName struct{ Native, Canonical string }
