package checkrein

import (
	"encoding/json"
	"time"
)

// A Dialect is how a system's hooks are declared and spoken to. The answers of
// all dialects are read by one reader; Form is the data that tells it which
// keys and words count.
type Dialect struct {
	Name string
	// Parse reads a file. Beside errors (joined [*HookError]s) it returns
	// everything that could be read; a hook that is wrong is returned Broken.
	Parse func(Source) (File, error)
	// Detect reports whether a file looks like this dialect's.
	Detect func(Source) bool
	// Encode writes the event in the dialect's words.
	Encode func(Event) ([]byte, error)
	// Localize maps a rewrite of the tool's input, given in the dialect's
	// words, to the host's; nil = they are the same.
	Localize func(Event, json.RawMessage) (json.RawMessage, error)
	// ToolName is what the dialect calls a tool, by its canonical name; nil =
	// it has no words of its own.
	ToolName func(canonical string) string
	Form     AnswerForm
	// Write writes hooks as files of the dialect, and says of what it could
	// not. It writes something for every hook that it can express at all.
	Write func([]Hook) ([]Document, []Loss)
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
	Hooks []Hook
	// Lost is what could not be read and stands for no hook: it may have
	// held gates, so they stay closed.
	Lost error
	// Instead stand for Lost where the file is a person's own: they close what it
	// can be told to have covered, and no more. nil = nobody can tell, so every
	// gate stays closed.
	Instead  []Hook
	Includes []Include
	Settings Settings
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

// Settings are the switches that a person sets for all hooks.
type Settings struct {
	Off             bool // the file's own switch: its hooks do not run
	ProjectMayAllow bool // a repository's hook may allow on a foreign host
	SelfApprove     bool // approvals may come from inside an agent
	OnFull          FaultPolicy
	NotReplaced     NotReplaced
	Snapshot        bool
	// Shadow is until when verdicts are recorded and not enforced, those of
	// managed hooks and self-protection excepted: a time of RFC 3339 in UTC, "" =
	// they are enforced.
	Shadow string
	// Packs is what the files say of packs, one entry each time that one is
	// named. Merged settings hold those of all scopes, projects included.
	Packs  []PackSetting
	Ledger LedgerSettings
	// Issuers are hosts of one's own that give out tokens of a known shape, as
	// NAME:HOST.
	Issuers []string
	// Grants are calls that the files let pass, where no person can be asked.
	// Merged settings hold those of all scopes; a project's do not count.
	Grants []GrantSetting
	// Channels are where messages of the runtime may go. Merged settings hold those
	// of all scopes; a project's do not count.
	Channels []ChannelSetting
	// Judges are the models that are asked about calls that no rule can
	// judge. Merged settings hold those of all scopes; a project's do not count, and
	// of the others the first of the most trusted scope does.
	Judges []JudgeSetting
}

// A NotReplaced is what becomes of a call that would show the model secrets, on a build of a
// host that does not honour replaced results. They are ordered: of several the larger counts.
type NotReplaced uint8

const (
	NotReplacedUnset   NotReplaced = iota // as NotReplacedDeny, if nobody else says something
	NotReplacedRewrite                    // it is rewritten so that it prints none, or denied
	NotReplacedDeny
)

// String returns what is written in a file, "" if nothing is.
func (n NotReplaced) String() string {
	switch n {
	case NotReplacedRewrite:
		return "rewrite"
	case NotReplacedDeny:
		return "deny"
	}
	return ""
}

// A JudgeSetting is a model that is asked about calls that no rule can judge, and
// how often.
type JudgeSetting struct {
	Model   string // provider/model
	Prompt  string // a template; "" = the usual one
	Calls   int    // that a session may ask
	Money   int    // that a session may spend, in millionths of a USD
	Timeout time.Duration
	OnSpent Decision // of a call that would be asked about when nothing is left; none = as without a judge
	From    Origin
}

// A ChannelSetting is a service that messages can be sent to. Its URL mostly holds a
// token, so it is for nobody's eyes.
type ChannelSetting struct {
	Name string
	URL  string // as it is written: ${env.NAME} and ${file:PATH} are not filled in
	From Origin
}

// A GrantSetting is a call that a file lets pass although guards would stop it:
// what a shell command does, or the exact call of another tool.
type GrantSetting struct {
	Call   string          // a shell command; "" = Tool and Input say it
	Tool   string          // the tool's name, in the host's or checkrein's words
	Input  json.RawMessage // its arguments
	Rules  []string        // whose decisions it lifts; nil = all but those of programs
	In     string          // the only project that it counts in: absolute or ~/…; "" = any
	Until  string          // a time of RFC 3339 in UTC; "" = it has no end
	Reason string
	From   Origin
}

// A PackSetting is what a file says of one pack of guards.
type PackSetting struct {
	Name  string // "" = every pack, as `packs: []` says
	Off   bool
	By    []PackDecision // where it does something else than usual
	Allow []string       // globs of paths that it does not guard
	From  Origin
}

// A PackDecision is what a pack does about one of the [PackKeys].
type PackDecision struct {
	Key string
	Is  Decision // none, ask or deny
}

// PackKeys are what a pack's policy is about: the blast radius of an effect, or
// that something leaves the machine.
var PackKeys = [...]string{"low", "medium", "high", "unknown", "exfiltration"}

// LedgerSettings say how long records are kept and who else is told where the
// ledger ends. The zero value keeps the defaults and tells nobody.
type LedgerSettings struct {
	KeepDays int    // 0 = the default
	KeepMiB  int    // likewise
	Witness  string // a file that gets every signed checkpoint: absolute, or ~/…
	// WitnessCommand is a program and its arguments; it gets the checkpoint as
	// a line on stdin.
	WitnessCommand []string
}

// An AnswerForm describes which words of an answer count in a dialect.
type AnswerForm struct {
	// Decisions maps the words of the `decision` key.
	Decisions []DecisionWord
	// Plain lists the kinds on which plain text is context: those whose row
	// says so, when true.
	Plain bool
	// PlainOn lists further kinds on which it is.
	PlainOn []Kind
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
	ObserveOn []Kind
	// RemindOn lists the kinds on which a refusal is told to the model and stops
	// nothing; what halts still halts.
	RemindOn []Kind
	// HaltOnStop makes `continue: false` end the turn as well.
	HaltOnStop bool
	// ContextOn lists the kinds on which context is read; nil = all.
	ContextOn []Kind
	// CannotAllow takes an allow for no opinion: the system's hooks refuse and
	// nothing else.
	CannotAllow bool
	// KnownKeys lets a rewrite of the input set only keys that it has.
	KnownKeys bool
	// NoteOn lists the kinds on which what is told to the person is appended
	// to the tool's output as well.
	NoteOn []Kind
	// MetadataOnPreempt reads metadata on pre_tool_use only from hooks that
	// preempt auto-approval.
	MetadataOnPreempt bool
}

// A DecisionWord is a word and what it decides.
type DecisionWord struct {
	Word string
	Is   Decision
}
