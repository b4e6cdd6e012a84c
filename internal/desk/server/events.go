package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/engine"
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
	name, of := r.Query.Get("event"), cmp.Or(r.PathPart("host"), r.Header.Get(hostHeader))
	if _, known := host.Find(of); of != "" && !known {
		return unjudgedAnswer(http.StatusNotFound, fmt.Sprintf("unknown agent %q", of), "use a name that 'checkrein docs hosts' lists, or POST /v1/events, which reads all forms")
	}
	if name != "" && !host.IsEvent(name) {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("unknown event %q", name), "use any system's name for an event (to list them, run 'checkrein docs events'), or leave it out and name it in the payload")
	}
	events, err := host.ReadFor(of, r.Body, name)
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
	at := place{dir: ev.Session.Dir, session: ev.Session.ID}
	// The agent of subagent_stop is the one that stops, but the hooks of its parent run.
	if ev.Kind != checkrein.SubagentStop {
		at.agent = ev.Session.Agent
	}
	k, err := s.policies.get(at)
	if err != nil {
		return unjudgedAnswer(http.StatusServiceUnavailable, "checkrein cannot evaluate this event: "+err.Error(), "run checkrein doctor")
	}
	waitNoted := s.peers.note(k, r.Peer)
	began := time.Now()
	outs := k.ServeCall(context.WithoutCancel(ctx), events)
	waitNoted()
	explain := r.Query.Get("explain") == "true"
	for i := range outs {
		if explain {
			outs[i].Why = k.Explain(events[i], nil)
		}
	}
	out := app.JoinOutcomes(outs)
	s.metrics.observe(engine.AnswerWord(&out.Verdict), time.Since(began))
	return localhttp.Answer{Body: out.JSON(explain)}
}

// hostHeader is the header that names the agent in whose form an event is, if the path does not.
const hostHeader = "Checkrein-Host"

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
