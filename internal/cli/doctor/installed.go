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

// AddHosts adds findings about the hosts that call checkrein, and about those on this machine that do
// not.
func (r *Report) AddHosts(reports []install.Report, find func(name string) (*wire.Host, bool)) {
	for i := range reports {
		rep := &reports[i]
		switch h, ok := find(rep.Host); {
		case !ok:
		case len(rep.Installed) > 0 || !rep.Works():
			r.AddHost(rep, h, rep.Title+": ")
			r.addArrivals(rep)
		case rep.Present:
			r.Add("host-not-installed", Finding{Message: message.New(rep.Title+" is on this machine, but does not call checkrein", message.Run("checkrein install "+rep.Host, ""))})
		}
	}
}

// AddHost adds the findings that rep holds about a host. Each message begins with prefix.
func (r *Report) AddHost(rep *install.Report, h *wire.Host, prefix string) {
	find := func(id string, l Level, m message.Message) {
		m.What = prefix + m.What
		r.Add(id, Finding{Level: l, Message: m})
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
			find("gate-not-wired", Usual, message.New(joinAnd(site.Gates)+" is not connected to checkrein, so nothing is refused there", message.Run(fmt.Sprintf("checkrein install %s --scope %s", rep.Host, site.Scope), "")))
		}
		for _, m := range site.Elsewhere {
			reinstall("host-elsewhere", Usual, m)
		}
		for _, n := range site.Notes {
			if n.Missing && len(site.Gates) > 0 {
				continue // reported with the gates
			}
			id, level := "host-drift", Usual
			if isGate(h, n.Narrowed) {
				id, level = "gate-not-wired", Error
			}
			reinstall(id, level, n.Message)
		}
	}
	for _, m := range rep.Notes {
		find("host-note", Usual, m)
	}
	r.addProofProblems(rep)
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

// addArrivals adds a finding if no event of an installed host has ever arrived, or if that is unknown.
func (r *Report) addArrivals(rep *install.Report) {
	switch {
	case len(rep.Installed) == 0, rep.Silent != nil && rep.Silent.Now:
	case rep.Seen.Why != "":
		r.Add("host-unseen", Finding{Message: message.New(rep.Title+": checkrein cannot tell whether its events arrive: "+rep.Seen.Why, message.Run("checkrein status "+rep.Host, ""))})
	case rep.Seen.Count == 0:
		r.Add("host-unseen", Finding{Message: message.New(rep.Title + ": no event from it has ever arrived")})
	}
}

// addProofProblems adds findings about what was proven about a host.
func (r *Report) addProofProblems(rep *install.Report) {
	p := &rep.Proven
	prove := message.Run("checkrein prove "+rep.Host, "")
	for i := range p.Unhonoured {
		level := Warn
		if p.Unhonoured[i].Gate {
			level = Error
		}
		r.Add("not-honoured", Finding{Level: level, Message: message.New(p.Unhonoured[i].Sentence(rep.Title, p.Version))})
	}
	if p.Stale {
		r.Add("proof-stale", Finding{Message: message.New(rep.Title+": "+p.Why, prove)})
	}
	if p.Lost != nil {
		r.Add("proof-lost", Finding{Message: *p.Lost})
	}
	if p.Broken != nil {
		r.Add("proof-broken", Finding{Message: p.Broken.With(prove)})
	}
}

// AddHostProgram compares the host's program at path with the one that was proven. It also adds a
// finding if replaceable, which says who else may replace the program, is not "". It is slow, since it
// reads the whole program.
func (r *Report) AddHostProgram(rep *install.Report, path string, replaceable string) {
	if replaceable != "" {
		r.Add("program-replaceable", Finding{Message: message.New(rep.Title+": "+replaceable, message.Do("remove the permission (chmod go-w), or install it where only you and root may write"))})
	}
	p := &rep.Proven
	if p.State != install.Yes || p.SHA256 == "" {
		return
	}
	now, err := capability.HashProgram(path)
	if err != nil {
		r.Add("host-note", Finding{Message: message.New("checkrein cannot tell whether " + rep.Title + " is the program that was proven: " + err.Error())})
	} else if now.SHA256 != p.SHA256 {
		r.Add("program-swapped", Finding{Message: message.New(fmt.Sprintf("%s: %s has the size and time of the program that was proven, but different content: its SHA-256 is %.12s…, not %.12s…", rep.Title, path, now.SHA256, p.SHA256), message.Do("find out who changed it, and install it again"), message.Run("checkrein prove "+rep.Host, message.Then))})
	}
}

// isGate reports whether h has an event called native on which calls can be refused.
func isGate(h *wire.Host, native string) bool {
	e := h.FindEvent(native)
	return e != nil && e.IsGate()
}

// InstalledHosts returns the hosts that call checkrein according to reports, with the events on which
// they do. find returns the host with a name.
func InstalledHosts(reports []install.Report, find func(name string) (*wire.Host, bool)) []Host {
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

// A Program is one of checkrein's programs, with the version that it prints.
type Program struct {
	Path  string
	Build string // "" = the program is missing or prints no version
	Err   error
}

// AddVersions compares build, the version of checkreind, with that of checkrein, and the path of
// checkrein with inPath, the first checkrein in PATH. inPath is "" if there is none.
func (r *Report) AddVersions(build string, front Program, inPath string) {
	switch {
	case front.Err != nil:
		r.Add("companion-missing", Finding{Message: message.New(fmt.Sprintf("%s: %v", front.Path, front.Err))})
	case front.Build != build:
		r.Add("other-build", Finding{Message: message.New(fmt.Sprintf("checkrein is build %q, but checkreind is build %q", front.Build, build))})
	}
	if inPath != "" && inPath != front.Path {
		r.Add("other-in-path", Finding{Message: message.New(fmt.Sprintf("the first checkrein in PATH is %s, but this one is %s", inPath, front.Path))})
	}
}

// AddWritable adds a finding about path, a file or directory through which an agent that runs as the
// user could replace the programs. It adds none if path is "".
func (r *Report) AddWritable(path string, remedies ...message.Remedy) {
	if path != "" {
		r.Add("programs-writable", Finding{Message: message.New(fmt.Sprintf("an agent that runs as you can write to %s, the location of checkrein's programs, so only checkrein itself keeps it from replacing them", path), remedies...)})
	}
}

// AddModels checks that p, the program that calls models, exists and has the version build. It may be
// missing if nothing uses it.
func (r *Report) AddModels(build string, p Program, uses []app.ModelUse) {
	switch {
	case p.Err != nil && len(uses) > 0:
		more := ""
		if n := len(uses) - 1; n > 0 {
			more = fmt.Sprintf(" (and %d more)", n)
		}
		r.Add("models-missing", Finding{Origin: uses[0].From, Message: message.New(fmt.Sprintf("%s uses %s%s, but %s %v", uses[0].Who, uses[0].Model, more, p.Path, p.Err))})
	case p.Err == nil && p.Build != build:
		level := Warn
		if len(uses) > 0 {
			level = Error
		}
		r.Add("models-other-build", Finding{Level: level, Message: message.New(fmt.Sprintf("%s is build %q, but checkreind is build %q", p.Path, p.Build, build))})
	}
}

// AddIgnoredVariables adds a finding about the environment variables names, which set how models are
// reached but are ignored, if anything uses a model.
func (r *Report) AddIgnoredVariables(names []string, uses []app.ModelUse) {
	if len(names) > 0 && len(uses) > 0 {
		r.Add("models-variables", Finding{Origin: uses[0].From, Message: message.New(IgnoredText(names))})
	}
}

// IgnoredText returns a sentence about environment variables that are set but ignored by hooks that
// ask a model.
func IgnoredText(names []string) string {
	is := "is"
	if len(names) > 1 {
		is = "are"
	}
	return fmt.Sprintf("%s %s set, but hooks that ask a model ignore that, since a project could set it", strings.Join(names, ", "), is)
}

// A PluginMistake is a mistake in a host's plugin other than checkrein's own.
type PluginMistake struct {
	Host  string
	File  string
	Line  int
	Async bool // a handler returns a promise that is not awaited; otherwise, a value is incomplete
	What  string
}

// AddPlugins adds a finding for each mistake in list.
func (r *Report) AddPlugins(list []PluginMistake) {
	for _, p := range list {
		id := "plugin-shape"
		if p.Async {
			id = "plugin-async"
		}
		r.Add(id, Finding{Origin: fmt.Sprintf("%s:%d", p.File, p.Line), Message: message.New(p.Host + ": " + p.What)})
	}
}
