// Package setting holds the settings of configuration files other than hooks.
package setting

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
)

// Settings are the settings that apply to all hooks.
type Settings struct {
	Off             bool // the file's own switch: its hooks do not run
	ProjectMayAllow bool // a repository's hook may allow on a foreign host
	SelfApprove     bool // approvals may come from inside an agent
	OnFull          checkrein.FaultPolicy
	NotReplaced     NotReplaced
	Snapshot        bool
	// Shadow is the time until which verdicts are recorded but not enforced, except those of managed
	// hooks and self-protection: RFC 3339 in UTC; "" if they are enforced.
	Shadow string
	// Packs are the settings of packs, one entry for each time that one is named. Merged settings
	// contain those of all scopes, including projects.
	Packs  []Pack
	Ledger Ledger
	// Issuers are the person's own hosts that issue tokens of a known form, as NAME:HOST.
	Issuers []string
	// Grants are calls that the files permit if no person can be asked. Merged settings contain those
	// of all scopes; a project's do not count.
	Grants []Grant
	// Channels are the destinations of the runtime's messages. Merged settings contain those of all
	// scopes; a project's do not count.
	Channels []Channel
	// Judges are the models that judge calls that no rule can judge. Merged settings contain those of
	// all scopes; a project's do not count, and of the others the first of the most trusted scope
	// does.
	Judges []Judge
}

// A NotReplaced selects what happens to a call that would show secrets to the model, on a build of a
// host that does not honour replaced results. The values are ordered: of several the larger counts.
type NotReplaced uint8

const (
	NotReplacedUnset   NotReplaced = iota // like NotReplacedDeny, unless another file sets it
	NotReplacedRewrite                    // it is rewritten so that it prints none, or denied
	NotReplacedDeny
)

// String returns the value in a file; "" if unset.
func (n NotReplaced) String() string {
	switch n {
	case NotReplacedRewrite:
		return "rewrite"
	case NotReplacedDeny:
		return "deny"
	}
	return ""
}

// A Judge is a model that judges calls that no rule can judge, with its limits.
type Judge struct {
	Model   string // provider/model
	Prompt  string // a template; "" for the default
	Calls   int    // questions per session
	Money   int    // budget per session, in millionths of a USD
	Timeout time.Duration
	OnSpent checkrein.Decision // the decision once the budget is used up; none means as without a judge
	From    checkrein.Origin
}

// A Channel is a service that messages can be sent to. Its URL usually contains a token, so it must
// not be shown.
type Channel struct {
	Name string
	URL  string // as written: ${env.NAME} and ${file:PATH} are not expanded
	From checkrein.Origin
}

// A Grant is a call that a file permits although guards would stop it: the effect of a shell command,
// or the exact call of another tool.
type Grant struct {
	Call   string          // a shell command; "" if Tool and Input are set
	Tool   string          // the tool's name, the host's or checkrein's
	Input  json.RawMessage // its arguments
	Rules  []string        // the rules that it overrides; nil means all but those of programs
	In     string          // the only project that it counts in: absolute or ~/…; "" for any
	Until  string          // RFC 3339 in UTC; "" if it does not expire
	Reason string
	From   checkrein.Origin
}

// A Pack is a file's setting of one pack of guards.
type Pack struct {
	Name  string // "" for every pack, as with `packs: []`
	Off   bool
	By    []PackDecision // decisions that differ from the defaults
	Allow []string       // globs of paths that it does not guard
	From  checkrein.Origin
}

// A PackDecision is what a pack does about one of the [PackKeys].
type PackDecision struct {
	Key string
	Is  checkrein.Decision // none, ask or deny
}

// PackKeys are the keys of a pack's policy: the impact of an effect, or that data leaves the machine.
var PackKeys = [...]string{"low", "medium", "high", "unknown", "exfiltration"}

// A Ledger holds how long records are kept and where signed checkpoints are sent. The zero value keeps
// the defaults and sends none.
type Ledger struct {
	KeepDays int    // 0 for the default
	KeepMiB  int    // 0 for the default
	Witness  string // a file that gets every signed checkpoint: absolute, or ~/…
	// WitnessCommand is a program and its arguments; it gets the checkpoint as
	// a line on stdin.
	WitnessCommand []string
}
