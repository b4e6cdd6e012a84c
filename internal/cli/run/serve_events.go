package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/kit"
)

// maxEvent bounds an event, as eval does.
const maxEvent = 32 << 20

// overHTTP is the host of events that come over HTTP, their caller on record, and how
// the ids of their sessions begin: no host that is wired has a session like that, so
// that none can be touched from here.
const overHTTP = "http"

// event judges one event. It is recorded before it is answered, also when the client has
// left meanwhile.
func (s *service) event(ctx context.Context, r *localhttp.Request) localhttp.Answer {
	name := r.Query.Get("event")
	if name != "" && !host.IsEvent(name) {
		return unjudged(http.StatusBadRequest, fmt.Sprintf("unknown event %q", name), "use any system's name for an event (to list them, run 'checkrein docs events'), or leave it out and name it in the payload")
	}
	events, err := host.ReadAny(r.Body, name)
	ev := &events[0]
	if errors.Is(err, payload.ErrNoEvent) {
		return unjudged(http.StatusBadRequest, err.Error(), "add it to the payload, or send ?event=NAME")
	}
	if err != nil {
		return unjudged(http.StatusBadRequest, err.Error(), "send one event as JSON, in the form that checkrein eval reads; a gate without an answer stays closed")
	}
	if ev.Kind == checkrein.Other {
		return unjudged(http.StatusBadRequest, fmt.Sprintf("unknown event %q", ev.Native), "use any system's name for an event ('checkrein docs events' lists them); a gate without an answer stays closed")
	}
	for i := range events {
		ev := &events[i]
		ev.Host = overHTTP
		if ev.Session.ID != "" {
			ev.Session.ID = overHTTP + ":" + ev.Session.ID
		}
		if ev.Session.Dir == "" {
			ev.Session.Dir = s.env.Dir
		}
	}
	if !filepath.IsAbs(ev.Session.Dir) {
		return unjudged(http.StatusBadRequest, fmt.Sprintf("the directory %q is not an absolute path", ev.Session.Dir), "send cwd as an absolute path, or leave it out")
	}
	opts := kit.Options{Dir: ev.Session.Dir, Session: ev.Session.ID, Host: ev.Host, Caller: overHTTP, Program: base.HotProgram(s.env), Companion: s.env.Program}
	// The agent of subagent_stop is the one that stops; its parent is told.
	if ev.Kind != checkrein.SubagentStop {
		opts.Agent, opts.AgentIsGuess = ev.Session.Agent, true
	}
	k, err := base.OpenKit(s.env, opts)
	if err != nil {
		return unjudged(http.StatusServiceUnavailable, "checkrein cannot evaluate this event: "+err.Error(), "run checkrein doctor")
	}
	s.note(k, r.Peer)
	outs := k.ServeCall(context.WithoutCancel(ctx), events)
	explain := r.Query.Get("explain") == "true"
	for i := range outs {
		if explain {
			outs[i].Why = k.Why(events[i], nil)
		}
	}
	out := kit.Join(outs)
	return localhttp.Answer{Body: out.JSON(explain)}
}

// note notes a process that sends more than one event as the host that it is: what runs
// below it is an agent's. One that sends a single event and ends, such as curl, is none.
func (s *service) note(k *kit.Kit, peer *localhttp.Peer) {
	id := peer.Process()
	if id.PID == 0 || id.PID == os.Getpid() {
		return
	}
	if _, again := s.seen.LoadOrStore(id, true); again {
		k.NoteProcess(id.PID)
	}
}

// unjudged is the answer to what cannot be judged. It may be a gate, so whoever reads
// the answer and not its status reads a denial.
func unjudged(status int, why, remedy string) localhttp.Answer {
	o := rawjson.Object{'{'}
	o.Text("decision", checkrein.Deny.String())
	o.Text("reason", why)
	o.Text("error", why)
	o.Text("remedy", remedy)
	o.Close()
	return localhttp.Answer{Status: status, Body: o}
}
