package code

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A result collects the effects of code while it is read.
type result struct {
	effects       []shell.Effect
	nested        []string
	sends         []send
	mentions      []mention // functions that are mentioned but not called
	indirectCalls []string  // functions that are called through another name
	names         []string  // variables of the last loop that was read
	seen          taint     // sources of all data that the code reads
	steps         int       // steps left in the budget
	defs          int       // functions whose calls were searched
	size          int       // total length of the nested commands
	endless       bool      // the code may loop endlessly
	spent         bool      // the budget is used up
	forks         bool      // the code forks or starts itself
	socket        bool      // the code opens a connection or listens
	remote        bool      // a connection goes to another machine
	logs          bool      // log records go to a connection
	wrote         bool      // data is written to a connection
	headers       taint     // sources of data in headers that clients send with every request
	written       taint     // sources of data written to connections and unknown objects
	dup           bool      // the code duplicates a descriptor
	shell         bool      // the code starts a shell or a command from the network
	memory        bool      // the database is in memory
	console       bool      // the code runs within an application
	peer          string    // the only machine that the code connects to, or "" if unknown or several
	owner         string    // the service whose secret variables are read, "?" if unknown or several
	forkAs        string    // the code that forks
	sentAs        string    // the code that writes to a connection
}

// A send describes data that the code sends to another machine.
type send struct {
	url    string
	words  string // the code that sends the data
	taint  taint  // sources of the data
	direct bool   // only data in the request itself counts, not everything that the code reads
	mail   bool   // the data is sent by email
	upload bool   // the data is a file
}

// Limits on the results.
const (
	maxEffects = 64
	maxNested  = 64
	maxSize    = 128 << 10
)

// addEffect adds e, unless an effect with the same label, category, reason and impact is present.
// Beyond maxEffects, a limit effect replaces the last one.
func (o *result) addEffect(e shell.Effect) {
	for i := range o.effects {
		if h := &o.effects[i]; h.Label == e.Label && h.Category == e.Category && h.Reason == e.Reason && h.Impact == e.Impact {
			return
		}
	}
	if len(o.effects) >= maxEffects {
		if e.Label != shell.Safe {
			o.effects[maxEffects-1] = shell.LimitEffect("", "runs code that does more than checkrein can check")
		}
		return
	}
	o.effects = append(o.effects, e)
}

// addCommand adds the nested shell command cmd, which the code runs or which is equivalent to a part
// of it. It prepends a cd if the code has changed its directory. It adds nothing while the reader is
// looking ahead.
func (r *reader) addCommand(cmd string) {
	if r.quiet > 0 {
		return
	}
	o := r.out
	if d := r.dir; d.form == text && d.text != "" && d.text != "." {
		cmd = "cd " + shellQuote(&d) + " && " + cmd
	}
	for _, c := range o.nested {
		if c == cmd {
			return
		}
	}
	if len(o.nested) >= maxNested || o.size+len(cmd) > maxSize {
		o.addEffect(shell.LimitEffect("", "runs code with more commands than checkrein can check"))
		return
	}
	o.size += len(cmd)
	o.nested = append(o.nested, cmd)
}

// addEffect adds e, unless the reader is looking ahead.
func (r *reader) addEffect(e shell.Effect) {
	if r.quiet == 0 {
		r.out.addEffect(e)
	}
}

// addEffectWithWords adds a copy of e with the given Words.
func (r *reader) addEffectWithWords(e *shell.Effect, words string) {
	with := *e
	with.Words = words
	r.addEffect(with)
}

// truncateScript returns the first maxCode bytes of s. It adds an effect if s is longer.
func (r *reader) truncateScript(s string) string {
	if len(s) <= maxCode {
		return s
	}
	r.out.addEffect(shell.LimitEffect("", "contains a script too long to be checked"))
	return s[:maxCode]
}

// addUnresolvedEffect adds the effect of running code that depends on values which are not known.
func (r *reader) addUnresolvedEffect(reason, words string) {
	r.addEffect(shell.OpaqueEffect(facts.ShortFirstLine(words), reason))
}

// addUnreadEffect adds the effect of running code that was not read.
func (r *reader) addUnreadEffect(reason, words string) {
	r.addEffect(shell.UnreadEffect(facts.ShortFirstLine(words), reason))
}

// finish adds the effects that depend on all of the code, and returns the results of [Effects]. If
// there are none, it adds a safe effect, so known is always true.
func (o *result) finish(c *shell.Call) (effects []shell.Effect, nested []string, known bool) {
	if o.forks && o.endless {
		o.addEffect(shell.Effect{Label: shell.Destructive, Kind: "exhaust", Category: shell.ProcBomb, Impact: shell.ImpactHigh, Words: o.forkAs,
			Reason: "starts processes endlessly until the machine hangs"})
	}
	if o.socket && (o.dup || o.shell) {
		o.addEffect(shell.Effect{Label: shell.Exfiltration, Kind: "connect", Category: shell.RemoteShell, Impact: shell.ImpactHigh, Words: c.Name,
			Reason: "gives another machine a shell on this one"})
	}
	o.addConnectionEffect()
	for i := range o.sends {
		o.addSendEffect(&o.sends[i])
	}
	if len(o.effects) == 0 {
		reason := "runs code that only computes, reads and prints"
		if len(o.nested) > 0 {
			reason = "runs code whose commands are each checked separately"
		}
		o.effects = append(o.effects, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.RunCode, Impact: shell.ImpactLow, Words: c.Name, Reason: reason})
	}
	return o.effects, o.nested, true
}

// recordSecretOwner records the service that the secret variable name belongs to.
func (o *result) recordSecretOwner(name string) {
	owner := facts.SecretOwner(name)
	if owner == "" || o.owner != "" && o.owner != owner {
		owner = "?"
	}
	o.owner = owner
}

// addSendEffect adds the effect of s, unless s goes to this machine or sends nothing of interest.
func (o *result) addSendEffect(s *send) {
	t := s.taint
	if !s.direct {
		t |= o.seen &^ fromSetting
	}
	host := facts.HostOf(s.url)
	if host.IsLocal() {
		return
	}
	e := shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: shell.ExfilFile, Impact: shell.ImpactMedium, Words: s.words}
	if host.Name != "" {
		e.Hosts = []string{host.Name}
	}
	switch {
	case t&(fromSecret|fromEnv) != 0 || t&fromSetting != 0 && !facts.BelongsTo(o.owner, host.Name) || t&fromLogin != 0 && host.HidesOwner():
		e.Category, e.Impact, e.Reason = shell.ExfilSecret, shell.ImpactHigh, "sends secrets off the machine"
	case t&(fromFile|fromInput|fromCommand) != 0:
		e.Reason = "sends files or command output off the machine"
	case s.upload:
		e.Reason = "sends a file off the machine"
	case s.direct:
		return
	default:
		e.Label, e.Category, e.Impact = shell.Unknown, shell.NetWrite, shell.ImpactLow
		e.Reason = "sends data to another machine"
	}
	o.addEffect(e)
}
