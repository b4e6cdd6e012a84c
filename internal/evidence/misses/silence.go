package misses

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/host/transcript"
)

// Sessions of hosts that go on without a word to checkrein: their transcripts have calls
// that ran, and the ledger has nothing of them, or no more than that they began; which
// asked about calls and never said that they began, or went on after they said that they
// ended.
//
// The record of a session's start is the mark by which the rest of it is known, together
// with the process of the host, which every later event must come from: no host carries a
// mark of ours from event to event, and no other program can be that process. Package kit
// sees to it; an event of a session from elsewhere is foreign in its record, and does not
// count here.
//
// Only the newest sessions are looked at: who asks wants to know whether a host that is
// installed is heard now.

// A Heard is what the ledger has of a session.
type Heard struct {
	First time.Time // its first event; zero = nothing was heard of it
	Start time.Time // that it began, the first time; zero = that was not heard
	Call  time.Time // the last event about a call
	Again time.Time // that it began, the last time
	End   time.Time // that it ended, the last time; zero = that was not heard
}

// A SessionLedger is asked what was heard. Events that came from another program than the host
// must not count.
type SessionLedger struct {
	// Session is what was heard of a host's session, under any of its names.
	Session func(host string, names []string) (Heard, error)
	// Asks reports whether a host ever asked about calls of a tool; "" = of any.
	Asks func(host, tool string) (bool, error)
	// Began is when the first session of a host said that it began; zero = none ever did.
	Began func(host string) (time.Time, error)
	// Asked lists the sessions that asked about calls since a time, the newest first. Those
	// of sub-agents alone are not among them.
	Asked func(host string, since time.Time) ([]string, error)
}

// A SilentHost is one that has checkrein's hooks in its settings.
type SilentHost struct {
	Name  string
	Since time.Time // what was before does not count
	// Partly is set if the settings are those of a project: sessions elsewhere need not
	// be heard.
	Partly bool
}

// A SilentSession went on without a word.
type SilentSession struct {
	Host    string
	Session string
	Calls   int       // that ran
	Since   time.Time // the first of them
	Last    time.Time // the last of them
	Heard   bool      // of other things, before
	Started bool      // it was heard that it began
	// Unstarted is set if nothing is amiss with its calls, and it never said that it
	// began. Calls is 0 then, and Since is when it was heard first.
	Unstarted bool
	// Ended is set if it asked about calls after it said that it ended, and did not begin
	// again. Calls is 0 then, and Since is when it ended.
	Ended bool
}

// maxSessions bounds how many sessions are looked at.
const maxSessions = 1000

// SilenceOptions say what to look at.
type SilenceOptions struct {
	Hosts []SilentHost
	Files []transcript.File
	Now   time.Time
	// Most is how many bytes of transcripts are read, the newest first, at most about.
	// Those of sessions that were heard to their end are not read.
	Most int64
}

// An Unread is a transcript that may hold calls and of which not all could be read.
type Unread struct{ Host, Path, Why string }

// Silence is what was found.
type Silence struct {
	Sessions []SilentSession // the newest last
	Unread   []Unread
}

// FindSilent looks for sessions that went on without a word, and for transcripts that cannot
// tell.
func FindSilent(ctx context.Context, l SessionLedger, o SilenceOptions) (out Silence, err error) {
	s := silenceSearch{ctx: ctx, ledger: l, heard: map[string]Heard{}, asks: map[string]bool{}, began: map[string]time.Time{}, found: map[string]*SilentSession{}, kept: map[string]bool{}}
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
		if f.Skip == "" && (enough || s.toItsEnd(f)) {
			continue
		}
		if left -= f.Size; f.Skip == "" && left < 0 && left+f.Size < o.Most { // the newest is read in any case
			enough = true
			continue
		}
		rep, err := f.Read(transcript.Options{}, s.call)
		if s.err != nil || ctx.Err() != nil {
			return out, cmp.Or(s.err, ctx.Err())
		}
		if g := f.Gap(rep, err, o.Now); g != nil && g.Calls {
			out.Unread = append(out.Unread, Unread{f.Host, f.Path, g.Why})
		}
	}
	for i := range o.Hosts {
		s.host = o.Hosts[i]
		if err := s.sessions(); err != nil {
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

// A silenceSearch is at work.
type silenceSearch struct {
	ctx    context.Context
	ledger SessionLedger
	host   SilentHost
	heard  map[string]Heard
	asks   map[string]bool
	began  map[string]time.Time
	found  map[string]*SilentSession
	kept   map[string]bool // sessions that have a transcript
	err    error           // of the ledger
}

// errEnough ends the reading of a file.
var errEnough = errors.New("enough")

// toItsEnd reports whether a file was last changed about when its session was heard last:
// then nothing in it went unheard that this package tells.
func (s *silenceSearch) toItsEnd(f *transcript.File) bool {
	all := false
	_, _ = f.Read(transcript.Options{}, func(c *transcript.Call) error {
		h := s.heardOf(c)
		s.kept[c.Host+"\x00"+c.Session], s.kept[c.Host+"\x00"+c.Root] = true, true
		all = !f.Time.After(h.Call.Add(slack))
		s.start(c, h)
		return errEnough
	})
	return all && s.err == nil
}

// heardOf returns what was heard of a call's session.
func (s *silenceSearch) heardOf(c *transcript.Call) Heard {
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

// start notes a session, by the first call of a transcript of it, that asked about calls
// and did not say that it began, although others did before.
func (s *silenceSearch) start(c *transcript.Call, h Heard) {
	at := moment(c)
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

// sessions looks at the sessions of a host that asked about calls, by the ledger alone.
func (s *silenceSearch) sessions() error {
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
		h := s.heardOf(&c)
		if !s.kept[c.Host+"\x00"+name] { // else its transcript tells whether it was open before
			s.start(&c, h)
		}
		s.end(name, h)
	}
	return s.err
}

// end notes a session that went on after it said that it ended.
func (s *silenceSearch) end(name string, h Heard) {
	if h.End.IsZero() || h.Again.After(h.End) || !h.Call.After(h.End.Add(slack)) || len(s.found) >= maxSessions {
		return
	}
	s.found["ended\x00"+s.host.Name+"\x00"+name] = &SilentSession{Host: s.host.Name, Session: name, Since: h.End, Last: h.Call, Heard: true, Started: !h.Start.IsZero(), Ended: true}
}

// ever reports whether a host ever asked about a tool.
func (s *silenceSearch) ever(tool string) bool {
	key := s.host.Name + "\x00" + tool
	yes, ok := s.asks[key]
	if !ok && s.err == nil {
		yes, s.err = s.ledger.Asks(s.host.Name, tool)
		s.asks[key] = yes
	}
	return yes
}

// call looks at a call.
func (s *silenceSearch) call(c *transcript.Call) error {
	at := moment(c)
	ran := c.Outcome == transcript.Ran || c.Outcome == transcript.Failed
	if err := cmp.Or(s.ctx.Err(), s.err); err != nil || !ran || c.Session == "" || !c.Undated && !at.After(s.host.Since) {
		return err
	}
	h := s.heardOf(c)
	if s.silent(c, h, at) && s.err == nil {
		s.add(c, h, at)
	}
	return s.err
}

// silent reports whether a call of a session should have been heard of.
func (s *silenceSearch) silent(c *transcript.Call, h Heard, at time.Time) bool {
	switch {
	case h.First.IsZero():
		return !s.host.Partly
	case !h.Call.IsZero() && !at.After(h.Call.Add(slack)):
		return false
	case h.Call.IsZero() && !at.After(h.First):
		return false // a session that goes on under another name has a copy of what was before
	}
	return s.ever(c.Tool) || !s.ever("") // hosts do not ask about every tool
}

func (s *silenceSearch) add(c *transcript.Call, h Heard, at time.Time) {
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
