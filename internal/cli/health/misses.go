package health

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/cli/report"
	"github.com/checkrein/checkrein/internal/evidence/honoured"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/misses"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/moment"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// missesFlags holds the flags of the misses command.
type missesFlags struct {
	hosts []string
	since string
	max   int
	json  bool
}

// MissesCommand returns the misses command.
func MissesCommand(env *console.Env) *cobra.Command {
	var f missesFlags
	cmd := &cobra.Command{
		Use: "misses", Short: "Show which calls of agents checkrein never saw, and why",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.max < 0 {
				return &base.Exit{Code: console.Usage, Err: fmt.Errorf("--max: %d is less than 0", f.max)}
			}
			return base.AsFailure(runMisses(cmd.Context(), env, &f))
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.hosts, "host", nil, "only calls of `AGENT`; may be repeated")
	flags.StringVar(&f.since, "since", "", "only calls since `TIME`: an age (90m, 2h, 7d), a day or RFC 3339")
	flags.IntVar(&f.max, "max", 0, "exit with 1 only above `N` misses")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// runMisses compares transcripts with the ledger and prints the report.
func runMisses(ctx context.Context, env *console.Env, f *missesFlags) error {
	for _, h := range f.hosts {
		if !slices.Contains(setups.Transcripts().Hosts(), h) {
			return &base.Exit{Code: console.Usage, Err: fmt.Errorf("--host: no transcripts of %q can be read, only those of %s", h, strings.Join(setups.Transcripts().Hosts(), ", "))}
		}
	}
	var since time.Time
	if f.since != "" {
		var err error
		if since, err = moment.Parse(f.since, env.Now(), false); err != nil {
			return &base.Exit{Code: console.Usage, Err: fmt.Errorf("--since: %w", err)}
		}
		if since.After(env.Now()) {
			return &base.Exit{Code: console.Usage, Err: fmt.Errorf("--since: %q is in the future, so there is nothing to compare: give an age (90m, 2h, 7d) or a time that has passed", f.since)}
		}
	}
	var hosts []install.Report
	r, err := compareTranscripts(ctx, env, missesOptions{hosts: f.hosts, since: since, silent: &hosts})
	if err != nil {
		return err
	}
	if r == nil {
		fmt.Fprintln(env.Stderr, "checkrein is not installed in any agent and has recorded nothing yet: there is nothing to compare. To connect agents, run checkrein install --all")
		return nil
	}
	if err := saveDowngrades(env, r); err != nil {
		fmt.Fprintf(env.Stderr, "checkrein could not save what these calls show about agents: %v\n", err)
	}
	back, err := ignoredSince(ctx, env, r, f.hosts)
	if err != nil {
		return err
	}
	shown := missesReport(env, r, hosts, back)
	err = shown.Print(env, f.json, missesData{2, r, quietHosts(hosts), back, f.max, shown.Messages})
	return base.OrFinding(err, r.Failures()+countUnexplained(r, back) > f.max, "some calls bypassed checkrein, or may have")
}

// missesData is what misses --json prints.
type missesData struct {
	Version int `json:"version"` // of this format
	*misses.Report
	Quiet    []quietHost        `json:"silent"`    // installed hosts that did not send all events
	Back     []honoured.Finding `json:"came_back"` // changes by hooks that hosts ignored, judging by later events
	Max      int                `json:"max"`
	Messages []report.Message   `json:"messages"` // as shown to people
}

// A quietHost is an installed host that did not send all events.
type quietHost struct {
	Host      string             `json:"host"`
	Calls     *install.Silent    `json:"calls,omitempty"`
	Unstarted *install.Unstarted `json:"unstarted,omitempty"`
	Ended     *install.Ended     `json:"ended,omitempty"`
}

// quietHosts returns those of hosts that did not send all events. The result is never nil, so that
// JSON has a list.
func quietHosts(hosts []install.Report) []quietHost {
	out := []quietHost{}
	for i := range hosts {
		if h := &hosts[i]; h.Silent != nil || h.Unstarted != nil || h.Ended != nil {
			out = append(out, quietHost{h.Host, h.Silent, h.Unstarted, h.Ended})
		}
	}
	return out
}

// missesOptions select the transcripts that compareTranscripts reads.
type missesOptions struct {
	hosts []string  // empty = all
	since time.Time // zero = as far back as possible
	// silent, if not nil, receives the hosts that did not send all events since that time.
	silent *[]install.Report
	// choose, if not nil, returns those of the files that are to be read.
	choose func(list []transcript.File, since time.Time) []transcript.File
}

// compareTranscripts compares the calls in transcripts with the ledger. It returns nil if checkrein is
// not installed in any agent and has recorded nothing.
func compareTranscripts(ctx context.Context, env *console.Env, want missesOptions) (*misses.Report, error) {
	dir, err := records.LedgerFlag("").Dir(env)
	if err != nil {
		return nil, err
	}
	o := misses.Options{Since: want.since, Now: env.Now()}
	installed := time.Time{}
	var reports []install.Report
	if o.Hosts, reports, installed, err = missesHosts(env); err != nil {
		return nil, err
	}
	l, err := openComparedLedger(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	defer l.close()
	begin := l.first
	if l.whole && !installed.IsZero() && (begin.IsZero() || installed.Before(begin)) {
		begin = installed
	}
	if begin.IsZero() {
		return nil, nil
	}
	if o.Since.Before(begin) {
		o.Since = begin // the ledger has nothing earlier
	}
	for _, file := range setups.Transcripts().Find(environ.Home(env.Environ), env.Environ) {
		if len(want.hosts) == 0 || slices.Contains(want.hosts, file.Host) {
			o.Files = append(o.Files, file)
		}
	}
	if want.choose != nil {
		o.Files = want.choose(o.Files, o.Since)
	}
	slices.SortStableFunc(o.Files, func(a, b transcript.File) int { return strings.Compare(a.Host, b.Host) })
	progress := base.NewProgress(env, "reading transcripts")
	defer progress.End()
	o.Progress = progress.Set
	r, err := misses.Run(ctx, l.Ledger, o)
	if err == nil && want.silent != nil {
		*want.silent, err = silentSince(env, eventLog{ctx, l.ix, dir}, reports, want.hosts, o.Since)
		*want.silent = reconcileSilent(r, *want.silent)
	}
	return r, err
}

// reconcileSilent returns the hosts that are still silent after it made both parts of the report
// agree. A host whose calls are compared by id is not silent if r has no unseen call of it, because
// continued sessions have copies of earlier calls under another name. For other hosts, silent calls
// that r does not count are added to its unseen calls.
func reconcileSilent(r *misses.Report, hosts []install.Report) (out []install.Report) {
	for _, h := range hosts {
		if q := h.Silent; q != nil {
			i := slices.IndexFunc(r.Sources, func(n misses.Count) bool { return n.Host == h.Host })
			if i < 0 {
				i = len(r.Sources)
				r.Sources = append(r.Sources, misses.Count{Host: h.Host})
			}
			n := &r.Sources[i]
			if more := q.Calls - n.Unseen; transcript.SameIDs(h.Host) && n.Unseen == 0 {
				h.Silent = nil
			} else if more > 0 && !transcript.SameIDs(h.Host) {
				r.Unseen, r.Calls = r.Unseen+more, r.Calls+more
				n.Unseen, n.Failed, n.Calls = n.Unseen+more, n.Failed+more, n.Calls+more
			}
		}
		if h.Silent != nil || h.Unstarted != nil || h.Ended != nil {
			out = append(out, h)
		}
	}
	return out
}

// silentSince returns those of hosts that did not send all events since the given time. If names is
// not empty, only these hosts are checked.
func silentSince(env *console.Env, e eventLog, hosts []install.Report, names []string, since time.Time) (out []install.Report, err error) {
	if len(names) > 0 {
		hosts = slices.DeleteFunc(hosts, func(h install.Report) bool { return !slices.Contains(names, h.Host) })
	}
	if err := e.findSilent(env, hosts); err != nil {
		return nil, err
	}
	for _, h := range hosts {
		if h.Silent != nil && h.Silent.Last.Before(since) {
			h.Silent = nil
		}
		if h.Silent != nil || h.Unstarted != nil || h.Ended != nil {
			out = append(out, h)
		}
	}
	return out, nil
}

// missesHosts returns the hosts whose calls are compared, their reports, and when checkrein was first
// installed in one of them.
func missesHosts(env *console.Env) (out []misses.Host, reports []install.Report, first time.Time, err error) {
	m, err := base.Machine(env)
	if err != nil {
		return nil, nil, first, err
	}
	for _, name := range m.HostNames() {
		rep, err := m.Status(name)
		if err != nil {
			return nil, nil, first, err
		}
		reports = append(reports, rep)
		h := misses.Host{Name: name, Title: rep.Title, Installed: len(rep.Installed) > 0, Since: m.InstalledSince(name), Blind: rep.Blind}
		h.ProjectOnly = h.Installed
		for i := range rep.Installed {
			s := &rep.Installed[i]
			h.ProjectOnly = h.ProjectOnly && s.Scope == install.Project
			h.Narrow = h.Narrow || len(s.Gates) > 0 || slices.ContainsFunc(s.Notes, func(n install.Note) bool { return n.Narrowed != "" })
		}
		for _, c := range []*install.Check{rep.Enabled, rep.Trusted} {
			if c != nil && (c.State == install.No || c.State == install.NotYet) && h.Off == "" {
				h.Off = c.Message().String()
			}
		}
		if !h.Since.IsZero() && (first.IsZero() || h.Since.Before(first)) {
			first = h.Since
		}
		out = append(out, h)
	}
	return append(out, misses.Host{Name: "native", Title: "checkrein run", Installed: true}), reports, first, nil
}

// A comparedLedger is a ledger that is open for a comparison with transcripts.
type comparedLedger struct {
	misses.Ledger
	ix    *index.Index // nil = there are no records
	first time.Time    // time of the first event
	whole bool         // no earlier records were removed
}

// close closes the index, if there is one.
func (l *comparedLedger) close() {
	if l.ix != nil {
		l.ix.Close()
	}
}

// openComparedLedger opens the ledger in dir for a comparison with transcripts. A missing ledger
// counts as an empty one. The caller must close the result.
func openComparedLedger(ctx context.Context, env *console.Env, dir string) (l comparedLedger, err error) {
	segments, err := ledger.Segments(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(segments) == 0 {
		l.Each = func(context.Context, index.Filter, func([]byte) bool) error { return nil }
		l.Count = func(context.Context, index.Filter) (int, error) { return 0, nil }
		l.whole = true
		return l, nil
	}
	if err != nil {
		return l, err
	}
	if l.ix, err = records.OpenIndex(ctx, env, dir); err != nil {
		return l, err
	}
	ix := l.ix
	l.Count = ix.Count
	l.Each = func(ctx context.Context, f index.Filter, fn func([]byte) bool) error {
		_, err := records.EachHitUntil(ctx, ix, dir, f, fn)
		return err
	}
	if key, err := ledger.ReadSecret(dir, ledger.LabelDigests); err == nil {
		l.Digests = (*[32]byte)(key)
	}
	if key, err := ledger.ReadSecret(dir, ledger.LabelMarkers); err == nil {
		l.Markers = (*placeholder.Key)(key)
	}
	_, err = records.EachHit(ctx, ix, dir, index.Filter{Limit: 1, Oldest: true}, func(raw []byte) {
		if r, err := record.Decode(raw); err == nil {
			l.first, l.whole = r.Time, r.Seq <= 1
		}
	})
	if err != nil {
		l.close()
	}
	return l, err
}

// ignoredSince returns the changes that hooks made since r.Since and that hosts ignored, judging by
// later events of the same session. It checks all hosts if hosts is empty.
func ignoredSince(ctx context.Context, env *console.Env, r *misses.Report, hosts []string) ([]honoured.Finding, error) {
	if len(hosts) == 0 {
		m, err := base.Machine(env)
		if err != nil {
			return nil, err
		}
		hosts = m.HostNames()
	}
	found, err := findIgnored(ctx, env, hosts, r.Since, func(string) (time.Time, error) { return time.Time{}, nil })
	found = slices.DeleteFunc(found, func(f honoured.Finding) bool { return f.At.Before(r.Since) })
	return append([]honoured.Finding{}, found...), err
}

// countUnexplained returns how many findings in list have no other explanation and are not among the
// replaced results that r found in transcripts.
func countUnexplained(r *misses.Report, list []honoured.Finding) (n int) {
	for i := range list {
		b := &list[i]
		if b.Maybe == "" && !slices.ContainsFunc(r.Kept.First, func(c misses.Call) bool { return c.Record == b.Changed }) {
			n++
		}
	}
	return n
}

// addIgnored adds a finding to s for each change in list.
func addIgnored(s *report.Report, list []honoured.Finding) {
	for i := range list {
		b := &list[i]
		style, what := term.Bad, "the model later wrote a secret that checkrein had removed from a result of "+b.Tool
		remedy := message.Do("keep secrets out of the agent's reach; change those that the model has seen")
		if b.Row == capability.Rewrite {
			what, remedy = "a call of "+b.Tool+" ran as it was before a hook rewrote it", message.Do("report it to the agent's makers; checkrein denies such calls there now")
		}
		if b.Maybe != "" {
			style, what, remedy = term.Warn, what+"; it may also be that "+b.Maybe, message.Do("look at the record")
		}
		s.Blank()
		s.AddFinding(style, "", message.New(what, remedy), []term.Span{term.T(term.Faint, s.FormatClock(b.At)+", session "+b.Session), term.P(" "), term.Command("checkrein audit show " + seqText(b.Seen))})
	}
}
