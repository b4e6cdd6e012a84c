// Package setting holds what configuration files state beside hooks.
package setting

import (
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein"
)

// Settings are the switches that a person sets for all hooks.
type Settings struct {
	Off             bool // the file's own switch: its hooks do not run
	ProjectMayAllow bool // a repository's hook may allow on a foreign host
	SelfApprove     bool // approvals may come from inside an agent
	OnFull          checkrein.FaultPolicy
	NotReplaced     NotReplaced
	Snapshot        bool
	// Shadow is until when verdicts are recorded and not enforced, those of
	// managed hooks and self-protection excepted: a time of RFC 3339 in UTC, "" =
	// they are enforced.
	Shadow string
	// Packs is what the files say of packs, one entry each time that one is
	// named. Merged settings hold those of all scopes, projects included.
	Packs  []Pack
	Ledger Ledger
	// Issuers are hosts of one's own that give out tokens of a known shape, as
	// NAME:HOST.
	Issuers []string
	// Grants are calls that the files let pass, where no person can be asked.
	// Merged settings hold those of all scopes; a project's do not count.
	Grants []Grant
	// Channels are where messages of the runtime may go. Merged settings hold those
	// of all scopes; a project's do not count.
	Channels []Channel
	// Judges are the models that are asked about calls that no rule can
	// judge. Merged settings hold those of all scopes; a project's do not count, and
	// of the others the first of the most trusted scope does.
	Judges []Judge
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

// A Judge is a model that is asked about calls that no rule can judge, and
// how often.
type Judge struct {
	Model   string // provider/model
	Prompt  string // a template; "" = the usual one
	Calls   int    // that a session may ask
	Money   int    // that a session may spend, in millionths of a USD
	Timeout time.Duration
	OnSpent checkrein.Decision // of a call that would be asked about when nothing is left; none = as without a judge
	From    checkrein.Origin
}

// A Channel is a service that messages can be sent to. Its URL mostly holds a
// token, so it is for nobody's eyes.
type Channel struct {
	Name string
	URL  string // as it is written: ${env.NAME} and ${file:PATH} are not filled in
	From checkrein.Origin
}

// A Grant is a call that a file lets pass although guards would stop it:
// what a shell command does, or the exact call of another tool.
type Grant struct {
	Call   string          // a shell command; "" = Tool and Input say it
	Tool   string          // the tool's name, in the host's or checkrein's words
	Input  json.RawMessage // its arguments
	Rules  []string        // whose decisions it lifts; nil = all but those of programs
	In     string          // the only project that it counts in: absolute or ~/…; "" = any
	Until  string          // a time of RFC 3339 in UTC; "" = it has no end
	Reason string
	From   checkrein.Origin
}

// A Pack is what a file says of one pack of guards.
type Pack struct {
	Name  string // "" = every pack, as `packs: []` says
	Off   bool
	By    []PackDecision // where it does something else than usual
	Allow []string       // globs of paths that it does not guard
	From  checkrein.Origin
}

// A PackDecision is what a pack does about one of the [PackKeys].
type PackDecision struct {
	Key string
	Is  checkrein.Decision // none, ask or deny
}

// PackKeys are what a pack's policy is about: the blast radius of an effect, or
// that something leaves the machine.
var PackKeys = [...]string{"low", "medium", "high", "unknown", "exfiltration"}

// Ledger say how long records are kept and who else is told where the
// ledger ends. The zero value keeps the defaults and tells nobody.
type Ledger struct {
	KeepDays int    // 0 = the default
	KeepMiB  int    // likewise
	Witness  string // a file that gets every signed checkpoint: absolute, or ~/…
	// WitnessCommand is a program and its arguments; it gets the checkpoint as
	// a line on stdin.
	WitnessCommand []string
}
