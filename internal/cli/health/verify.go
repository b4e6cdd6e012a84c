package health

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
)

const (
	// verifyBack is how far back results are looked at that were never looked at.
	verifyBack = 7 * 24 * time.Hour
	// verifyAgain is how much before the last look is looked at again: hosts write
	// their transcripts a little later.
	verifyAgain = 10 * time.Minute
)

// verifyReplaced looks whether results that checkrein replaced since the last look reached
// the model all the same, by the transcripts of hosts. What a build was seen not to do is
// kept, and returned in a sentence each. Without a replaced result no transcript is read.
func verifyReplaced(ctx context.Context, env *console.Env) ([]string, error) {
	m, err := base.Machine(env)
	if err != nil {
		return nil, err
	}
	began := env.Now().UTC()
	hosts, since, err := unverified(ctx, env, m)
	if err != nil || len(hosts) == 0 {
		return nil, err
	}
	r, err := missesOf(ctx, env, missesOptions{hosts: hosts, since: since})
	if err != nil || r == nil {
		return nil, err
	}
	said, err := takeBack(m, r)
	for _, name := range hosts {
		err = errors.Join(err, m.Caps.Change(name, func(l *capability.Ledger) { l.Checked = began }))
	}
	return said, err
}

// unverified are the hosts with results that were replaced since the last look, and the
// first of those looks.
func unverified(ctx context.Context, env *console.Env, m *install.Machine) (hosts []string, first time.Time, err error) {
	dir, err := records.LedgerFlag("").Dir(env)
	if err != nil {
		return nil, first, err
	}
	segments, err := ledger.Segments(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0 {
		return nil, first, nil
	}
	if err != nil {
		return nil, first, err
	}
	ix, err := records.OpenIndex(ctx, env, dir)
	if err != nil {
		return nil, first, err
	}
	defer ix.Close()
	for _, name := range m.Names() {
		if !slices.Contains(setups.Transcripts().Hosts(), name) {
			continue
		}
		known, err := m.Caps.Load(name)
		if err != nil {
			return nil, first, err
		}
		since := env.Now().Add(-verifyBack)
		if at := known.Checked.Add(-verifyAgain); at.After(since) {
			since = at
		}
		n, err := ix.Count(ctx, index.Filter{Host: []string{name}, Kind: ledger.KindEvent, Effect: checkrein.CanRewriteOutput.Words(), Since: since})
		if err != nil {
			return nil, first, err
		}
		if n == 0 {
			continue
		}
		hosts = append(hosts, name)
		if first.IsZero() || since.Before(first) {
			first = since
		}
	}
	return hosts, first, nil
}

// takeBack keeps of the builds of hosts that they gave the model results that were
// replaced, and says so of each build once.
func takeBack(m *install.Machine, r *misses.Report) (said []string, err error) {
	for i := range r.Kept.First {
		text, e := takeBackOne(m, &r.Kept.First[i])
		err = errors.Join(err, e)
		if text != "" {
			said = append(said, text)
		}
	}
	return said, err
}

// keepMisses is takeBack for misses, which prints the calls themselves.
func keepMisses(env *console.Env, r *misses.Report) error {
	if len(r.Kept.First) == 0 {
		return nil
	}
	m, err := base.Machine(env)
	if err == nil {
		_, err = takeBack(m, r)
	}
	return err
}

func takeBackOne(m *install.Machine, c *misses.Call) (string, error) {
	return downgrade(m, c.Host, capability.OutputReplaced, c.At)
}

// downgrade keeps of the installed build of a host that it was seen at a time not to do what
// a row says, and says so if that is new.
func downgrade(m *install.Machine, host string, row capability.Row, seen time.Time) (said string, err error) {
	path := m.HostProgram(host)
	if path == "" {
		return "", nil
	}
	now, err := capability.Look(path)
	if err != nil {
		return "", err
	}
	if now.MTime.After(seen) {
		return "", nil // it was another build
	}
	fact, _ := capability.FactOf(row)
	known, err := m.Caps.Load(host)
	if err != nil {
		return "", err
	}
	if !news(known, now, row, seen) {
		return "", nil
	}
	err = m.Caps.Change(host, func(l *capability.Ledger) {
		if !news(*l, now, row, seen) {
			return
		}
		if l.Program.Path == "" {
			l.Program = now
		}
		l.Downgrade(now, row, capability.Downgrade{When: seen, Why: fact.Not})
		at := l.Of(now)
		title := host
		if rep, err := m.Status(host); err == nil {
			title = rep.Title
		}
		u := install.UnhonouredRow{Row: row, What: fact.Not, When: seen, Work: true}
		said = u.Sentence(title, at.Version)
	})
	return said, err
}

// news reports whether it is new of a build that it does not do what a row says. What was
// before a proof that says otherwise is settled by that.
func news(l capability.Ledger, build capability.Program, row capability.Row, seen time.Time) bool {
	at := l.Of(build)
	doubted := slices.ContainsFunc(at.Doubted(), func(d capability.Doubt) bool { return d.Row == row })
	return !doubted && (at.State != capability.Proven || seen.After(at.Since))
}
