// Package setting holds the settings of configuration files other than hooks.
package setting

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
)

// Settings holds the settings that apply to all hooks.
type Settings struct {
	Off             bool // the hooks of the file do not run
	ProjectMayAllow bool // a project's hooks may allow calls on hosts other than checkrein's own
	SelfApprove     bool // approvals may come from a terminal inside an agent
	OnFull          checkrein.FaultPolicy
	NotReplaced     NotReplaced
	Snapshot        bool
	// Shadow is the time, as RFC 3339 in UTC, until which verdicts are recorded but not enforced,
	// except for those of managed hooks and self-protection. It is "" if verdicts are enforced.
	Shadow string
	// Tried are the user's own hooks in shadow mode. No file holds this list: it is made from the hooks.
	Tried []TriedHook
	// Packs are the settings of packs; a pack may occur several times. Merged settings contain
	// those of all scopes, including projects.
	Packs  []Pack
	Ledger Ledger
	// Issuers are the user's own servers that issue tokens of a known form, as NAME:HOST.
	Issuers []string
	// Grants are calls that the files permit if no person can be asked. Merged settings contain those
	// of all scopes; a project's do not count.
	Grants []Grant
	// Channels are the destinations of the runtime's messages. Merged settings contain those of all
	// scopes; a project's do not count.
	Channels []Channel
	// Judges are the models for calls that no rule can judge. Merged settings contain those of all
	// scopes. Only one is used: the first of the most trusted scope, never one of a project.
	Judges []Judge
	Walls  Walls
	// Approvals is not set by a project.
	Approvals Approvals
}

// Approvals sets how a person learns of calls that wait for an answer.
type Approvals struct {
	Wait   time.Duration // how long a denied call waits for an answer before its host gets the denial
	Notify []string      // names of channels, or Desktop
}

// Desktop is the name under which Approvals.Notify has the notifications of the desktop.
const Desktop = "desktop"

// Walls sets which commands run behind walls, and what they may do there. The zero value is the
// default profile.
type Walls struct {
	Contain Contain
	Hide    []string // files and directories that they may not read; absolute or ~/…
	// Write, Network and Sockets open the profile. In a project's file they have no effect.
	Write   []string // files and directories that they may change; absolute or ~/…
	Network bool     // also for commands that checkrein cannot read
	Sockets bool     // unix sockets, such as those of databases
}

// A Contain selects which commands run behind walls. The values are ordered: if several files set it,
// the largest counts.
type Contain uint8

const (
	ContainUnset   Contain = iota // like [DefaultContain], unless another file sets it
	ContainUnknown                // those that checkrein does not understand
	ContainProject                // also all others that work on the project and need nothing from outside the walls
)

// DefaultContain is the value that counts if no file sets another.
const DefaultContain = ContainProject

// String returns the value as files spell it, or "" if it is unset.
func (c Contain) String() string { return containNames[c] }

// containNames are the values of a Contain as files spell them.
var containNames = [...]string{"", "unknown", "project"}

// ParseContain returns the value that files spell as text, or ContainUnset if there is none.
func ParseContain(text string) Contain { return Contain(max(slices.Index(containNames[:], text), 0)) }

// A NotReplaced selects what happens to a call that would show secrets to the model if the host's
// build does not honour replaced results. The values are ordered: if several files set it, the largest
// counts.
type NotReplaced uint8

const (
	NotReplacedUnset   NotReplaced = iota // like NotReplacedDeny, unless another file sets it
	NotReplacedRewrite                    // the call is rewritten so that it prints no secrets, or denied
	NotReplacedDeny
)

// String returns the value as files spell it, or "" if it is unset.
func (n NotReplaced) String() string {
	switch n {
	case NotReplacedRewrite:
		return "rewrite"
	case NotReplacedDeny:
		return "deny"
	}
	return ""
}

// A Judge is a model for calls that no rule can judge, with its limits.
type Judge struct {
	Model   string // provider/model
	Prompt  string // a template; "" for the default
	Calls   int    // questions per session
	Money   int    // budget per session, in millionths of a USD
	Timeout time.Duration
	OnSpent checkrein.Decision // the decision once the budget is used up; none leaves the call to the rules
	From    checkrein.Origin
}

// A Channel is a service that messages can be sent to. Its URL usually contains a token, so it must
// not be shown.
type Channel struct {
	Name string
	URL  string // as written: ${env.NAME} and ${file:PATH} are not expanded
	From checkrein.Origin
}

// A Grant is a call that a file permits although guards would block it: a shell command with the same
// effects, or the exact call of another tool.
type Grant struct {
	Call   string          // a shell command; "" if Tool and Input are set
	Tool   string          // the tool's name, the host's or checkrein's
	Input  json.RawMessage // its arguments
	Rules  []string        // the rules that it overrides; nil means all but those of programs
	In     string          // the directory of the project to which it is limited, absolute or ~/…; "" for any
	Until  string          // RFC 3339 in UTC; "" if it does not expire
	Reason string
	From   checkrein.Origin
}

// A Pack is a file's setting for one pack of rules.
type Pack struct {
	Name  string // "" for every pack, as with `packs: []`
	Off   bool
	By    []PackDecision // decisions that differ from the defaults
	Allow []string       // globs of paths that it does not guard
	// Shadow lists the rules in shadow mode, without the pack's name; [EveryRule] stands for the whole
	// pack. They are enforced again at Until, an RFC 3339 time in UTC, unless that is "".
	Shadow []string
	Until  string
	Trial  bool // from a bundle of a fleet on trial; no file sets it
	From   checkrein.Origin
}

// EveryRule stands for all rules of a pack.
const EveryRule = "*"

// A TriedHook is a hook of the user's own in shadow mode.
type TriedHook struct{ ID, Until string }

// IsOver reports whether until, the end of a period in RFC 3339 and UTC, has passed. A period without an
// end, "", is never over.
func IsOver(until string, now time.Time) bool {
	end, err := time.Parse(time.RFC3339, until)
	return err == nil && !now.Before(end)
}

// A PackDecision is a pack's decision for one of the [PackKeys].
type PackDecision struct {
	Key string
	Is  checkrein.Decision // none, ask or deny
}

// PackKeys lists the keys of a pack's policy: the impact of an effect, or exfiltration if data leaves
// the machine.
var PackKeys = [...]string{"low", "medium", "high", "unknown", "exfiltration"}

// A Ledger sets how long records are kept and where signed checkpoints are sent. The zero value keeps
// them for the default time and sends no checkpoints.
type Ledger struct {
	KeepDays int    // 0 for the default
	KeepMiB  int    // 0 for the default
	Witness  string // a file that gets every signed checkpoint: absolute, or ~/…
	// WitnessCommand is a program and its arguments; it gets the checkpoint as
	// a line on stdin.
	WitnessCommand []string
}
