package app

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A session belongs to the host process that first sent its id, until that process has
// ended. An event with the id that comes from another process, or from the host but not in
// the way in which it calls hooks, is foreign, since an agent can pipe anything into
// `checkrein hook`. A foreign event is judged and recorded like any other, but it changes
// nothing that is saved about the session.

// A standing is the relation of the calling process to the session that it names.
type standing struct {
	call  liveagents.Call
	owner liveagents.Owner // the owner of the session; zero = unknown
	// foreign is set if the caller does not own the session.
	foreign bool

	notedMu sync.Mutex // guards names
	names   []string   // the names of notes about hosts that are not in a record yet

	began   bool     // this is the first event of the session
	counted string   // see [beginning]
	pinned  bool     // the command line that install wrote called this process
	self    bool     // this process is a host itself
	claimed sync.Map // the keys of sessions that this process has claimed
}

// IsForeign reports whether the calling process is not the host of the session that it names. Its
// events change nothing that is remembered about the session.
func (k *Kit) IsForeign() bool { return k.standing.foreign }

// errTaken means that another process has become the owner of the session.
var errTaken = errors.New("the session already has an owner")

// openSession finds the owner of the session in opts, or makes the caller the owner if it has none. It
// returns the project directory in which the session began, even if it works elsewhere now, unless
// opts.IgnoreSessionRoot is set.
func (k *Kit) openSession(opts *Options) (root string) {
	s := &k.standing
	if opts.Called {
		s.pinned = opts.Pinned
		s.call = liveagents.InspectCall(k.state, commandLineCheck(opts.Host))
	}
	if opts.Session == "" {
		s.foreign = !s.call.MatchesRoute()
		return firstRoot(opts)
	}
	key := beginningKey(opts.Host, opts.Session)
	kept, tampered := k.memory.readBeginning(key)
	if tampered {
		k.noteAnomaly("the note about the project of this session does not count: it is not as checkrein left it, or an older version wrote it. " +
			"The session now counts as one that began in " + opts.Dir)
	}
	claims := k.checkOwner(kept.Owner)
	s.counted = kept.Counted
	if opts.IgnoreSessionRoot {
		return firstRoot(opts)
	}
	if s.foreign || len(opts.Files) > 0 || kept.Root != "" && !claims {
		if kept.Root != "" {
			return kept.Root
		}
		return firstRoot(opts)
	}
	root = firstRoot(opts)
	_ = k.memory.updateBeginning(key, func(kept *beginning) error { // if this fails, the next event does it
		if kept.Root != "" {
			root = kept.Root
		} else {
			kept.Root, s.began = root, true
		}
		if claims = k.checkOwner(kept.Owner); s.foreign {
			return errTaken // another process became the owner meanwhile
		}
		if claims {
			s.owner = s.call.Owner()
			kept.Owner = s.owner
		}
		return nil
	})
	return root
}

// firstRoot returns the project directory for a new session. If the caller vouches for named files, it
// is opts.Dir.
func firstRoot(opts *Options) string {
	if len(opts.Files) > 0 && !opts.FilesByPlace {
		return opts.Dir
	}
	return config.ProjectRoot(opts.Dir)
}

// checkOwner sets whether the caller is foreign to a session with the owner o, and reports whether the
// caller becomes the owner instead. A process that is not known to be a host owns nothing.
func (k *Kit) checkOwner(o liveagents.Owner) (claims bool) {
	s := &k.standing
	s.owner, s.foreign = o, !s.call.MatchesRoute()
	switch {
	case s.call.HasHost() && o.IsProcess(s.call.ID), o.IsSelf():
		return false
	case o.MayBeAlive(k.state):
		s.foreign = true
		return false
	}
	return s.call.HasHost() && !s.foreign
}

// processSessionID returns an id for the session of a host that sends none, derived from its process
// and the project directory. It returns "" if the host is unknown.
func (k *Kit) processSessionID() string {
	c := &k.standing.call
	if !c.HasHost() || k.root == "" {
		return ""
	}
	return fmt.Sprintf("process-%d-%d-%s", c.PID, c.Start, shortDigest(k.root)[:8])
}

// beginningKey returns the key under which the beginning of a session is saved.
func beginningKey(host, id string) string {
	if host == "native" {
		host = "" // native events have no host
	}
	return "root\x00" + host + "\x00" + id
}

// commandLineCheck returns a function that reports whether line is checkrein's command line in the
// settings of the host name, and whether it has the current form.
func commandLineCheck(name string) func(line string) (ok, today bool) {
	if name == "" {
		name = "native"
	}
	return func(line string) (ok, today bool) {
		_, ok = hostfiles.OwnProgram(line, name)
		return ok, strings.HasPrefix(line, "unset ")
	}
}

// claimSession makes this process, which is a host itself, the owner of the session whose beginning
// has this key.
func (k *Kit) claimSession(key string) {
	if _, done := k.standing.claimed.LoadOrStore(key, true); done {
		return
	}
	owner, ok := liveagents.OwnerSelf()
	if !ok {
		return
	}
	_ = k.memory.updateBeginning(key, func(kept *beginning) error { // if this fails, the session has no owner
		kept.Root, kept.Owner = k.root, owner
		return nil
	})
}

// endOwnership saves that the owner of a session has ended it. Otherwise, processes that cannot see
// the owner, for example because it runs in another container, would assume that it is alive.
func (k *Kit) endOwnership(key string) {
	s := &k.standing
	if !process.MayBeInContainer() || !s.owner.IsProcess(s.call.ID) {
		return
	}
	_ = k.memory.updateBeginning(key, func(kept *beginning) error { // if this fails, the owner counts as alive
		kept.Owner.Ended = true
		return nil
	})
}

// callerNames returns the names of the calling processes, for the record of a foreign event, or the
// channel of an event that is not delivered by a host process. It returns nil for other events.
func (k *Kit) callerNames() []string {
	if k.caller != "" {
		return []string{k.caller}
	}
	if !k.standing.foreign {
		return nil
	}
	return liveagents.AncestorNames(k.standing.owner.Process())
}

// foreignNotice returns a notice that an event is foreign, and what to do about it, once for each
// session and caller. told is the key of the session for notices.
func (k *Kit) foreignNotice(name, told string) []string {
	s := &k.standing
	title := "the agent"
	if h, ok := host.Find(name); ok {
		title = h.Title
	}
	const so = "The event was judged and recorded, but it changed nothing that checkrein remembers about the session. "
	var line string
	switch {
	case !k.called:
		return []string{fmt.Sprintf("the session belongs to process %d, which is running, so this event changed nothing that checkrein remembers about the session", s.owner.Process().PID)}
	case s.call.MatchesRoute():
		line = fmt.Sprintf("this event belongs to a session of another process, %d, which is running. %sTo continue here, end that process, or start a new session.", s.owner.Process().PID, so)
	default:
		line = fmt.Sprintf("this event came through %s, another way than the first event from the same process (%s, process %d). %sIf you run checkrein's command lines through your own program, do so for all events and restart %s.",
			s.call.DescribeRoute(), s.call.HostProgram(), s.call.PID, so, title)
	}
	return (&memory{store: k.memory.store}).takeUnseen("foreign "+told, []string{line})
}

// A beginning is what is saved about the beginning of a session. It determines which project's hooks
// run, so it is sealed. It is encoded without reflection, which would take ten times as long, because
// every event reads it.
type beginning struct {
	Root  string // the project directory in which the session began
	Owner liveagents.Owner
	// Counted is a digest of what counted at the session's last event; see [Kit.noteCounting].
	Counted string

	note string // the sealed text in the file
}

// UnmarshalJSON sets the note that MarshalJSON wrote; [memory.openBeginning] reads its contents. It
// does not change b if it returns an error.
func (b *beginning) UnmarshalJSON(raw []byte) error {
	if err := rawjson.CheckObject(raw); err != nil {
		return err
	}
	*b = beginning{note: rawjson.GetText(raw, "note")}
	return nil
}

// MarshalJSON returns the note as JSON.
func (b beginning) MarshalJSON() ([]byte, error) {
	o := rawjson.Object{'{'}
	o.Text("note", b.note)
	o.Close()
	return o, nil
}

// readBeginning returns the beginning that is saved under key, and reports whether another program
// changed it. A changed file counts as missing.
func (m *memory) readBeginning(key string) (b beginning, tampered bool) {
	text, err := m.store.Text(key)
	if text == nil || err != nil {
		return beginning{}, false
	}
	_ = b.UnmarshalJSON(text) // on an error, the note is empty and has no valid seal
	return b, !m.openBeginning(key, &b)
}

// updateBeginning calls change to update the beginning that is saved under key.
func (m *memory) updateBeginning(key string, change func(*beginning) error) error {
	var b beginning
	return m.store.Update(key, &b, func() error {
		m.openBeginning(key, &b) // without a valid seal, b is zero
		if err := change(&b); err != nil {
			return err
		}
		return m.sealBeginning(key, &b)
	})
}

// openBeginning sets the fields of b from its note, and reports whether the seal of the note is valid.
// If it is not, b becomes zero.
func (m *memory) openBeginning(key string, b *beginning) bool {
	body, ok := m.dir.UnsealNote(sessionsFolder+"\x00"+key, []byte(b.note))
	*b = beginning{}
	if !ok {
		return false
	}
	b.Root, b.Owner.ID, b.Owner.In = rawjson.GetText(body, "root"), rawjson.GetText(body, "owner"), rawjson.GetText(body, "in")
	ended, _ := rawjson.Get(body, "ended")
	b.Owner.Ended = string(ended) == "true"
	b.Counted = rawjson.GetText(body, "counted")
	return true
}

// sealBeginning sets the sealed note of b from its fields.
func (m *memory) sealBeginning(key string, b *beginning) error {
	o := rawjson.Object{'{'}
	o.Text("root", b.Root)
	o.Text("owner", b.Owner.ID)
	o.Text("in", b.Owner.In)
	o.Flag("ended", b.Owner.Ended)
	o.Text("counted", b.Counted)
	o.Close()
	note, err := m.dir.SealNote(sessionsFolder+"\x00"+key, o)
	b.note = string(note)
	return err
}
