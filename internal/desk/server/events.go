package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// maxEvent is the maximum size of an event in bytes, as in eval.
const maxEvent = 32 << 20

// OverHTTP is the host and the recorded caller of events that arrive over HTTP. It is also the prefix
// of their session ids, so that requests cannot change a session of a wired host.
const OverHTTP = "http"

// answerEvent judges the event in a request. The event is recorded before it is answered, even if the
// client has disconnected.
func (s *Server) answerEvent(ctx context.Context, r *localhttp.Request) localhttp.Answer {
	name := r.Query.Get("event")
	if name != "" && !host.IsEvent(name) {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("unknown event %q", name), "use any system's name for an event (to list them, run 'checkrein docs events'), or leave it out and name it in the payload")
	}
	events, err := host.ReadAny(r.Body, name)
	ev := &events[0]
	if errors.Is(err, payload.ErrNoEvent) {
		return unjudgedAnswer(http.StatusBadRequest, err.Error(), "add it to the payload, or send ?event=NAME")
	}
	if err != nil {
		return unjudgedAnswer(http.StatusBadRequest, err.Error(), "send one event as JSON, in the form that checkrein eval reads; a gate without an answer stays closed")
	}
	if ev.Kind == checkrein.Other {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("unknown event %q", ev.Native), "use any system's name for an event ('checkrein docs events' lists them); a gate without an answer stays closed")
	}
	for i := range events {
		ev := &events[i]
		ev.Host = OverHTTP
		if ev.Session.ID != "" {
			ev.Session.ID = OverHTTP + ":" + ev.Session.ID
		}
		if ev.Session.Dir == "" {
			ev.Session.Dir = s.opts.Dir
		}
	}
	if !filepath.IsAbs(ev.Session.Dir) {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("the directory %q is not an absolute path", ev.Session.Dir), "send cwd as an absolute path, or leave it out")
	}
	opts := app.Options{Dir: ev.Session.Dir, Session: ev.Session.ID, Host: ev.Host, Caller: OverHTTP, Program: s.opts.Program, Companion: s.opts.Companion}
	// The agent of subagent_stop is the one that stops, but the hooks of its parent run.
	if ev.Kind != checkrein.SubagentStop {
		opts.Agent, opts.AgentIsGuess = ev.Session.Agent, true
	}
	k, err := s.opts.Open(opts)
	if err != nil {
		return unjudgedAnswer(http.StatusServiceUnavailable, "checkrein cannot evaluate this event: "+err.Error(), "run checkrein doctor")
	}
	s.notePeer(k, r.Peer)
	outs := k.ServeCall(context.WithoutCancel(ctx), events)
	explain := r.Query.Get("explain") == "true"
	for i := range outs {
		if explain {
			outs[i].Why = k.Explain(events[i], nil)
		}
	}
	out := app.JoinOutcomes(outs)
	return localhttp.Answer{Body: out.JSON(explain)}
}

// notePeer notes the process of peer as a host once it has sent more than one event, so that its child
// processes count as an agent's. A process that sends a single event, such as curl, is not noted.
func (s *Server) notePeer(k *app.Kit, peer *localhttp.Peer) {
	id := peer.Process()
	if id.PID == 0 || id.PID == os.Getpid() {
		return
	}
	if !s.isNew(id) {
		k.NoteProcess(id.PID)
	}
}

// unjudgedAnswer returns the answer to a request that could not be judged. Since it may be a gate, the
// body is a denial for clients that ignore the status.
func unjudgedAnswer(status int, why, remedy string) localhttp.Answer {
	o := rawjson.Object{'{'}
	o.Text("decision", checkrein.Deny.String())
	o.Text("reason", why)
	o.Text("error", why)
	o.Text("remedy", remedy)
	o.Close()
	return localhttp.Answer{Status: status, Body: o}
}
