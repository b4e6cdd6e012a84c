package code

import (
	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A result gathers what code does.
type result struct {
	effects []shell.Effect
	nested  []string
	sends   []send
	held    []held   // functions that are mentioned
	reached []string // functions that were called by another name
	names   []string // of the loop that was read last
	seen    taint    // what the code reads anywhere
	steps   int
	defs    int
	size    int // of all nested commands
	endless bool
	spent   bool
	forks   bool
	socket  bool
	remote  bool  // a connection goes to another machine
	logs    bool  // what is logged goes to a connection
	wrote   bool  // something is written to a connection
	headers taint // what every request of a client takes along
	written taint // what is written, to a connection or to what may be one
	dup     bool
	shell   bool   // it starts a shell, or what the network says
	memory  bool   // its database lives in memory
	console bool   // the code runs within an application
	peer    string // the one machine that it goes to, if it is known
	owner   string // of the secret variables that it reads; "?" = there are several, or it is not known
	forkAs  string
	sentAs  string
}

// A send is a thing that goes out to the network.
type send struct {
	url    string
	words  string
	taint  taint
	direct bool // only what is part of the request counts
	mail   bool
	upload bool
}

// Bounds of what is reported.
const (
	maxEffects = 64
	maxNested  = 64
	maxSize    = 128 << 10
)

func (o *result) add(e shell.Effect) {
	for i := range o.effects {
		if h := &o.effects[i]; h.Label == e.Label && h.Category == e.Category && h.Reason == e.Reason && h.Radius == e.Radius {
			return
		}
	}
	if len(o.effects) >= maxEffects {
		if e.Label != shell.Safe {
			o.effects[maxEffects-1] = shell.Exceeds("", "runs code that does more than checkrein can check")
		}
		return
	}
	o.effects = append(o.effects, e)
}

// runs adds a shell command that does what the code does.
func (r *reader) runs(cmd string) {
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
		o.add(shell.Exceeds("", "runs code with more commands than checkrein can check"))
		return
	}
	o.size += len(cmd)
	o.nested = append(o.nested, cmd)
}

func (r *reader) note(e shell.Effect) {
	if r.quiet == 0 {
		r.out.add(e)
	}
}

// does notes an effect of the table, with the words that have it.
func (r *reader) does(e *shell.Effect, words string) {
	with := *e
	with.Words = words
	r.note(with)
}

// whole is a text that is read, up to the limit.
func (r *reader) whole(s string) string {
	if len(s) <= maxCode {
		return s
	}
	r.out.add(shell.Exceeds("", "contains a script too long to be checked"))
	return s[:maxCode]
}

// unresolved adds that the code evaluates what cannot be known.
func (r *reader) unresolved(reason, words string) {
	r.note(shell.Evaluates(facts.Short(words), reason))
}

// unread adds that the code runs what was not read.
func (r *reader) unread(reason, words string) { r.note(shell.Unreads(facts.Short(words), reason)) }

// finish draws the conclusions that need all of the code.
func (o *result) finish(c *shell.Call) (effects []shell.Effect, nested []string, known bool) {
	if o.forks && o.endless {
		o.add(shell.Effect{Label: shell.Destructive, Kind: "exhaust", Category: shell.ProcBomb, Radius: shell.RadiusHigh, Words: o.forkAs,
			Reason: "starts processes endlessly until the machine hangs"})
	}
	if o.socket && (o.dup || o.shell) {
		o.add(shell.Effect{Label: shell.Exfiltration, Kind: "connect", Category: shell.RemoteShell, Radius: shell.RadiusHigh, Words: c.Name,
			Reason: "gives another machine a shell on this one"})
	}
	o.addConnectionEffect()
	for i := range o.sends {
		o.judge(&o.sends[i])
	}
	if len(o.effects) == 0 {
		reason := "runs code that only computes, reads and prints"
		if len(o.nested) > 0 {
			reason = "runs code whose commands are each checked separately"
		}
		o.effects = append(o.effects, shell.Effect{Label: shell.Safe, Kind: "run", Category: shell.RunCode, Radius: shell.RadiusLow, Words: c.Name, Reason: reason})
	}
	return o.effects, o.nested, true
}

// owned notes whose a secret variable is that the code reads.
func (o *result) owned(name string) {
	owner := facts.Owner(name)
	if owner == "" || o.owner != "" && o.owner != owner {
		owner = "?"
	}
	o.owner = owner
}

// judge returns what a send takes off the machine.
func (o *result) judge(s *send) {
	t := s.taint
	if !s.direct {
		t |= o.seen &^ fromSetting
	}
	host := facts.HostOf(s.url)
	if host.Local() {
		return
	}
	e := shell.Effect{Label: shell.Exfiltration, Kind: "upload", Category: shell.ExfilFile, Radius: shell.RadiusMedium, Words: s.words}
	if host.Name != "" {
		e.Hosts = []string{host.Name}
	}
	switch {
	case t&(fromSecret|fromEnv) != 0 || t&fromSetting != 0 && !facts.Belongs(o.owner, host.Name) || t&fromLogin != 0 && host.Drop():
		e.Category, e.Radius, e.Reason = shell.ExfilSecret, shell.RadiusHigh, "sends secrets off the machine"
	case t&(fromFile|fromInput|fromCommand) != 0:
		e.Reason = "sends files or command output off the machine"
	case s.upload:
		e.Reason = "sends a file off the machine"
	case s.direct:
		return
	default:
		e.Label, e.Category, e.Radius = shell.Unknown, shell.NetWrite, shell.RadiusLow
		e.Reason = "sends data to another machine"
	}
	o.add(e)
}
