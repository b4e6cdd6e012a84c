package health

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/canary"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// An evidence is what is known about an agent and its hooks.
type evidence struct {
	Host      string        `json:"host"`                // or checkrein, for the hooks in its files
	Installed bool          `json:"installed,omitempty"` // checkrein is installed in it
	Proved    *time.Time    `json:"proved,omitempty"`    // when the installed build was proved
	Stale     bool          `json:"stale,omitempty"`     // another build was proved
	Misses    *misses.Count `json:"misses,omitempty"`    // of the last day; nil = not compared
	Partly    bool          `json:"partly,omitempty"`    // only the newest transcripts were compared
	Canary    *time.Time    `json:"canary,omitempty"`    // when its hooks and checkrein's guards were last tried, the oldest
	// Hooks lists the hooks that do not work, and those that were never tried, which have no verdict.
	Hooks []canary.Standing `json:"hooks,omitempty"`
}

// collectEvidence returns the evidence about installed hosts, and about other owners of hooks that need
// attention.
func collectEvidence(ctx context.Context, env *console.Env, k *app.Kit, hosts []install.Report) []evidence {
	var out []evidence
	for i := range hosts {
		if h := &hosts[i]; len(h.Installed) > 0 {
			e := evidence{Host: h.Host, Installed: true, Stale: h.Proven.Stale}
			if h.Proven.State == install.Yes {
				e.Proved = h.Proven.Time
			}
			out = append(out, e)
		}
	}
	countMisses(ctx, env, out)
	guards, rest := canary.Standings(env, k)
	for i := range out {
		out[i].Canary = guards.Time
	}
	for _, s := range rest {
		i := slices.IndexFunc(out, func(e evidence) bool { return e.Host == s.Host })
		if i < 0 {
			i = len(out)
			out = append(out, evidence{Host: s.Host, Canary: guards.Time})
		}
		out[i].addHook(s)
	}
	return slices.DeleteFunc(out, func(e evidence) bool { return !e.Installed && !e.needsAttention() })
}

// countMisses sets the misses of the last day for the agents whose transcripts can be read.
func countMisses(ctx context.Context, env *console.Env, list []evidence) {
	var names []string
	for i := range list {
		names = append(names, list[i].Host)
	}
	if len(names) == 0 {
		return
	}
	var left []transcript.File
	r, err := compareTranscripts(ctx, env, missesOptions{hosts: names, since: env.Now().Add(-doctorMissesAge), choose: func(all []transcript.File, since time.Time) []transcript.File {
		all, left = newestFiles(all, since, maxDoctorTranscripts)
		return all
	}})
	if err != nil || r == nil {
		return // doctor reports it
	}
	for i := range list {
		at := slices.IndexFunc(r.Sources, func(n misses.Count) bool { return n.Host == list[i].Host })
		switch {
		case at >= 0:
			list[i].Misses = &r.Sources[at]
		case slices.Contains(setups.Transcripts().Hosts(), list[i].Host):
			list[i].Misses = &misses.Count{Host: list[i].Host}
		}
		list[i].Partly = slices.ContainsFunc(left, func(f transcript.File) bool { return f.Host == list[i].Host })
	}
}

// addHook adds what is known about a hook.
func (e *evidence) addHook(s canary.Standing) {
	if s.Time != nil && (e.Canary == nil || s.Time.Before(*e.Canary)) {
		e.Canary = s.Time
	}
	if !s.Works() {
		e.Hooks = append(e.Hooks, s)
	}
}

// needsAttention reports whether the build is not proved although an earlier one was, calls were missed,
// or a hook that was tried, or that is new since then, may not work.
func (e *evidence) needsAttention() bool {
	return e.Stale || e.Misses != nil && e.Misses.Failed > 0 || e.Canary != nil && len(e.Hooks) > 0
}

// addBelow adds the evidence under the last row of t, which is about its agent.
func (e *evidence) addBelow(s *report.Report, t *term.Table) {
	m := e.message(s)
	switch {
	case e.needsAttention():
		s.AddMessageBelow(t, term.Warn, e.Host, m)
	case len(m.Remedies) > 0:
		s.AddMessageBelow(t, term.Plain, e.Host, m)
	default:
		t.AddBelow(term.T(term.Faint, m.What))
	}
}

// message returns the evidence as one line, such as "proved 2 h ago, 0 misses in 24 h, canary 1 h ago".
func (e *evidence) message(s *report.Report) message.Message {
	var parts []string
	var remedies []message.Remedy
	switch {
	case !e.Installed:
	case e.Proved != nil:
		parts = append(parts, "proved "+s.Ago(*e.Proved))
	case e.Stale:
		parts = append(parts, "this build is not proved")
		remedies = append(remedies, message.Run("checkrein prove "+e.Host, ""))
	default:
		parts = append(parts, "not proved")
	}
	if m := e.Misses; m != nil {
		text := "0 misses in 24 h"
		switch {
		case m.Failed > 0:
			text = term.FormatCount(m.Failed, "miss") + " in 24 h"
		case m.Calls == 0:
			text = "no calls in 24 h"
		}
		if e.Partly {
			text += " (newest transcripts)"
		}
		if parts = append(parts, text); m.Failed > 0 {
			remedies = append(remedies, missesRemedy)
		}
	}
	if e.Canary == nil {
		parts = append(parts, "no canary")
	} else {
		parts = append(parts, "canary "+s.Ago(*e.Canary))
	}
	line := strings.Join(parts, ", ")
	for i := range e.Hooks {
		if h := &e.Hooks[i]; h.Verdict != "" {
			line += fmt.Sprintf("; %s: %s", visible.EscapeLine(h.Hook), h.Verdict)
		}
	}
	if untried := e.untriedHooks(); len(untried) > 0 {
		line += "; never tried: " + strings.Join(untried, ", ")
	}
	if len(e.Hooks) > 0 {
		remedies = append(remedies, message.Run("checkrein canary", "to try the hooks"))
	}
	return message.New(line, remedies...)
}

// untriedHooks returns the names of the hooks that were never tried as they are now.
func (e *evidence) untriedHooks() []string {
	var out []string
	for i := range e.Hooks {
		if h := &e.Hooks[i]; h.Verdict == "" {
			out = append(out, visible.EscapeLine(h.Hook))
		}
	}
	return out
}
