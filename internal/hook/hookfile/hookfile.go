// Package hookfile defines the types with which dialects read and write hook files: a [Dialect] parses
// a [Source] into a [File] and encodes events for its hooks.
package hookfile

import (
	"encoding/json"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// A Dialect describes the hook files, payloads and answers of one system. Answers of all dialects are
// read by the same code; Form selects the keys and words that count.
type Dialect struct {
	Name string
	// Parse parses a file. If there are mistakes, it returns joined [*checkrein.HookError]s together
	// with everything that could be read; an invalid hook is marked as Broken.
	Parse func(Source) (File, error)
	// Detect reports whether a file looks like a file of this dialect.
	Detect func(Source) bool
	// Encode returns the payload for an event in the dialect's format.
	Encode func(checkrein.Event) ([]byte, error)
	// Localize translates a rewrite of the tool's input from the dialect's names to the host's. It
	// is nil if they are the same.
	Localize func(checkrein.Event, json.RawMessage) (json.RawMessage, error)
	// ToolName returns the dialect's name for the tool canonical. It is nil if the dialect has no
	// names of its own.
	ToolName func(canonical string) string
	Form     AnswerForm
	// Write returns hooks as files of the dialect, and the properties that it could not express. It
	// leaves a hook out only if the dialect cannot express it at all.
	Write func([]checkrein.Hook) ([]Document, []Loss)
	// Folders is set if each hook is a folder, identified by its name. Once approved, a project's
	// hook replaces the user's hook of the same name.
	Folders bool
	// Approval is set if its hooks need approval wherever they come from.
	Approval bool
	// RootVar is the environment variable in which its commands expect the project's directory, or
	// "".
	RootVar string
	// Bash is set if its inline commands are written for bash, which runs them if it is installed.
	Bash bool
	// Head is how many bytes of a file Parse needs; 0 means all.
	Head int64
	// Front returns how many of these bytes Parse actually parses; nil means all.
	Front func([]byte) int
	// Model is the default model of its model hooks, as provider/model, or "" if they must name one.
	Model string
	// Beside is the name of another file, in the same directory, that Parse needs, or "".
	Beside string
}

// A Source is an unparsed configuration file.
type Source struct {
	File   string
	Data   []byte
	Beside []byte // the content of the file that Dialect.Beside names; nil if it does not exist
	// Agent selects one agent of a file that declares several; "" means the dialect's default.
	Agent string
	// Guess is set if the file need not declare Agent, so that the default is used if it does not.
	Guess bool
}

// A File is a parsed configuration file.
type File struct {
	Hooks []checkrein.Hook
	// Lost is the error for parts that could not be read and for which there is no broken hook. They
	// may have been gates, so all gates stay closed.
	Lost error
	// Instead are broken hooks to use in place of Lost if the file is the user's own. They deny only
	// the calls to which the lost hooks clearly applied. If it is nil, those are unknown, so every
	// gate stays closed.
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
	Instead string // the closest alternative, or ""
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
	// Plain makes plain text count as context on the kinds whose contract permits that.
	Plain bool
	// PlainOn lists further kinds on which plain text counts as context.
	PlainOn []checkrein.Kind
	// AnyText makes plain text count as context even if it ends with an answer in JSON.
	AnyText bool
	// EmptyBody makes an empty response of a server count as no opinion, even for a gate.
	EmptyBody bool
	// AnyExit makes a denial in JSON count whatever the exit code is.
	AnyExit bool
	// ZeroOnly makes JSON count only if the exit code is 0.
	ZeroOnly bool
	// ObserveOn lists the kinds on which the system's hooks only observe, so that a denial is
	// ignored.
	ObserveOn []checkrein.Kind
	// RemindOn lists the kinds on which a denial stops nothing and its reason becomes context for
	// the model. A halt still halts.
	RemindOn []checkrein.Kind
	// HaltOnStop makes `continue: false` end the turn as well.
	HaltOnStop bool
	// ContextOn lists the kinds on which context is read; nil means all.
	ContextOn []checkrein.Kind
	// CannotAllow makes an allow count as no opinion, because the system's hooks can only deny.
	CannotAllow bool
	// KnownKeys limits a rewrite of the tool's input to keys that the input already has.
	KnownKeys bool
	// NoteOn lists the kinds on which notices for the user are also appended to the tool's output.
	NoteOn []checkrein.Kind
	// MetadataOnPreempt makes metadata on pre_tool_use count only from hooks that preempt
	// auto-approval.
	MetadataOnPreempt bool
}

// A DecisionWord is a word in answers and the decision that it stands for.
type DecisionWord struct {
	Word string
	Is   checkrein.Decision
}

// Priorities of hooks.
const (
	DefaultPriority = 100 // of a hook that sets none
	MaxPriority     = 1000
)
