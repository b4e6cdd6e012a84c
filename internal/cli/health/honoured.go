package health

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/transcripts"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/records"
	"github.com/checkrein/checkrein/internal/evidence/honoured"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// maxCheckedSessions is how many sessions of a host are checked, newest first.
const maxCheckedSessions = 200

// verifyHonoured checks, by later events of the same session, whether hosts used results and calls as
// hooks changed them. For each change that a build ignored, it saves that fact and returns a sentence
// about it. It also returns a sentence about each uncertain case, but does not save it. Each case is
// reported once.
func verifyHonoured(ctx context.Context, env *console.Env) (said []string, err error) {
	m, err := base.Machine(env)
	if err != nil {
		return nil, err
	}
	began := env.Now().UTC()
	known := map[string]time.Time{}
	unlock := func() {}
	defer func() { unlock() }()
	since := func(name string) (time.Time, error) {
		if len(known) == 0 { // lock, so that two processes do not report the same case
			free, err := m.Caps.Dir.Lock(capability.Folder + "/heard")
			if err != nil {
				return time.Time{}, err
			}
			unlock = free
		}
		l, err := m.Caps.Load(name)
		known[name] = l.RewritesChecked
		return l.RewritesChecked, err
	}
	found, err := findIgnored(ctx, env, m.HostNames(), began.Add(-verifyAge), since)
	if errors.Is(err, state.ErrBusy) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for i := range found {
		f := &found[i]
		if !f.At.After(known[f.Host]) {
			continue // it was reported before
		}
		text := uncertainText(m, f)
		if f.Maybe == "" {
			var e error
			text, e = saveDowngrade(m, f.Host, f.Row, f.At)
			err = errors.Join(err, e)
		}
		if text != "" {
			said = append(said, text)
		}
		if f.At.After(began) { // recorded during this check
			began = f.At
		}
	}
	for name := range known {
		err = errors.Join(err, m.Caps.Change(name, func(l *capability.Ledger) { l.RewritesChecked = began }))
	}
	return said, err
}

// uncertainText returns a sentence about a change that the host of f may have ignored, with the other
// possible explanation.
func uncertainText(m *install.Machine, f *honoured.Finding) string {
	title := f.Host
	if rep, err := m.Status(f.Host); err == nil {
		title = rep.Title
	}
	fact, _ := capability.FactOf(f.Row)
	return title + " may have ignored a verdict: it " + fact.DoesNot + ". It may also be that " + f.Maybe + ". To see the record, run checkrein explain " + seqText(f.Seen)
}

// findIgnored returns the changes that hooks made since from and that hosts ignored, judging by later
// events of the same session. It checks only sessions with events since the last check of their host,
// as returned by last.
func findIgnored(ctx context.Context, env *console.Env, hosts []string, from time.Time, last func(host string) (time.Time, error)) ([]honoured.Finding, error) {
	dir, err := records.LedgerFlag("").Dir(env)
	if err != nil {
		return nil, err
	}
	l, err := openComparedLedger(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	defer l.close()
	h := honouredCheck{ctx: ctx, env: env, ledger: l}
	for _, name := range hosts {
		spec, ok := host.Find(name)
		if !ok {
			continue
		}
		sessions, err := h.changedSessions(name, from)
		if err != nil {
			return nil, err
		}
		if len(sessions) == 0 {
			continue
		}
		before, err := last(name)
		if err != nil {
			return nil, err
		}
		for _, id := range sessions {
			if err := h.checkSession(name, id, honoured.Host{Ran: spec.ReportsRunInput}, before); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(h.found, func(a, b honoured.Finding) int { return cmp.Compare(a.Seen, b.Seen) })
	return h.found, nil
}

// A honouredCheck searches the sessions in a ledger for changes by hooks that hosts ignored.
type honouredCheck struct {
	ctx    context.Context
	env    *console.Env
	ledger comparedLedger
	found  []honoured.Finding
}

// eachRecord calls fn with each record that f accepts, until fn returns false. It skips unreadable
// records.
func (h *honouredCheck) eachRecord(f index.Filter, fn func(*record.Record) bool) error {
	return h.ledger.Each(h.ctx, f, func(raw []byte) bool {
		r, err := record.Decode(raw)
		return err != nil || fn(r) // unreadable records are reported by audit verify
	})
}

// changedSessions returns the ids of the sessions of the host name in which hooks changed a result or
// a call since from, newest first and at most maxCheckedSessions of them.
func (h *honouredCheck) changedSessions(name string, from time.Time) (out []string, err error) {
	f := index.Filter{Host: []string{name}, Kind: ledger.KindEvent, Effect: slices.Concat(checkrein.CanRewriteOutput.Words(), checkrein.CanRewriteInput.Words()), Since: from}
	err = h.eachRecord(f, func(r *record.Record) bool {
		if r.Session != "" && !slices.Contains(out, r.Session) {
			out = append(out, r.Session)
		}
		return len(out) < maxCheckedSessions
	})
	return out, err
}

// checkSession checks the records of the session id if it has new ones since last, and adds what it
// finds to h.found.
func (h *honouredCheck) checkSession(name, id string, about honoured.Host, last time.Time) error {
	f := index.Filter{Host: []string{name}, Session: []string{id}, Kind: ledger.KindEvent, Oldest: true}
	if !last.IsZero() {
		fresh := f
		fresh.Since = last
		if n, err := h.ledger.Count(h.ctx, fresh); err != nil || n == 0 {
			return err
		}
	}
	s := honoured.New(about)
	var first, end *record.Record
	err := h.eachRecord(f, func(r *record.Record) bool {
		if r.Session != id { // the filter takes a star in the id as a wildcard
			return true
		}
		if end = r; first == nil {
			first = r
		}
		s.CheckRecord(r)
		return true
	})
	for _, found := range s.Findings() {
		if found.Maybe == "" && found.Row == capability.OutputReplaced && err == nil {
			found.Maybe, err = h.otherSource(&found, f, first, end)
		}
		h.found = append(h.found, found)
	}
	return err
}

// otherSource returns where else the model may have got the secret of found from: a record of the
// session that does not mark it as a secret, a file that the host gives to the model, or an event that
// could not be recorded. It returns "" if there is no such source.
func (h *honouredCheck) otherSource(found *honoured.Finding, session index.Filter, first, last *record.Record) (string, error) {
	n, err := h.ledger.Count(h.ctx, index.Filter{Kind: ledger.KindGap, Since: first.Time, Until: last.Time.Add(time.Hour)})
	if err != nil {
		return "", err
	}
	if n > 0 {
		return "it was in an event of that time that could not be recorded", nil
	}
	if h.ledger.Markers == nil {
		return "it is in a file that the agent reads by itself, which cannot be checked because the ledger's key is missing", nil
	}
	has := func(text string) bool { return h.containsSecret(text, found.Secret) }
	why := ""
	err = h.eachRecord(session, func(r *record.Record) bool {
		if r.Session == found.Session {
			why = found.ExplainedBy(r, has)
		}
		return why == "" && r.Seq < found.Seen
	})
	if why != "" || err != nil {
		return why, err
	}
	g := secretSearch{ctx: h.ctx, has: has, seen: map[string]bool{}}
	if name := g.findFile(first.Dir, first.Root, h.env.Environ); name != "" {
		return name + " has it too", nil
	}
	return "", nil
}

// containsSecret reports whether text contains the secret with the marker's id, either as a value that
// looks like a secret or as a plain word.
func (h *honouredCheck) containsSecret(text, id string) bool {
	for _, f := range secret.Find(nil, text, secret.Secrets) {
		if h.ledger.Markers.ID(text[f.Start:f.End]) == id {
			return true
		}
	}
	return !secret.EachPossibleValue(text, func(word string) bool { return h.ledger.Markers.ID(word) != id })
}

// seqText returns the sequence number of a record in decimal.
func seqText(seq uint64) string { return strconv.FormatUint(seq, 10) }

// Limits of the search in files that hosts give to their models.
const (
	maxInstructions = 1 << 20 // bytes of one file
	maxGiven        = 1000    // files
	maxEntries      = 20_000  // directory entries
	maxImports      = 5       // depth of imports
	// parent directories
	maxAbove = 32
)

// A secretSearch searches for a secret in the files that hosts give to their models.
type secretSearch struct {
	ctx     context.Context
	has     func(text string) bool
	seen    map[string]bool
	home    string
	entries int
	found   string // the file that contains the secret, for display
}

// findFile returns the name of a file that contains the secret, among those that hosts give to their
// models in a session with the working directory dir and the project root, or "" if there is none.
func (g *secretSearch) findFile(dir, root string, vars []string) string {
	g.home = environ.Home(vars)
	dirs := []string{dir, root, g.home}
	for up := dir; up != "" && len(dirs) < maxAbove; {
		above := filepath.Dir(up)
		if above == up {
			break
		}
		up = above
		dirs = append(dirs, up)
	}
	for _, d := range dirs {
		if d != "" {
			g.readInstructions(d, "")
		}
	}
	getenv := func(name string) string { v, _ := environ.Lookup(vars, name); return v }
	for p := range transcripts.AllPlaces {
		for _, m := range p.Vars {
			if d := getenv(m.Variable); filepath.IsAbs(d) {
				g.readInstructions(filepath.Join(d, m.Below), p.Home+"/")
			}
		}
	}
	g.readModelWritableFolders(getenv, dir, root)
	for _, d := range []string{dir, root} {
		if d != "" && d != g.home && filepath.Dir(d) != d {
			g.readNestedInstructions(d)
		}
	}
	return g.found
}

// readModelWritableFolders searches the folders in which hosts let the model write, for sessions in
// dirs.
func (g *secretSearch) readModelWritableFolders(getenv func(string) string, dirs ...string) {
	for p := range transcripts.AllPlaces {
		for _, folder := range p.Free {
			for _, d := range dirs {
				if d != "" {
					at := strings.Replace(folder, "*", transcripts.ProjectDirName(d), 1)
					g.readFolder(filepath.Join(p.Dir(g.home, getenv), filepath.FromSlash(at)), filepath.Base(folder))
				}
			}
		}
	}
}

// readInstructions searches the instruction files and folders in dir. If prefix is not "", it reads
// only those whose names begin with prefix, and dir stands for prefix.
func (g *secretSearch) readInstructions(dir, prefix string) {
	for _, name := range hosts.Given {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			g.readFile(filepath.Join(dir, filepath.FromSlash(rest)), name, 0)
		}
	}
	for _, name := range hosts.GivenFolders {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			g.readFolder(filepath.Join(dir, filepath.FromSlash(rest)), name)
		}
	}
}

// readFolder searches the text files in dir, a folder of instruction files. name is the name of the
// folder for display.
func (g *secretSearch) readFolder(dir, name string) {
	g.walk(dir, func(path string) {
		switch strings.ToLower(filepath.Ext(path)) {
		case ".md", ".mdc", ".txt", ".toml":
			rel, _ := filepath.Rel(dir, path)
			g.readFile(path, name+"/"+filepath.ToSlash(rel), 0)
		}
	})
}

// readNestedInstructions searches the instruction files in all directories of a project, since hosts
// give such a file to the model once it reads another file in the same directory.
func (g *secretSearch) readNestedInstructions(dir string) {
	g.walk(dir, func(path string) {
		if slices.Contains(hosts.Given[:], filepath.Base(path)) {
			rel, _ := filepath.Rel(dir, path)
			g.readFile(path, filepath.ToSlash(rel), 0)
		}
	})
}

// walk calls fn with the files below dir, except in .git and node_modules, until the secret is found
// or a limit is reached.
func (g *secretSearch) walk(dir string, fn func(path string)) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if g.entries++; g.found != "" || g.entries > maxEntries || g.ctx.Err() != nil {
			return filepath.SkipAll
		}
		switch {
		case err != nil: // the host cannot read it either
			return nil
		case !d.IsDir():
			fn(path)
		case path != dir && (d.Name() == ".git" || d.Name() == "node_modules"):
			return filepath.SkipDir
		}
		return nil
	})
}

// readFile searches the file at path and those that it imports with @, up to maxImports levels deep.
// name is its name for display.
func (g *secretSearch) readFile(path, name string, depth int) {
	if g.found != "" || g.seen[path] || len(g.seen) >= maxGiven || g.ctx.Err() != nil {
		return
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	g.seen[path] = true
	raw, err := state.ReadRegular(path, maxInstructions)
	if err != nil {
		return
	}
	text := string(raw)
	if g.has(text) {
		g.found = name
		return
	}
	if depth == maxImports {
		return
	}
	for _, word := range strings.Fields(text) {
		at, ok := strings.CutPrefix(strings.TrimLeft(word, "(\"'`<"), "@")
		if at = strings.TrimRight(at, ".,;:)\"'`>"); !ok || at == "" {
			continue
		}
		target := filepath.FromSlash(at)
		if rest, ok := strings.CutPrefix(at, "~/"); ok {
			target = filepath.Join(g.home, filepath.FromSlash(rest))
		} else if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		g.readFile(target, at, depth+1)
	}
}
