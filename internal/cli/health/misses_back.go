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

// missesBack is what later events of sessions since a report's time say.
func missesBack(ctx context.Context, env *console.Env, r *misses.Report, hosts []string) ([]honoured.Finding, error) {
	if len(hosts) == 0 {
		m, err := base.Machine(env)
		if err != nil {
			return nil, err
		}
		hosts = m.Names()
	}
	found, err := cameBack(ctx, env, hosts, r.Since, func(string) (time.Time, error) { return time.Time{}, nil })
	found = slices.DeleteFunc(found, func(f honoured.Finding) bool { return f.At.Before(r.Since) })
	return append([]honoured.Finding{}, found...), err
}

// unkept is how many of them nothing else explains and the transcripts do not tell.
func unkept(r *misses.Report, list []honoured.Finding) (n int) {
	for i := range list {
		b := &list[i]
		if b.Maybe == "" && !slices.ContainsFunc(r.Kept.First, func(c misses.Call) bool { return c.Record == b.Changed }) {
			n++
		}
	}
	return n
}

// addBack adds them.
func addBack(s *report.Report, list []honoured.Finding) {
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
