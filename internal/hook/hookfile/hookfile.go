// Package hookfile holds the types with which dialects read and write hook files: a [Dialect] parses a
// [Source] into a [File], and encodes events for its hooks.
package hookfile

import (
	"encoding/json"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// A Dialect describes the hook files, payloads and answers of one system. One reader reads the answers
// of all dialects; Form tells which keys and words count.
type Dialect struct {
	Name string
	// Parse parses a file. Together with errors (joined [*checkrein.HookError]s) it returns everything
	// that could be read; a wrong hook is returned Broken.
	Parse func(Source) (File, error)
	// Detect reports whether a file looks like this dialect's.
	Detect func(Source) bool
	// Encode returns the payload for an event in the dialect's format.
	Encode func(checkrein.Event) ([]byte, error)
	// Localize translates a rewrite of the tool's input from the dialect's names to the host's; nil if
	// they are the same.
	Localize func(checkrein.Event, json.RawMessage) (json.RawMessage, error)
	// ToolName returns the dialect's name of a tool by its canonical name; nil if it has no names of
	// its own.
	ToolName func(canonical string) string
	Form     AnswerForm
	// Write writes hooks as files of the dialect, and returns what it could not express. It writes
	// something for every hook that it can express at all.
	Write func([]checkrein.Hook) ([]Document, []Loss)
	// Folders is set if each hook is a folder, identified by its name: once approved, a project's hook
	// replaces a person's of the same name.
	Folders bool
	// Approval is set if its hooks need approval wherever they come from.
	Approval bool
	// RootVar is the environment variable in which its commands expect the project's directory; "" if
	// none.
	RootVar string
	// Bash is set if its inline commands are written for bash, which runs them if it is installed.
	Bash bool
	// Head is how many bytes of a file Parse needs; 0 means all.
	Head int64
	// Front returns how many bytes of those Parse parses; nil means all.
	Front func([]byte) int
	// Model is the provider/model of its model hooks that name none; "" if they must.
	Model string
	// Beside names another file of the same directory that Parse needs.
	Beside string
}

// A Source is an unparsed configuration file.
type Source struct {
	File   string
	Data   []byte
	Beside []byte // the content of the dialect's other file; nil if it does not exist
	// Agent selects one agent of a file that declares several; "" means the dialect's default.
	Agent string
	// Guess is set if the file may lack Agent: then the default is used.
	Guess bool
}

// A File is a parsed configuration file.
type File struct {
	Hooks []checkrein.Hook
	// Lost is the error for parts that could not be read and that no hook stands for: they may have
	// been gates, so gates stay closed.
	Lost error
	// Instead are the hooks that stand for Lost if the file is a person's own: they deny only what it
	// clearly covered. If nil, that is unknown, so every gate stays closed.
	Instead  []checkrein.Hook
	Includes []Include
	Settings setting.Settings
	Warnings []error
}

// A Document is a file that a dialect wrote. Its name is relative to the directory of the dialect's
// files.
type Document struct {
	Name string
	Data []byte
}

// A Loss is a property of a hook that a dialect cannot express.
type Loss struct {
	Hook    string // the hook's label
	What    string // the property: "if", "priority", "event", …
	Why     string
	Instead string // the closest alternative; "" if none
}

// An Include names another file, of any dialect, relative to the including one.
type Include struct {
	File string
	Line int
}

// An AnswerForm describes how answers are read in a dialect.
type AnswerForm struct {
	// Decisions maps the words of the `decision` key to decisions.
	Decisions []DecisionWord
	// Plain makes plain text context on the kinds whose row permits it.
	Plain bool
	// PlainOn lists further kinds on which plain text is context.
	PlainOn []checkrein.Kind
	// AnyText makes plain text context even if it ends in an answer.
	AnyText bool
	// EmptyBody makes an empty answer of a server no opinion, even for a gate.
	EmptyBody bool
	// AnyExit reads a denial in JSON whatever the exit code is.
	AnyExit bool
	// ZeroOnly reads JSON with exit code 0 only.
	ZeroOnly bool
	// ObserveOn lists the kinds on which the system's hooks only observe: a
	// refusal there is ignored.
	ObserveOn []checkrein.Kind
	// RemindOn lists the kinds on which the reason of a refusal becomes context for the model and
	// stops nothing; a halt still halts.
	RemindOn []checkrein.Kind
	// HaltOnStop makes `continue: false` end the turn as well.
	HaltOnStop bool
	// ContextOn lists the kinds on which context is read; nil means all.
	ContextOn []checkrein.Kind
	// CannotAllow makes an allow no opinion: the system's hooks can only refuse.
	CannotAllow bool
	// KnownKeys lets a rewrite of the input set only keys that it has.
	KnownKeys bool
	// NoteOn lists the kinds on which notices for the person are also appended to the tool's output.
	NoteOn []checkrein.Kind
	// MetadataOnPreempt reads metadata on pre_tool_use only from hooks that
	// preempt auto-approval.
	MetadataOnPreempt bool
}

// A DecisionWord is a word and what it decides.
type DecisionWord struct {
	Word string
	Is   checkrein.Decision
}

// Priorities of hooks.
const (
	DefaultPriority = 100 // of a hook that sets none
	MaxPriority     = 1000
)
