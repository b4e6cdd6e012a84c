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
	// verifyAge is the age up to which results are checked that were never checked.
	verifyAge = 7 * 24 * time.Hour
	// verifyOverlap is how much before the last check is checked again: hosts write their transcripts
	// a little later.
	verifyOverlap = 10 * time.Minute
)

// verifyReplaced checks by the transcripts of hosts whether results that checkrein replaced since the
// last check reached the model all the same. It saves what a build was seen to ignore and returns a
// sentence about each. Without a replaced result it reads no transcript.
func verifyReplaced(ctx context.Context, env *console.Env) ([]string, error) {
	m, err := base.Machine(env)
	if err != nil {
		return nil, err
	}
	began := env.Now().UTC()
	hosts, since, err := unverifiedHosts(ctx, env, m)
	if err != nil || len(hosts) == 0 {
		return nil, err
	}
	r, err := compareTranscripts(ctx, env, missesOptions{hosts: hosts, since: since})
	if err != nil || r == nil {
		return nil, err
	}
	said, err := downgradeHosts(m, r)
	for _, name := range hosts {
		err = errors.Join(err, m.Caps.Change(name, func(l *capability.Ledger) { l.OutputsChecked = began }))
	}
	return said, err
}

// unverifiedHosts returns the hosts with results that were replaced since their last check, and the
// earliest of those checks.
func unverifiedHosts(ctx context.Context, env *console.Env, m *install.Machine) (hosts []string, first time.Time, err error) {
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
		since := env.Now().Add(-verifyAge)
		if at := known.OutputsChecked.Add(-verifyOverlap); at.After(since) {
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

// downgradeHosts saves which builds gave replaced results to the model, and returns a sentence about
// each build, once.
func downgradeHosts(m *install.Machine, r *misses.Report) (said []string, err error) {
	for i := range r.Kept.First {
		text, e := downgradeFor(m, &r.Kept.First[i])
		err = errors.Join(err, e)
		if text != "" {
			said = append(said, text)
		}
	}
	return said, err
}

// saveDowngrades saves what misses found about builds; misses prints the calls itself.
func saveDowngrades(env *console.Env, r *misses.Report) error {
	if len(r.Kept.First) == 0 {
		return nil
	}
	m, err := base.Machine(env)
	if err == nil {
		_, err = downgradeHosts(m, r)
	}
	return err
}

// downgradeFor saves that the build that made a call gave a replaced result to the model.
func downgradeFor(m *install.Machine, c *misses.Call) (string, error) {
	return downgrade(m, c.Host, capability.OutputReplaced, c.At)
}

// downgrade saves that the installed build of a host was seen at a time to ignore a row, and returns a
// sentence if that is new.
func downgrade(m *install.Machine, host string, row capability.Row, seen time.Time) (said string, err error) {
	path := m.HostProgram(host)
	if path == "" {
		return "", nil
	}
	now, err := capability.InspectProgram(path)
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
	if !isNewDowngrade(known, now, row, seen) {
		return "", nil
	}
	err = m.Caps.Change(host, func(l *capability.Ledger) {
		if !isNewDowngrade(*l, now, row, seen) {
			return
		}
		if l.Program.Path == "" {
			l.Program = now
		}
		l.Downgrade(now, row, capability.Downgrade{When: seen, Why: fact.DoesNot})
		at := l.StandingOf(now)
		title := host
		if rep, err := m.Status(host); err == nil {
			title = rep.Title
		}
		u := install.UnhonouredRow{Row: row, What: fact.DoesNot, When: seen, Work: true}
		said = u.Sentence(title, at.Version)
	})
	return said, err
}

// isNewDowngrade reports whether it is new that a build ignores a row. A later proof of the opposite
// settles earlier observations.
func isNewDowngrade(l capability.Ledger, build capability.Program, row capability.Row, seen time.Time) bool {
	at := l.StandingOf(build)
	doubted := slices.ContainsFunc(at.AllDoubts(), func(d capability.Doubt) bool { return d.Row == row })
	return !doubted && (at.State != capability.Proven || seen.After(at.Since))
}
