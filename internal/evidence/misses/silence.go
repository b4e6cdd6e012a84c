package misses

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
)

// This file finds sessions that run without sending events to checkrein: their transcripts
// contain calls that ran, while the ledger has nothing about them except perhaps their
// start. It also finds sessions that asked about calls without reporting their start, or
// continued after they had reported their end.
//
// Later events belong to a session if they come from the host's process in the record of
// its start, because hosts cannot pass on a token from event to event, and no other program
// can be that process. Events of a session from another process are recorded as foreign,
// and do not count here.
//
// Only the newest sessions are checked, since the question is whether an installed host
// sends events now.

// A SessionEvents holds the times of a session's events in the ledger.
type SessionEvents struct {
	First time.Time // its first event; zero means none
	Start time.Time // its first start event; zero means none
	Call  time.Time // its last event about a call
	Again time.Time // its last start event
	End   time.Time // its last end event; zero means none
}

// A SessionLedger provides the events of sessions. It must ignore events that did not come from the
// host.
type SessionLedger struct {
	// Session returns the events of a host's session, under any of its names.
	Session func(host string, names []string) (SessionEvents, error)
	// Asks reports whether a host ever asked about calls of a tool; "" means any tool.
	Asks func(host, tool string) (bool, error)
	// Began returns when the first session of a host reported its start; zero means that none ever
	// did.
	Began func(host string) (time.Time, error)
	// Asked returns the sessions of a host that asked about calls since a time, newest first, without
	// sessions that only sub-agents used.
	Asked func(host string, since time.Time) ([]string, error)
}

// A SilentHost is a host that has checkrein's hooks in its settings.
type SilentHost struct {
	Name  string
	Since time.Time // earlier calls do not count
	// Partly is set if the settings are those of a project, so that sessions elsewhere need not send
	// events.
	Partly bool
}

// A SilentSession is a session that ran calls without sending events, or did not report its start or
// its continuation.
type SilentSession struct {
	Host    string
	Session string
	Calls   int       // number of calls that ran
	Since   time.Time // time of the first call
	Last    time.Time // time of the last call
	Heard   bool      // it sent other events before
	Started bool      // it reported its start
	// Unstarted is set if all of its calls sent events, but it never reported its start. Then Calls is
	// 0, and Since is the time of its first event.
	Unstarted bool
	// Ended is set if it asked about calls after it had reported its end, without starting again. Then
	// Calls is 0, and Since is the time of its end.
	Ended bool
}

// maxSessions limits how many sessions are checked.
const maxSessions = 1000

// SilenceOptions holds the input of FindSilent.
type SilenceOptions struct {
	Hosts []SilentHost
	Files []transcript.File
	Now   time.Time
	// Most is about how many bytes of transcripts are read, newest first. Transcripts of sessions that
	// sent events until their end are not read.
	Most int64
}

// An Unread is a transcript that may contain calls and could not be read completely.
type Unread struct{ Host, Path, Why string }

// A Silence is the result of FindSilent.
type Silence struct {
	Sessions []SilentSession // newest last
	Unread   []Unread
}

// FindSilent returns sessions that ran calls without sending events, and transcripts that could not be
// read.
func FindSilent(ctx context.Context, l SessionLedger, o SilenceOptions) (out Silence, err error) {
	s := silenceSearch{ctx: ctx, ledger: l, heard: map[string]SessionEvents{}, asks: map[string]bool{}, began: map[string]time.Time{}, found: map[string]*SilentSession{}, kept: map[string]bool{}}
	files := slices.Clone(o.Files)
	slices.SortStableFunc(files, func(a, b transcript.File) int { return b.Time.Compare(a.Time) })
	left, enough := o.Most, false
	for i := range files {
		f := &files[i]
		at := slices.IndexFunc(o.Hosts, func(h SilentHost) bool { return h.Name == f.Host })
		if at < 0 || f.UnchangedSince(o.Hosts[at].Since) {
			continue
		}
		s.host = o.Hosts[at]
		if f.Skip == "" && (enough || s.endsWithEvents(f)) {
			continue
		}
		if left -= f.Size; f.Skip == "" && left < 0 && left+f.Size < o.Most { // the newest one is always read
			enough = true
			continue
		}
		rep, err := f.Read(transcript.Options{}, s.checkCall)
		if s.err != nil || ctx.Err() != nil {
			return out, cmp.Or(s.err, ctx.Err())
		}
		if g := f.Gap(rep, err, o.Now); g != nil && g.Calls {
			out.Unread = append(out.Unread, Unread{f.Host, f.Path, g.Why})
		}
	}
	for i := range o.Hosts {
		s.host = o.Hosts[i]
		if err := s.checkSessions(); err != nil {
			return out, err
		}
	}
	for _, one := range s.found {
		out.Sessions = append(out.Sessions, *one)
	}
	slices.SortFunc(out.Sessions, func(a, b SilentSession) int {
		return cmp.Or(a.Last.Compare(b.Last), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Session, b.Session))
	})
	return out, s.err
}

// A silenceSearch holds the state of FindSilent.
type silenceSearch struct {
	ctx    context.Context
	ledger SessionLedger
	host   SilentHost
	heard  map[string]SessionEvents
	asks   map[string]bool
	began  map[string]time.Time
	found  map[string]*SilentSession
	kept   map[string]bool // sessions that have a transcript
	err    error           // error of the ledger
}

// errEnough stops the reading of a file after its first call.
var errEnough = errors.New("enough")

// endsWithEvents reports whether f was last changed at about the time of its session's last event, in
// which case it contains no silent calls.
func (s *silenceSearch) endsWithEvents(f *transcript.File) bool {
	all := false
	_, _ = f.Read(transcript.Options{}, func(c *transcript.Call) error {
		h := s.eventsOf(c)
		s.kept[c.Host+"\x00"+c.Session], s.kept[c.Host+"\x00"+c.Root] = true, true
		all = !f.Time.After(h.Call.Add(slack))
		s.addIfUnstarted(c, h)
		return errEnough
	})
	return all && s.err == nil
}

// eventsOf returns the events of the session of c.
func (s *silenceSearch) eventsOf(c *transcript.Call) SessionEvents {
	key := c.Host + "\x00" + c.Session + "\x00" + c.Root
	h, ok := s.heard[key]
	if !ok && s.err == nil {
		names := []string{c.Session}
		if c.Root != c.Session && c.Root != "" {
			names = append(names, c.Root)
		}
		if h, s.err = s.ledger.Session(c.Host, names); len(s.heard) < maxSessions {
			s.heard[key] = h
		}
	}
	return h
}

// addIfUnstarted adds the session of c, the first call of a transcript, if it asked about calls but
// did not report its start, although earlier sessions did.
func (s *silenceSearch) addIfUnstarted(c *transcript.Call, h SessionEvents) {
	at := callTime(c)
	if h.Call.IsZero() || !h.Start.IsZero() || !transcript.ReportsStart(c.Host) || c.Session == "" || !at.After(s.host.Since) {
		return
	}
	began, ok := s.began[c.Host]
	if !ok && s.err == nil {
		began, s.err = s.ledger.Began(c.Host)
		s.began[c.Host] = began
	}
	name := cmp.Or(c.Root, c.Session)
	if key := c.Host + "\x00" + name; !began.IsZero() && began.Before(h.First) && s.found[key] == nil && len(s.found) < maxSessions {
		s.found[key] = &SilentSession{Host: c.Host, Session: name, Since: h.First, Last: h.Call, Heard: true, Unstarted: true}
	}
}

// checkSessions checks the sessions of the host that asked about calls, using only the ledger.
func (s *silenceSearch) checkSessions() error {
	if !transcript.ReportsStart(s.host.Name) {
		return nil
	}
	names, err := s.ledger.Asked(s.host.Name, s.host.Since)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		c := transcript.Call{Host: s.host.Name, Session: name, At: s.host.Since.Add(1)}
		h := s.eventsOf(&c)
		if !s.kept[c.Host+"\x00"+name] { // otherwise its transcript shows whether it was open before
			s.addIfUnstarted(&c, h)
		}
		s.addIfActiveAfterEnd(name, h)
	}
	return s.err
}

// addIfActiveAfterEnd adds the session name if it asked about calls after it had reported its end.
func (s *silenceSearch) addIfActiveAfterEnd(name string, h SessionEvents) {
	if h.End.IsZero() || h.Again.After(h.End) || !h.Call.After(h.End.Add(slack)) || len(s.found) >= maxSessions {
		return
	}
	s.found["ended\x00"+s.host.Name+"\x00"+name] = &SilentSession{Host: s.host.Name, Session: name, Since: h.End, Last: h.Call, Heard: true, Started: !h.Start.IsZero(), Ended: true}
}

// asksAbout reports whether the host ever asked about calls of tool, or of any tool if that is "".
func (s *silenceSearch) asksAbout(tool string) bool {
	key := s.host.Name + "\x00" + tool
	yes, ok := s.asks[key]
	if !ok && s.err == nil {
		yes, s.err = s.ledger.Asks(s.host.Name, tool)
		s.asks[key] = yes
	}
	return yes
}

// checkCall adds the session of c if c ran and is silent.
func (s *silenceSearch) checkCall(c *transcript.Call) error {
	at := callTime(c)
	ran := c.Outcome == transcript.Ran || c.Outcome == transcript.Failed
	if err := cmp.Or(s.ctx.Err(), s.err); err != nil || !ran || c.Session == "" || !c.Undated && !at.After(s.host.Since) {
		return err
	}
	h := s.eventsOf(c)
	if s.isSilent(c, h, at) && s.err == nil {
		s.addSilent(c, h, at)
	}
	return s.err
}

// isSilent reports whether c, a call at the time at, should have caused an event and did not, given
// the events h of its session.
func (s *silenceSearch) isSilent(c *transcript.Call, h SessionEvents, at time.Time) bool {
	switch {
	case h.First.IsZero():
		return !s.host.Partly
	case !h.Call.IsZero() && !at.After(h.Call.Add(slack)):
		return false
	case h.Call.IsZero() && !at.After(h.First):
		return false // a session that continues under another name has a copy of earlier calls
	}
	return s.asksAbout(c.Tool) || !s.asksAbout("") // hosts need not ask about every tool
}

// addSilent adds c to the silent calls of its session.
func (s *silenceSearch) addSilent(c *transcript.Call, h SessionEvents, at time.Time) {
	name := cmp.Or(c.Root, c.Session)
	one := s.found[c.Host+"\x00"+name]
	if one == nil || one.Unstarted {
		if len(s.found) >= maxSessions {
			return
		}
		one = &SilentSession{Host: c.Host, Session: name, Since: at, Last: at, Heard: !h.First.IsZero(), Started: !h.Start.IsZero()}
		s.found[c.Host+"\x00"+name] = one
	}
	one.Calls++
	if at.Before(one.Since) {
		one.Since = at
	}
	if at.After(one.Last) {
		one.Last = at
	}
}
