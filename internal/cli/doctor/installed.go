package doctor

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/message"
)

// Installed reports what is wrong with the hosts that call checkrein. Reports are
// what status knows of them, by the same order as hosts.
func (r *Report) Installed(reports []install.Report, find func(name string) (*wire.Host, bool)) {
	for i := range reports {
		rep := &reports[i]
		switch h, ok := find(rep.Host); {
		case !ok:
		case len(rep.Installed) > 0 || !rep.Works():
			r.Host(rep, h, rep.Title+": ")
			r.arrivals(rep)
		case rep.Present:
			r.Find("host-not-installed", Finding{Message: message.New(rep.Title+" is on this machine, but does not call checkrein", message.Run("checkrein install "+rep.Host, ""))})
		}
	}
}

// Host adds what is wrong with a host, as far as its report has it, behind a prefix.
func (r *Report) Host(rep *install.Report, h *wire.Host, prefix string) {
	find := func(id string, l Level, m message.Message) {
		m.What = prefix + m.What
		r.Find(id, Finding{Level: l, Message: m})
	}
	again := message.Run("checkrein install "+rep.Host, "")
	reinstall := func(id string, l Level, m message.Message) {
		if len(m.Remedies) == 0 {
			m = m.With(again)
		}
		find(id, l, m)
	}
	for _, m := range rep.Gone {
		reinstall("wiring-gone", Usual, m)
	}
	for _, m := range rep.Foreign {
		find("foreign-hooks", Usual, m)
	}
	for _, m := range rep.Problems {
		if rep.Enabled == nil || m.What != rep.Enabled.Why {
			reinstall("host-broken", Usual, m)
		}
	}
	if rep.Enabled != nil && rep.Enabled.State == install.No {
		find("host-disabled", Usual, rep.Enabled.Message())
	}
	if rep.Trusted != nil && (rep.Trusted.State == install.No || rep.Trusted.State == install.NotYet) {
		find("host-untrusted", Usual, rep.Trusted.Message())
	}
	for _, site := range rep.Installed {
		if len(site.Gates) > 0 {
			find("gate-not-wired", Usual, message.New(and(site.Gates)+" is not connected to checkrein, so nothing is refused there", message.Run(fmt.Sprintf("checkrein install %s --scope %s", rep.Host, site.Scope), "")))
		}
		for _, m := range site.Elsewhere {
			reinstall("host-elsewhere", Usual, m)
		}
		for _, n := range site.Notes {
			if n.Missing && len(site.Gates) > 0 {
				continue // which the gates say
			}
			id, level := "host-drift", Usual
			if gate(h, n.Narrowed) {
				id, level = "gate-not-wired", Error
			}
			reinstall(id, level, n.Message)
		}
	}
	for _, m := range rep.Notes {
		find("host-note", Usual, m)
	}
	r.proof(rep)
	if s := rep.Silent; s != nil {
		level := Warn
		if s.Now {
			level = Error
		}
		find("host-silent", level, s.Message(rep))
	}
	if e := rep.Ended; e != nil {
		find("host-ended", Usual, e.Message(rep.Host))
	}
	if u := rep.Unstarted; u != nil {
		find("host-unstarted", Usual, u.Message(rep.Host))
	}
	if u := rep.Unread; u != nil {
		find("transcripts-unread", Usual, u.Message())
	}
}

// arrivals adds a finding if no event of a host arrived.
func (r *Report) arrivals(rep *install.Report) {
	switch {
	case len(rep.Installed) == 0, rep.Silent != nil && rep.Silent.Now:
	case rep.Seen.Why != "":
		r.Find("host-unseen", Finding{Message: message.New(rep.Title+": checkrein cannot tell whether its events arrive: "+rep.Seen.Why, message.Run("checkrein status "+rep.Host, ""))})
	case rep.Seen.Count == 0:
		r.Find("host-unseen", Finding{Message: message.New(rep.Title + ": no event from it has ever arrived")})
	}
}

// proof reports what is wrong with what was proven of a host.
func (r *Report) proof(rep *install.Report) {
	p := &rep.Proven
	prove := message.Run("checkrein prove "+rep.Host, "")
	for i := range p.Unhonoured {
		level := Warn
		if p.Unhonoured[i].Gate {
			level = Error
		}
		r.Find("not-honoured", Finding{Level: level, Message: message.New(p.Unhonoured[i].Sentence(rep.Title, p.Version))})
	}
	if p.Stale {
		r.Find("proof-stale", Finding{Message: message.New(rep.Title+": "+p.Why, prove)})
	}
	if p.Lost != nil {
		r.Find("proof-lost", Finding{Message: *p.Lost})
	}
	if p.Broken != nil {
		r.Find("proof-broken", Finding{Message: p.Broken.With(prove)})
	}
}

// Program compares a host's program with the one that was proven, by its content, and
// says who else may replace it. It takes time: the program is read.
func (r *Report) Program(rep *install.Report, path string, replaceable string) {
	if replaceable != "" {
		r.Find("program-replaceable", Finding{Message: message.New(rep.Title+": "+replaceable, message.Do("take the right away (chmod go-w), or install it where only you and root may write"))})
	}
	p := &rep.Proven
	if p.State != install.Yes || p.SHA256 == "" {
		return
	}
	now, err := capability.HashProgram(path)
	if err != nil {
		r.Find("host-note", Finding{Message: message.New("checkrein cannot tell whether " + rep.Title + " is the program that was proven: " + err.Error())})
	} else if now.SHA256 != p.SHA256 {
		r.Find("program-swapped", Finding{Message: message.New(fmt.Sprintf("%s: %s has the size and time of the program that was proven, and other content: its SHA-256 is %.12s…, not %.12s…", rep.Title, path, now.SHA256, p.SHA256), message.Do("find out who changed it, and install it anew"), message.Run("checkrein prove "+rep.Host, message.Then))})
	}
}

// gate reports whether something can be refused on a host's event.
func gate(h *wire.Host, native string) bool {
	e := h.FindEvent(native)
	return e != nil && e.IsGate()
}

// HostsOf are the hosts that call checkrein, with the events on which they do.
func HostsOf(reports []install.Report, find func(name string) (*wire.Host, bool)) []Host {
	var out []Host
	for i := range reports {
		h, ok := find(reports[i].Host)
		if !ok || len(reports[i].Installed) == 0 {
			continue
		}
		on := Host{Host: h}
		for _, site := range reports[i].Installed {
			on.Wired = append(on.Wired, site.Events...)
		}
		out = append(out, on)
	}
	return out
}

// A Program is one of the two, as it introduces itself.
type Program struct {
	Path  string
	Build string // "" = it is not there, or does not say
	Err   error
}

// Versions compares the two programs, and what PATH leads to; "" = to none.
func (r *Report) Versions(build string, front Program, inPath string) {
	switch {
	case front.Err != nil:
		r.Find("companion-missing", Finding{Message: message.New(fmt.Sprintf("%s: %v", front.Path, front.Err))})
	case front.Build != build:
		r.Find("other-build", Finding{Message: message.New(fmt.Sprintf("checkrein is build %q, but checkreind is build %q", front.Build, build))})
	}
	if inPath != "" && inPath != front.Path {
		r.Find("other-in-path", Finding{Message: message.New(fmt.Sprintf("the first checkrein in PATH is %s, but this one is %s", inPath, front.Path))})
	}
}

// Changeable adds a finding for a file or folder through which an agent that runs as the
// person may replace the programs; "" = there is none.
func (r *Report) Changeable(path string, remedies ...message.Remedy) {
	if path != "" {
		r.Find("programs-writable", Finding{Message: message.New(fmt.Sprintf("an agent that runs as you may write to %s, where checkrein's programs lie, so only checkrein itself keeps it from replacing them", path), remedies...)})
	}
}

// Models looks at the program that calls models of providers. Without anything that
// needs it, it may be missing.
func (r *Report) Models(build string, p Program, uses []app.ModelUse) {
	switch {
	case p.Err != nil && len(uses) > 0:
		more := ""
		if n := len(uses) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		r.Find("models-missing", Finding{Origin: uses[0].From, Message: message.New(fmt.Sprintf("%s uses %s%s, but %s %v", uses[0].Who, uses[0].Model, more, p.Path, p.Err))})
	case p.Err == nil && p.Build != build:
		level := Warn
		if len(uses) > 0 {
			level = Error
		}
		r.Find("models-other-build", Finding{Level: level, Message: message.New(fmt.Sprintf("%s is build %q, but checkreind is build %q", p.Path, p.Build, build))})
	}
}

// Ignored reports variables that lead calls of models elsewhere, which hooks pass by.
func (r *Report) Ignored(names []string, uses []app.ModelUse) {
	if len(names) > 0 && len(uses) > 0 {
		r.Find("models-variables", Finding{Origin: uses[0].From, Message: message.New(IgnoredText(names))})
	}
}

// IgnoredText returns which variables hooks that ask a model pass by.
func IgnoredText(names []string) string {
	is := "is"
	if len(names) > 1 {
		is = "are"
	}
	return fmt.Sprintf("%s %s set, but hooks that ask a model ignore that, since a project could set it", strings.Join(names, ", "), is)
}

// A Plugin is a mistake in a plugin of somebody else inside a host.
type Plugin struct {
	Host  string
	File  string
	Line  int
	Async bool // a promise where none is waited for; else a shape that is incomplete
	What  string
}

// Plugins adds what is wrong with plugins.
func (r *Report) Plugins(list []Plugin) {
	for _, p := range list {
		id := "plugin-shape"
		if p.Async {
			id = "plugin-async"
		}
		r.Find(id, Finding{Origin: fmt.Sprintf("%s:%d", p.File, p.Line), Message: message.New(p.Host + ": " + p.What)})
	}
}
