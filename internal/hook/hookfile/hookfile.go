// Package hookfile holds the types by which dialects read and write hook files: a
// [Dialect] parses a [Source] into a [File], and encodes events for its hooks.
package hookfile

import (
	"encoding/json"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/setting"
)

// A Dialect is how a system's hooks are declared and spoken to. The answers of
// all dialects are read by one reader; Form is the data that tells it which
// keys and words count.
type Dialect struct {
	Name string
	// Parse reads a file. Beside errors (joined [*checkrein.HookError]s) it returns
	// everything that could be read; a hook that is wrong is returned Broken.
	Parse func(Source) (File, error)
	// Detect reports whether a file looks like this dialect's.
	Detect func(Source) bool
	// Encode writes the event in the dialect's words.
	Encode func(checkrein.Event) ([]byte, error)
	// Localize maps a rewrite of the tool's input, given in the dialect's
	// words, to the host's; nil = they are the same.
	Localize func(checkrein.Event, json.RawMessage) (json.RawMessage, error)
	// ToolName is what the dialect calls a tool, by its canonical name; nil =
	// it has no words of its own.
	ToolName func(canonical string) string
	Form     AnswerForm
	// Write writes hooks as files of the dialect, and says of what it could
	// not. It writes something for every hook that it can express at all.
	Write func([]checkrein.Hook) ([]Document, []Loss)
	// Folders is set if each hook is a folder, known by its name: a project's
	// takes the place of a person's of the same name once it is approved.
	Folders bool
	// Approval is set if its hooks need approval wherever they come from.
	Approval bool
	// RootVar is the environment variable in which its commands expect the
	// project's directory, "" = none.
	RootVar string
	// Bash is set if its inline commands are written for bash, which runs them
	// where there is one.
	Bash bool
	// Head is how much of a file Parse needs; 0 = all of it.
	Head int64
	// Front is how many bytes of that Parse looks into; nil = all.
	Front func([]byte) int
	// Model is the provider/model of its model hooks that name none; "" = they must.
	Model string
	// Beside names another file of the same directory that Parse needs.
	Beside string
}

// A Source is a configuration file before it is read.
type Source struct {
	File   string
	Data   []byte
	Beside []byte // the dialect's other file, nil when it is not there
	// Agent picks one agent of a file that declares several; "" = the
	// dialect's default.
	Agent string
	// Guess is set if Agent need not be one of the file's: the default is
	// taken instead.
	Guess bool
}

// A File is what a configuration file says.
type File struct {
	Hooks []checkrein.Hook
	// Lost is what could not be read and stands for no hook: it may have
	// held gates, so they stay closed.
	Lost error
	// Instead stand for Lost where the file is a person's own: they close what it
	// can be told to have covered, and no more. nil = nobody can tell, so every
	// gate stays closed.
	Instead  []checkrein.Hook
	Includes []Include
	Settings setting.Settings
	Warnings []error
}

// A Document is a file that a dialect wrote. Its name is relative to where the
// dialect's files lie.
type Document struct {
	Name string
	Data []byte
}

// A Loss is something of a hook that a dialect cannot say.
type Loss struct {
	Hook    string // the hook's label
	What    string // the property: "if", "priority", "event", …
	Why     string
	Instead string // the nearest alternative, "" = none
}

// An Include names another file, of any dialect, relative to the including one.
type Include struct {
	File string
	Line int
}

// An AnswerForm describes which words of an answer count in a dialect.
type AnswerForm struct {
	// Decisions maps the words of the `decision` key.
	Decisions []DecisionWord
	// Plain lists the kinds on which plain text is context: those whose row
	// says so, when true.
	Plain bool
	// PlainOn lists further kinds on which it is.
	PlainOn []checkrein.Kind
	// AnyText makes context of text that ends in an answer, too, where text is context.
	AnyText bool
	// EmptyBody takes an empty answer of a server for no opinion, also on a gate.
	EmptyBody bool
	// AnyExit reads a denial in JSON whatever the exit code is.
	AnyExit bool
	// ZeroOnly reads JSON with exit code 0 only.
	ZeroOnly bool
	// ObserveOn lists the kinds on which the system's hooks only observe: a
	// refusal there is ignored.
	ObserveOn []checkrein.Kind
	// RemindOn lists the kinds on which a refusal is told to the model and stops
	// nothing; what halts still halts.
	RemindOn []checkrein.Kind
	// HaltOnStop makes `continue: false` end the turn as well.
	HaltOnStop bool
	// ContextOn lists the kinds on which context is read; nil = all.
	ContextOn []checkrein.Kind
	// CannotAllow takes an allow for no opinion: the system's hooks refuse and
	// nothing else.
	CannotAllow bool
	// KnownKeys lets a rewrite of the input set only keys that it has.
	KnownKeys bool
	// NoteOn lists the kinds on which what is told to the person is appended
	// to the tool's output as well.
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
	DefaultPriority = 100 // of a hook that states none
	MaxPriority     = 1000
)
