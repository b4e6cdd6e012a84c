package health

import (
	"context"
	"slices"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/honoured"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
)

// A back is something that hooks changed and that a later event has as it was.
type back struct {
	Row     capability.Row `json:"row"`
	Host    string         `json:"host"`
	Session string         `json:"session"`
	Agent   string         `json:"agent,omitempty"`
	Tool    string         `json:"tool"`
	At      time.Time      `json:"at"`
	Changed uint64         `json:"changed"`         // the record in which hooks changed it
	Seen    uint64         `json:"seen"`            // that of the later event
	Maybe   string         `json:"maybe,omitempty"` // what else explains it
}

// missesBack is what later events of sessions since a report's time say.
func missesBack(ctx context.Context, env *console.Env, r *misses.Report, hosts []string) ([]back, error) {
	if len(hosts) == 0 {
		m, err := base.Machine(env)
		if err != nil {
			return nil, err
		}
		hosts = m.Names()
	}
	found, err := cameBack(ctx, env, hosts, r.Since, func(string) (time.Time, error) { return time.Time{}, nil })
	out := []back{}
	for i := range found {
		if f := &found[i]; !f.At.Before(r.Since) {
			out = append(out, backOf(f))
		}
	}
	return out, err
}

func backOf(f *honoured.Finding) back {
	return back{Row: f.Row, Host: f.Host, Session: f.Session, Agent: f.Agent, Tool: f.Tool, At: f.At, Changed: f.Changed, Seen: f.Seen, Maybe: f.Maybe}
}

// unkept is how many of them nothing else explains and the transcripts do not tell.
func unkept(r *misses.Report, list []back) (n int) {
	for i := range list {
		b := &list[i]
		if b.Maybe == "" && !slices.ContainsFunc(r.Kept.First, func(c misses.Call) bool { return c.Record == b.Changed }) {
			n++
		}
	}
	return n
}

// addBack adds them.
func addBack(s *report.Report, list []back) {
	for i := range list {
		b := &list[i]
		style, what := term.Bad, "a secret that checkrein took out of a result of "+b.Tool+" is in what the model wrote later"
		remedy := message.Do("keep secrets out of the agent's reach; change those that the model has seen")
		if b.Row == capability.Rewrite {
			what, remedy = "a call of "+b.Tool+" ran as it was before a hook rewrote it", message.Do("report it to the agent's makers; checkrein denies such calls there now")
		}
		if b.Maybe != "" {
			style, what, remedy = term.Warn, what+"; it may also be that "+b.Maybe, message.Do("look at the record")
		}
		s.Blank()
		s.Finding(style, "", message.New(what, remedy), []term.Span{term.T(term.Faint, s.Clock(b.At)+", session "+b.Session), term.P(" "), term.Command("checkrein audit show " + seqText(b.Seen))})
	}
}
