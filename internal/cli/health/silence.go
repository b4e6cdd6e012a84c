package health

import (
	"context"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	// maxSilenceAge is how far back silent sessions are reported.
	maxSilenceAge = 7 * 24 * time.Hour
	// maxSilenceBytes is how many bytes of transcripts are read to find them.
	maxSilenceBytes = 64 << 20
)

// An eventLog finds events of hosts in the ledger in dir. If ix is nil, there are no events.
type eventLog struct {
	ctx context.Context
	ix  *index.Index
	dir string
}

// findSilent compares transcripts with the ledger, and sets in the reports which hosts worked without
// sending events.
func (e eventLog) findSilent(env *console.Env, hosts []install.Report) error {
	m, err := base.Machine(env)
	if err != nil {
		return err
	}
	o := misses.SilenceOptions{Most: maxSilenceBytes, Now: env.Now()}
	for i := range hosts {
		if h := &hosts[i]; shouldSendEvents(h) && slices.Contains(setups.Transcripts().Hosts(), h.Host) {
			since := m.InstalledSince(h.Host)
			if week := env.Now().Add(-maxSilenceAge); since.Before(week) {
				since = week
			}
			partly := !slices.ContainsFunc(h.Installed, func(s install.Site) bool { return s.Scope != install.Project })
			o.Hosts = append(o.Hosts, misses.SilentHost{Name: h.Host, Since: since, Partly: partly})
		}
	}
	if len(o.Hosts) == 0 {
		return nil
	}
	o.Files = setups.Transcripts().Find(environ.Home(env.Environ), env.Environ)
	found, err := misses.FindSilent(e.ctx, misses.SessionLedger{Session: e.sessionEvents, Asks: e.hasCalls, Began: e.firstStart, Asked: e.callingSessions}, o)
	if err != nil {
		return err
	}
	for i := range hosts {
		if err := e.addSilence(&hosts[i], found); err != nil {
			return err
		}
	}
	return nil
}

// shouldSendEvents reports whether checkrein is installed in a host that does not skip its hooks.
// status shows why a host skips them.
func shouldSendEvents(h *install.Report) bool {
	skips := func(c *install.Check) bool { return c != nil && (c.State == install.No || c.State == install.NotYet) }
	return len(h.Installed) > 0 && !skips(h.Enabled) && !skips(h.Trusted)
}

// addSilence adds those findings that are about the host of h to its report.
func (e eventLog) addSilence(h *install.Report, found misses.Silence) error {
	for _, u := range found.Unread {
		if u.Host == h.Host {
			h.Unread = h.Unread.Add(u.Path, u.Why)
		}
	}
	for _, s := range found.Sessions {
		if s.Host != h.Host {
			continue
		}
		if s.Ended {
			h.Ended = h.Ended.Add(s.Since)
			continue
		}
		if s.Unstarted {
			h.Unstarted = h.Unstarted.Add(s.Since)
			continue
		}
		if h.Silent == nil {
			h.Silent = &install.Silent{Since: s.Since}
		}
		if s.Since.Before(h.Silent.Since) {
			h.Silent.Since = s.Since
		}
		h.Silent.Last = s.Last // sessions are sorted, oldest first
		h.Silent.Calls += s.Calls
		h.Silent.Sessions++
		if s.Started {
			h.Silent.Started++
		}
	}
	if h.Silent == nil {
		return nil
	}
	heard, err := e.sessionEvents(h.Host, nil)
	h.Silent.Now = !heard.Call.After(h.Silent.Last)
	return err
}

// callEvents lists the names of the events about tool calls.
var callEvents = []string{checkrein.PreToolUse.String(), checkrein.ToolResponseTransform.String(), checkrein.PostToolUse.String(), checkrein.PostToolUseFailure.String()}

// sessionEvents returns when the first and last events of each kind arrived from the named sessions of
// a host, or from all of its sessions if names is empty.
func (e eventLog) sessionEvents(host string, names []string) (misses.SessionEvents, error) {
	events := index.Filter{Host: []string{host}, Session: names, Kind: ledger.KindEvent, Oldest: true}
	first, err := e.firstMatchTime(events)
	if err != nil || first.IsZero() {
		return misses.SessionEvents{}, err
	}
	events.Event = startEvents
	start, err := e.firstMatchTime(events)
	if err != nil {
		return misses.SessionEvents{}, err
	}
	events.Event, events.Oldest = callEvents, false
	last, err := e.firstMatchTime(events)
	if err != nil {
		return misses.SessionEvents{}, err
	}
	events.Event = startEvents
	again, err := e.firstMatchTime(events)
	if err != nil {
		return misses.SessionEvents{}, err
	}
	events.Event = []string{checkrein.SessionEnd.String()}
	end, err := e.firstMatchTime(events)
	return misses.SessionEvents{First: first, Start: start, Call: last, Again: again, End: end}, err
}

// Limits of the search for sessions that sent calls.
const (
	maxAsked    = 5000 // records
	maxSessions = 200
)

// callingSessions returns the ids of at most maxSessions sessions in which the host sent tool calls of
// the main agent since the given time.
func (e eventLog) callingSessions(host string, since time.Time) (out []string, err error) {
	if e.ix == nil {
		return nil, nil
	}
	f := index.Filter{Host: []string{host}, Event: []string{checkrein.PreToolUse.String()}, Kind: ledger.KindEvent, Since: since, Limit: maxAsked}
	_, err = records.EachHitUntil(e.ctx, e.ix, e.dir, f, func(raw []byte) bool {
		foreign, _ := rawjson.Get(raw, "foreign")
		id := rawjson.GetText(raw, "session")
		if id != "" && string(foreign) != "true" && rawjson.GetText(raw, "agent") == "" && !slices.Contains(out, id) {
			out = append(out, id)
		}
		return len(out) < maxSessions
	})
	return out, err
}

// startEvents lists the names of the events that hosts send when a session begins or resumes.
var startEvents = []string{checkrein.SessionStart.String(), checkrein.OnSessionResume.String()}

// firstStart returns the time of the first recorded start of a session of the host, or the zero time
// if there is none.
func (e eventLog) firstStart(host string) (time.Time, error) {
	return e.firstMatchTime(index.Filter{Host: []string{host}, Event: startEvents, Kind: ledger.KindEvent, Oldest: true})
}

// hasCalls reports whether the host has ever sent a call of tool, or of any tool if tool is "".
func (e eventLog) hasCalls(host, tool string) (bool, error) {
	calls := index.Filter{Host: []string{host}, Event: callEvents, Kind: ledger.KindEvent}
	if tool != "" {
		calls.Tool = []string{tool}
	}
	at, err := e.firstMatchTime(calls)
	return !at.IsZero(), err
}

// firstMatchTime returns the time of the first event, in the order of f, that f accepts and that came
// from a host rather than another process. It returns the zero time if there is none.
func (e eventLog) firstMatchTime(f index.Filter) (at time.Time, err error) {
	if e.ix == nil {
		return at, nil
	}
	_, err = records.EachHitUntil(e.ctx, e.ix, e.dir, f, func(raw []byte) bool {
		if r, err := record.Decode(raw); err == nil && !r.Foreign {
			at = r.Time
		}
		return at.IsZero()
	})
	return at, err
}
