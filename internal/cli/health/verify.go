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
	// verifyAge is how far back the first check of a host goes.
	verifyAge = 7 * 24 * time.Hour
	// verifyOverlap is how much time before the last check is checked again, since hosts write transcripts
	// a little later.
	verifyOverlap = 10 * time.Minute
)

// verifyReplaced checks in the transcripts of hosts whether results that checkrein replaced since the
// last check reached the model all the same. For each build that ignored a replacement, it saves that
// fact and returns a sentence about it. It reads no transcripts if no result was replaced.
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

// unverifiedHosts returns the hosts for which results were replaced since their last check, and the
// time from which they are to be checked.
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
	for _, name := range m.HostNames() {
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
// each build for which that is new.
func downgradeHosts(m *install.Machine, r *misses.Report) (said []string, err error) {
	for i := range r.Kept.First {
		text, e := saveReplacedOutput(m, &r.Kept.First[i])
		err = errors.Join(err, e)
		if text != "" {
			said = append(said, text)
		}
	}
	return said, err
}

// saveDowngrades saves which builds gave replaced results to the model. It returns no sentences about
// them, since misses prints the calls.
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

// saveReplacedOutput saves that the build that made the call c gave a replaced result to the model, and
// returns a sentence if that is new.
func saveReplacedOutput(m *install.Machine, c *misses.Call) (string, error) {
	return saveDowngrade(m, c.Host, capability.OutputReplaced, c.At)
}

// saveDowngrade saves that the installed build of host ignored row at the time seen, and returns a
// sentence if that is new. It returns "" if the build was installed later.
func saveDowngrade(m *install.Machine, host string, row capability.Row, seen time.Time) (said string, err error) {
	path := m.HostProgram(host)
	if path == "" {
		return "", nil
	}
	now, err := capability.InspectProgram(path)
	if err != nil {
		return "", err
	}
	if now.MTime.After(seen) {
		return "", nil // another build did it
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

// isNewDowngrade reports whether l does not yet have that the build ignores row. A proof of the
// opposite that is later than seen settles the observation.
func isNewDowngrade(l capability.Ledger, build capability.Program, row capability.Row, seen time.Time) bool {
	at := l.StandingOf(build)
	doubted := slices.ContainsFunc(at.AllDoubts(), func(d capability.Doubt) bool { return d.Row == row })
	return !doubted && (at.State != capability.Proven || seen.After(at.Since))
}
