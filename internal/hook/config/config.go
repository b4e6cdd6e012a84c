// Package config finds configuration files by scope, reads them in whatever
// dialect they are written, and puts their hooks together.
//
// One bad entry never takes the others down, and never vanishes: what cannot be
// read becomes a broken hook on its event, and a file that cannot be read at
// all a broken hook on every event, so that gates stay closed.
package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Options say where to look.
type Options struct {
	// Files are given by name. With any, nothing is searched for, and they
	// are trusted as the person's own.
	Files []string
	// ByPlace is set if the caller does not vouch for Files: they are as trusted as the place
	// that they lie in, see [Options.ScopeOf].
	ByPlace bool

	Managed string // the administrator's directory, "" = none
	User    string // the person's directory, "" = none
	Agents  string // the directory of the person's HOOK.md folders, "" = none
	Root    string // the project's directory, "" = none
	// NoProject is set if others may write to Root, which is no repository: only
	// files with approved hooks count there.
	NoProject bool

	// AgentFile is an agent file that is read beside what is found, as trusted as
	// the place that it lies in.
	AgentFile string

	Agent string // which agent of a file that declares several
	Guess bool   // Agent comes from an event, so files need not know it

	// Approved are the files from which a person approved hooks. Doubt says that
	// nobody can tell which those are.
	Approved []string
	Doubt    bool
	// Hurried is set if a host waits for an answer: less of what is unapproved
	// is looked at.
	Hurried bool

	Flags []checkrein.Hook // from the command line, after everything else

	Dialect func(hookfile.Source) (*hookfile.Dialect, bool)
	// Cache is asked for with the first file that may be in it; nil = nothing is remembered.
	Cache func() Cache

	alone bool // only the project's files are searched for
}

// A Config is everything that the files say.
type Config struct {
	Hooks    []checkrein.Hook // of all scopes: managed, user, project, flags
	Settings setting.Settings
	Managed  setting.Settings // those of managed files alone, without packs and the ledger
	Files    []File
}

// A File is one that was read, or could not be.
type File struct {
	Path     string
	Scope    checkrein.Scope
	Dialect  string
	Hooks    int
	Sum      [32]byte // of its bytes, and of the file beside it; zero when it was not read
	Err      error    // everything wrong with it, joined
	Lost     error    // the part of Err that no hook stands for
	Over     error    // it is Err: there is more of it than is read, and nobody approved any of that
	Warnings []error  // what works and is probably not meant
}

// Err returns what is wrong with all files, joined.
func (c *Config) Err() error {
	var errs []error
	for i := range c.Files {
		errs = append(errs, c.Files[i].Err)
	}
	return errors.Join(errs...)
}

const (
	maxIncludes = 8   // how deep files include each other
	maxIncluded = 100 // how many one file brings with it, however deep
)

// Load reads all files. It does not fail as a whole: what is wrong is in the
// Config.
func Load(opts Options) *Config {
	l := loader{opts: opts, out: &Config{}}
	if len(opts.Files) > 0 {
		for _, named := range opts.Files {
			for _, f := range HookFiles(absolute(named)) {
				scope := checkrein.ScopeUser
				if opts.ByPlace {
					scope = opts.ScopeOf(f)
				}
				l.file(f, scope, false, nil)
			}
		}
	} else {
		for _, p := range find(opts) {
			if p.over != nil {
				l.leaveOut(p.path, p.over)
				continue
			}
			if p.err != nil {
				l.lose(File{Path: p.path, Scope: p.scope}, &checkrein.HookError{Origin: checkrein.Origin{File: p.path}, Err: p.err})
				continue
			}
			l.file(p.path, p.scope, true, nil)
		}
	}
	if opts.AgentFile != "" {
		l.file(absolute(opts.AgentFile), opts.ScopeOf(opts.AgentFile), false, nil)
	}
	l.namesakes()
	if l.out.Settings.Snapshot {
		l.out.Hooks = append(l.out.Hooks, snapshotHooks()...)
	}
	l.out.Hooks = append(l.out.Hooks, opts.Flags...)
	return l.out
}

// trusted reports whether a person vouches for the files, wherever they lie.
func (o *Options) trusted() bool { return len(o.Files) > 0 && !o.ByPlace }

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// A loader reads files one after another.
type loader struct {
	opts     Options
	out      *Config
	included int // files that the current one brought with it
	spent    allowance
	cache    *Cache // nil = it was not asked for

	witness, command checkrein.Scope // whose the ledger's are, where they are set
}

// file reads one file and what it includes. Optional files may be missing; a
// link that leads nowhere is not missing but broken.
func (l *loader) file(path string, scope checkrein.Scope, optional bool, includers []string) {
	if len(includers) == 0 {
		l.included = 0
	}
	capped := scope == checkrein.ScopeProject && !l.vouched(path)
	if capped && l.spent.over {
		return
	}
	src, err := Content(l.opts.Dialect, path, l.sizeLimit(path, scope))
	if err == nil && scope <= checkrein.ScopeUser && !l.opts.trusted() {
		err = userdirs.CheckFile(path) // else what anyone wrote would be the person's word
	}
	if optional && err != nil && gone(path, err) { // just now
		return
	}
	if capped && errors.Is(err, state.ErrTooLarge) {
		l.leaveOut(path, fmt.Errorf("this file is larger than %d KiB and not approved, so it is ignored", l.opts.limits().each>>10))
		return
	}
	if capped && !l.spend(path, 1, 0) {
		return
	}
	status := File{Path: path, Scope: scope}
	if err != nil {
		l.loseOne(status, src, &checkrein.HookError{Origin: checkrein.Origin{File: path}, Err: err})
		return
	}
	source := hookfile.Source{File: path, Data: src, Agent: l.opts.Agent, Guess: l.opts.Guess || l.opts.AgentFile != "" && path != absolute(l.opts.AgentFile)}
	d, ok := l.opts.Dialect(source)
	if ok {
		source.Beside = beside(d, path, l.sizeLimit(path, scope))
	}
	if !ok {
		l.lose(status, UnknownShape(path))
		return
	}
	if capped && !l.spend(path, 0, parsedOf(d, src)+len(source.Beside)) {
		return
	}
	status.Dialect, status.Sum = d.Name, sum(&source)
	parsed, err := l.parse(d, source, scope)
	status.Err, status.Lost, status.Warnings, status.Hooks = err, parsed.Lost, parsed.Warnings, len(parsed.Hooks)
	status.Warnings = append(status.Warnings, setScope(&parsed, d, scope)...)
	if ownFolder(d, scope) {
		closeCovered(parsed.Hooks)
	}
	l.out.Hooks = append(l.out.Hooks, parsed.Hooks...)
	switch {
	case parsed.Lost != nil && ownFolder(d, scope):
		l.out.Hooks = append(l.out.Hooks, standIns(parsed.Instead, parsed.Lost)...)
	case parsed.Lost != nil:
		l.out.Hooks = append(l.out.Hooks, lostHooks(path, scope, parsed.Lost)...)
	}
	if scope <= checkrein.ScopeUser {
		l.settings(parsed.Settings, scope)
	} else if parsed.Settings.NotReplaced == setting.NotReplacedDeny { // a project may tighten
		l.out.Settings.NotReplaced = setting.NotReplacedDeny
	}
	for _, p := range parsed.Settings.Packs { // a project's may tighten
		p.From.Scope = scope
		l.out.Settings.Packs = append(l.out.Settings.Packs, p)
	}
	for _, g := range parsed.Settings.Grants { // a project's are said not to count
		g.From.Scope = scope
		l.out.Settings.Grants = append(l.out.Settings.Grants, g)
	}
	for _, c := range parsed.Settings.Channels { // likewise
		c.From.Scope = scope
		l.out.Settings.Channels = append(l.out.Settings.Channels, c)
	}
	for _, j := range parsed.Settings.Judges { // likewise
		j.From.Scope = scope
		l.out.Settings.Judges = append(l.out.Settings.Judges, j)
	}
	l.out.Files = append(l.out.Files, status)
	l.includes(path, scope, parsed.Includes, append(includers, path))
}

// setScope gives the hooks of a file its scope and what follows from that. It returns a
// warning for each setting that does not count in that scope.
func setScope(file *hookfile.File, d *hookfile.Dialect, scope checkrein.Scope) (warnings []error) {
	for i := range file.Hooks {
		h := &file.Hooks[i]
		h.From.Scope = scope
		// A dialect adds implied hooks to every file: they need no approval.
		h.From.Approval = (scope == checkrein.ScopeProject || d.Approval) && !h.Implied
		if file.Settings.Off {
			h.Off = "switched off by " + d.Beside + " in the same folder, which says shell_hooks.enabled: false"
		}
		if h.Shadow && scope != checkrein.ScopeManaged {
			h.Shadow = false
			err := errors.New("mode: shadow counts only in managed files, so the hook is enforced")
			warnings = append(warnings, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: err, Remedy: "remove it"})
		}
	}
	return warnings
}

// UnknownShape returns the error about a file that has the shape of no dialect.
func UnknownShape(path string) error {
	return &checkrein.HookError{Origin: checkrein.Origin{File: path, Line: 1}, Err: errors.New("cannot tell which program this file is for"),
		Remedy: "for a checkrein file, add version: 1 as the first line; others have agents: (docker-agent), " +
			`hooks: [{event: …}] (starchild) or {"hooks": {…}} (Claude) at their top level`}
}

// parsedOf is how many bytes of a file its dialect looks into.
func parsedOf(d *hookfile.Dialect, src []byte) int {
	if d.Front == nil {
		return len(src)
	}
	return d.Front(src)
}

// sum is the digest of what was read.
func sum(src *hookfile.Source) [32]byte {
	if src.Beside == nil {
		return sha256.Sum256(src.Data)
	}
	return sha256.Sum256(append(append(bytes.Clone(src.Data), 0), src.Beside...))
}

// Content reads a file, or as much of it as its dialect needs.
func Content(of func(hookfile.Source) (*hookfile.Dialect, bool), path string, limit int64) (src []byte, err error) {
	if d, ok := of(hookfile.Source{File: path}); ok && d.Head > 0 {
		src, err = state.ReadHead(path, d.Head)
	} else {
		src, err = state.ReadRegular(path, limit)
	}
	return bytes.TrimPrefix(src, []byte("\ufeff")), err // which some editors begin files with
}

// beside reads the file that a dialect looks at beside the one at path. It need not be
// there.
func beside(d *hookfile.Dialect, path string, limit int64) []byte {
	if d.Beside == "" {
		return nil
	}
	data, _ := state.ReadRegular(filepath.Join(filepath.Dir(path), d.Beside), limit)
	return data
}

// parse reads a file through the cache of its scope.
func (l *loader) parse(d *hookfile.Dialect, src hookfile.Source, scope checkrein.Scope) (hookfile.File, error) {
	get, put := l.getManaged, l.putManaged
	if scope != checkrein.ScopeManaged {
		get, put = l.personCache().get, l.personCache().put
	}
	if r, ok := get(d, src); ok {
		return r.File, r.err
	}
	read := d.Parse
	if scope == checkrein.ScopeProject {
		read = func(src hookfile.Source) (hookfile.File, error) { return l.parseInTime(d, src) }
	}
	file, err := read(src)
	if !isTemporary(err) && !slices.ContainsFunc(file.Warnings, isTemporary) {
		put(d, src, &reading{file, err})
	}
	return file, err
}

// errLate is the error about files that take too long to read.
var errLate = errors.New("reading the project's files takes too long")

// isTemporary reports whether an error is not about the file's text, so that the next
// reading may succeed.
func isTemporary(err error) bool {
	return errors.Is(err, yamldoc.ErrUnavailable) || errors.Is(err, errLate)
}

// settings adds switches: what one file turns on stays on.
func (l *loader) settings(s setting.Settings, scope checkrein.Scope) {
	join(&l.out.Settings, &s)
	if scope == checkrein.ScopeManaged {
		join(&l.out.Managed, &s)
	}
	l.ledger(s.Ledger, scope)
}

func join(have, s *setting.Settings) {
	have.ProjectMayAllow = have.ProjectMayAllow || s.ProjectMayAllow
	have.SelfApprove = have.SelfApprove || s.SelfApprove
	have.Snapshot = have.Snapshot || s.Snapshot
	have.Shadow = max(have.Shadow, s.Shadow)
	have.OnFull = max(have.OnFull, s.OnFull)
	have.NotReplaced = max(have.NotReplaced, s.NotReplaced)
	have.Issuers = append(have.Issuers, s.Issuers...)
}

// ledger adds what a file says of the ledger. Of two witnesses the more trusted
// file's stays, or else the first; nobody can shorten what another one keeps.
func (l *loader) ledger(s setting.Ledger, scope checkrein.Scope) {
	have := &l.out.Settings.Ledger
	have.KeepDays = max(have.KeepDays, s.KeepDays)
	have.KeepMiB = max(have.KeepMiB, s.KeepMiB)
	if s.Witness != "" && (have.Witness == "" || scope < l.witness) {
		have.Witness, l.witness = s.Witness, scope
	}
	if s.WitnessCommand != nil && (have.WitnessCommand == nil || scope < l.command) {
		have.WitnessCommand, l.command = s.WitnessCommand, scope
	}
}

// includes reads included files. Each gets the less trusted of its own scope
// and its includer's.
func (l *loader) includes(path string, scope checkrein.Scope, list []hookfile.Include, includers []string) {
	for _, inc := range list {
		target := inc.File
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		problem := ""
		if strings.HasPrefix(inc.File, "~") {
			problem = "~ does not mean the home directory here: write an absolute path, or one relative to this file"
		}
		for _, p := range includers {
			if p == target {
				problem = "the file includes itself: remove this include"
			}
		}
		if len(includers) > maxIncludes {
			problem = fmt.Sprintf("files include each other more than %d deep", maxIncludes)
		}
		if scope != checkrein.ScopeProject || !l.vouched(target) { // which must not be pushed out
			l.included++
			if l.included > maxIncluded+1 {
				continue // that was said
			}
			if l.included > maxIncluded {
				problem = fmt.Sprintf("more than %d files are included", maxIncluded)
			}
		}
		if problem != "" {
			l.lose(File{Path: target, Scope: scope}, &checkrein.HookError{
				Origin: checkrein.Origin{File: path, Line: inc.Line}, Err: fmt.Errorf("include %s: %s", inc.File, problem)})
			continue
		}
		l.file(target, max(scope, l.scopeOf(target, scope)), false, includers)
	}
}

// scopeOf is how far an included file is trusted by the place it lies in, and
// by the one that it links to: what lies in a project came with it, what lies
// anywhere else its includer vouches for. What a person named they vouch for,
// wherever it lies, with all that it includes.
func (l *loader) scopeOf(path string, includer checkrein.Scope) checkrein.Scope {
	if l.opts.trusted() {
		return includer
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, p := range [...]string{path, real} {
		if below(p, l.opts.User) {
			includer = max(includer, checkrein.ScopeUser)
		}
		if isProject(l.opts.Root) && !below(l.opts.User, l.opts.Root) && below(p, l.opts.Root) && !below(p, l.opts.User) && !below(p, l.opts.Managed) {
			return checkrein.ScopeProject
		}
	}
	return includer
}

func below(path, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (l *loader) lose(f File, err error) {
	f.Err, f.Lost = err, err
	l.out.Files = append(l.out.Files, f)
	l.out.Hooks = append(l.out.Hooks, lostHooks(f.Path, f.Scope, err)...)
}

// Lost marks hooks that stand for a file which could not be read.
const Lost = "configuration"

// lostHooks stand for a file that could not be read, on every event: gates
// deny, the others tell the person.
func lostHooks(path string, scope checkrein.Scope, err error) []checkrein.Hook {
	from := checkrein.Origin{Scope: scope, File: path}
	var where *checkrein.HookError
	if errors.As(err, &where) && where.Origin.File == path {
		from.Line = where.Origin.Line
	}
	hooks := make([]checkrein.Hook, 0, checkrein.NumKinds)
	for _, row := range checkrein.Contracts() {
		h := checkrein.Hook{ID: Lost, On: row.Kind, Priority: hookfile.MaxPriority, From: from,
			Broken: "the configuration cannot be read: " + err.Error(), OnFault: checkrein.FaultWarn}
		if row.Closed {
			h.OnFault = checkrein.FaultBlock
		}
		hooks = append(hooks, h)
	}
	return hooks
}
