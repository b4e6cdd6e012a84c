package doctor

import (
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/kit"
)

// Installed says what is wrong with the hosts that call checkrein. Reports are
// what status knows of them, by the same order as hosts.
func (r *Report) Installed(reports []install.Report, find func(name string) (*wire.Host, bool)) {
	for i := range reports {
		rep := &reports[i]
		switch h, ok := find(rep.Host); {
		case !ok:
		case len(rep.Installed) > 0 || !rep.Works():
			r.host(rep, h)
		case rep.Present:
			r.Find("host-not-installed", Finding{What: rep.Title + " is on this machine, but does not call checkrein", Remedy: "checkrein install " + rep.Host})
		}
	}
}

func (r *Report) host(rep *install.Report, h *wire.Host) {
	say := func(id string, l Level, what, remedy string) {
		r.Find(id, Finding{Level: l, What: rep.Title + ": " + what, Remedy: remedy})
	}
	for _, g := range rep.Gone {
		say("wiring-gone", Usual, g, "checkrein install "+rep.Host)
	}
	for _, f := range rep.Foreign {
		say("foreign-hooks", Usual, f, "")
	}
	for _, p := range rep.Problems {
		if rep.Enabled == nil || p != rep.Enabled.Why {
			say("host-broken", Usual, p, "checkrein install "+rep.Host)
		}
	}
	if rep.Enabled != nil && rep.Enabled.State == install.No {
		say("host-disabled", Usual, rep.Enabled.Why, "")
	}
	if rep.Trusted != nil && (rep.Trusted.State == install.No || rep.Trusted.State == install.NotYet) {
		say("host-untrusted", Usual, rep.Trusted.Why, "")
	}
	for _, site := range rep.Installed {
		if len(site.Gates) > 0 {
			say("gate-not-wired", Usual, and(site.Gates)+" is not connected to checkrein, so nothing is refused there", "checkrein install "+rep.Host)
		}
		for _, n := range site.Elsewhere {
			say("host-elsewhere", Usual, n, "checkrein install "+rep.Host)
		}
		for _, n := range site.Notes {
			id, level := "host-drift", Usual
			if event, _, ok := strings.Cut(n, " does not always call checkrein"); ok && gate(h, event) {
				id, level = "gate-not-wired", Error
			}
			say(id, level, n, "checkrein install "+rep.Host)
		}
	}
	for _, n := range rep.Notes {
		say("host-note", Usual, n, "")
	}
	r.proof(rep)
	if s := rep.Silent; s != nil {
		level := Warn
		if s.Now {
			level = Error
		}
		say("host-silent", level, s.Says(), s.Remedy(rep))
	}
	if e := rep.Ended; e != nil {
		say("host-ended", Usual, e.Says(), e.Remedy(rep.Host))
	}
	if u := rep.Unstarted; u != nil {
		say("host-unstarted", Usual, u.Says(), u.Remedy(rep.Host))
	}
	if u := rep.Unread; u != nil {
		say("transcripts-unread", Usual, u.Says(), u.Remedy())
	}
	switch {
	case len(rep.Installed) == 0, rep.Silent != nil && rep.Silent.Now:
	case rep.Seen.Why != "":
		say("host-unseen", Usual, "checkrein cannot tell whether its events arrive: "+rep.Seen.Why, "checkrein status "+rep.Host)
	case rep.Seen.Count == 0:
		say("host-unseen", Usual, "no event from it has ever arrived", "")
	}
}

// proof says what is wrong with what was proven of a host.
func (r *Report) proof(rep *install.Report) {
	p := &rep.Proven
	for i := range p.Not {
		level := Warn
		if p.Not[i].Gate {
			level = Error
		}
		r.Find("not-honoured", Finding{Level: level, What: p.Not[i].Says(rep.Title, p.Version)})
	}
	if p.Stale {
		r.Find("proof-stale", Finding{What: rep.Title + ": " + p.Why, Remedy: "checkrein prove " + rep.Host})
	}
	if p.Lost != "" {
		r.Find("proof-lost", Finding{What: p.Lost, Remedy: "checkrein prove " + rep.Host})
	}
	if p.Broken != "" {
		r.Find("proof-broken", Finding{What: p.Broken, Remedy: "checkrein prove " + rep.Host})
	}
}

// Program compares a host's program with the one that was proven, by its content, and
// says who else may replace it. It takes time: the program is read.
func (r *Report) Program(rep *install.Report, path string, replaceable string) {
	if replaceable != "" {
		r.Find("program-replaceable", Finding{What: rep.Title + ": " + replaceable, Remedy: "take the right away (chmod go-w), or install it where only you and root may write"})
	}
	p := &rep.Proven
	if p.State != install.Yes || p.SHA256 == "" {
		return
	}
	now, err := capability.Hash(path)
	if err != nil {
		r.Find("host-note", Finding{What: "checkrein cannot tell whether " + rep.Title + " is the program that was proven: " + err.Error()})
	} else if now.SHA256 != p.SHA256 {
		r.Find("program-swapped", Finding{What: fmt.Sprintf("%s: %s has the size and time of the program that was proven, and other content: its SHA-256 is %.12s…, not %.12s…", rep.Title, path, now.SHA256, p.SHA256),
			Remedy: "find out who changed it, install it anew, then run checkrein prove " + rep.Host})
	}
}

// gate reports whether something can be refused on a host's event.
func gate(h *wire.Host, native string) bool {
	e := h.EventNamed(native)
	return e != nil && e.Gates()
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
		r.Find("companion-missing", Finding{What: fmt.Sprintf("%s: %v", front.Path, front.Err)})
	case front.Build != build:
		r.Find("other-build", Finding{What: fmt.Sprintf("checkrein is build %q, but checkreind is build %q", front.Build, build)})
	}
	if inPath != "" && inPath != front.Path {
		r.Find("other-in-path", Finding{What: fmt.Sprintf("the first checkrein in PATH is %s, but this one is %s", inPath, front.Path)})
	}
}

// Changeable adds a finding for a file or folder through which an agent that runs as the
// person may replace the programs; "" = there is none.
func (r *Report) Changeable(path, remedy string) {
	if path != "" {
		r.Find("programs-writable", Finding{What: fmt.Sprintf("an agent that runs as you may write to %s, where checkrein's programs lie, so only checkrein itself keeps it from replacing them", path), Remedy: remedy})
	}
}

// Models looks at the program that calls models of providers. Without anything that
// needs it, it may be missing.
func (r *Report) Models(build string, p Program, uses []kit.ModelUse) {
	switch {
	case p.Err != nil && len(uses) > 0:
		more := ""
		if n := len(uses) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		r.Find("models-missing", Finding{Origin: uses[0].From, What: fmt.Sprintf("%s uses %s%s, but %s %v", uses[0].Who, uses[0].Model, more, p.Path, p.Err)})
	case p.Err == nil && p.Build != build:
		level := Warn
		if len(uses) > 0 {
			level = Error
		}
		r.Find("models-other-build", Finding{Level: level, What: fmt.Sprintf("%s is build %q, but checkreind is build %q", p.Path, p.Build, build)})
	}
}

// Ignored tells of variables that lead calls of models elsewhere, which hooks pass by.
func (r *Report) Ignored(names []string, uses []kit.ModelUse) {
	if len(names) > 0 && len(uses) > 0 {
		r.Find("models-variables", Finding{Origin: uses[0].From, What: IgnoredText(names)})
	}
}

// IgnoredText says which variables hooks that ask a model pass by.
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
		r.Find(id, Finding{Origin: fmt.Sprintf("%s:%d", p.File, p.Line), What: p.Host + ": " + p.What})
	}
}
