// Package config finds the configuration files of all scopes, parses each in its dialect, and combines
// their hooks.
//
// An invalid entry never affects other entries and never disappears: an entry that cannot be parsed
// becomes a broken hook on its event, and a file that cannot be read becomes a broken hook on every
// event, so that gates stay closed.
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

// Options configure [Load].
type Options struct {
	// Files lists the files to load. If there are any, Load does not search for others, and they are
	// trusted like the user's own files.
	Files []string
	// ByPlace is set if the caller does not vouch for Files. Their scope then depends on their
	// directory; see [Options.ScopeOf].
	ByPlace bool
	// Scope returns the scope of each of Files, in place of the user's; nil = it is the user's, or
	// determined by ByPlace.
	Scope func(file string) checkrein.Scope

	Managed string // the administrator's directory, or ""
	User    string // the user's configuration directory, or ""
	// Policy is a file, or a directory with a checkrein.yaml, that is read instead of the files in
	// User; "" = those are read.
	Policy string
	Agents string // the directory of the user's HOOK.md folders, or ""
	Root   string // the project's directory, or ""
	// NoProject is set if Root is not in a repository and other users may write to it. Then only
	// files with approved hooks are loaded from it.
	NoProject bool

	// AgentFile is an agent file that is loaded as well. Its scope depends on its directory.
	AgentFile string

	Agent string // selects an agent in a file that declares several
	Guess bool   // Agent comes from an event, so a file may lack it

	// Approved lists the files from which a person has approved hooks. Doubt is set if the list may
	// be incomplete.
	Approved []string
	Doubt    bool
	// Hurried is set if a host is waiting for an answer, so that stricter limits apply to unapproved
	// files.
	Hurried bool

	Flags []checkrein.Hook // from the command line, after all others

	Dialect func(hookfile.Source) (*hookfile.Dialect, bool)
	// Cache returns the cache. It is called at most once, when the first file that may be in it is
	// loaded. If it is nil, there is no cache.
	Cache func() Cache

	projectOnly bool // Load searches for the project's files only
}

// A Config is the content of all files.
type Config struct {
	Hooks    []checkrein.Hook // of all scopes: managed, user, project, flags
	Settings setting.Settings
	Managed  setting.Settings // of managed files only, without packs and the ledger
	Files    []File
}

// A File describes a file that was loaded, or could not be.
type File struct {
	Path      string
	Scope     checkrein.Scope
	Dialect   string
	Hooks     int      // how many it declares, without those that its dialect adds
	Digest    [32]byte // of its content and of Dialect.Beside; zero if it was not read
	Err       error    // all mistakes in it, joined
	Lost      error    // the part of Err for which there is no broken hook
	Trial     bool     // in a bundle of a fleet on trial: it is in shadow mode, and its settings do not count
	OverLimit error    // Err if the file was not loaded because it exceeds a limit for unapproved files
	Warnings  []error  // probable mistakes that do not prevent loading
}

// Err returns the joined errors of all files.
func (c *Config) Err() error {
	var errs []error
	for i := range c.Files {
		errs = append(errs, c.Files[i].Err)
	}
	return errors.Join(errs...)
}

const (
	maxIncludes = 8   // how deep files may include each other
	maxIncluded = 100 // how many files one may include, directly or not
)

// Load loads all files. It does not fail as a whole: errors are recorded in the Config.
func Load(opts Options) *Config {
	l := loader{opts: opts, out: &Config{}}
	if len(opts.Files) > 0 {
		for _, named := range opts.Files {
			for _, f := range HookFiles(absolute(named)) {
				scope := checkrein.ScopeUser
				switch {
				case opts.Scope != nil:
					scope = opts.Scope(f)
				case opts.ByPlace:
					scope = opts.ScopeOf(f)
				}
				l.loadFile(f, scope, false, nil)
			}
		}
	} else {
		for _, p := range findFiles(opts) {
			if p.trial {
				l.loadTrial(p)
				continue
			}
			if p.overLimit != nil {
				l.addIgnored(p.path, p.overLimit)
				continue
			}
			if p.err != nil {
				l.addLost(File{Path: p.path, Scope: p.scope}, &checkrein.HookError{Origin: checkrein.Origin{File: p.path}, Err: p.err})
				continue
			}
			l.loadFile(p.path, p.scope, true, nil)
		}
	}
	if opts.AgentFile != "" {
		l.loadFile(absolute(opts.AgentFile), opts.ScopeOf(opts.AgentFile), false, nil)
	}
	l.warnSameNames()
	if l.out.Settings.Snapshot {
		l.out.Hooks = append(l.out.Hooks, snapshotHooks()...)
	}
	l.out.Hooks = append(l.out.Hooks, opts.Flags...)
	return l.out
}

// filesAreTrusted reports whether the caller vouches for o.Files regardless of their directories.
func (o *Options) filesAreTrusted() bool { return len(o.Files) > 0 && !o.ByPlace }

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// A loader loads files one after another.
type loader struct {
	opts     Options
	out      *Config
	included int // files that the current one included, directly or not
	spent    usage
	cache    *Cache // nil until userCache is called

	trial bool // the current file is of a bundle on trial

	witness, command checkrein.Scope // of the files that set the ledger's witness and command
}

// loadFile loads the file at path and the files that it includes; includers are the files through
// which it was included. An optional file may be missing, but a dangling symlink is an error.
func (l *loader) loadFile(path string, scope checkrein.Scope, optional bool, includers []string) {
	if len(includers) == 0 {
		l.included = 0
	}
	capped := scope == checkrein.ScopeProject && !l.isApproved(path)
	if capped && l.spent.over {
		return
	}
	src, err := ReadContent(l.opts.Dialect, path, l.sizeLimit(path, scope))
	if err == nil && scope <= checkrein.ScopeUser && !l.opts.filesAreTrusted() {
		err = userdirs.CheckFile(path) // a file of another user must not count as the user's own
	}
	if optional && err != nil && isGone(path, err) { // removed since it was found
		return
	}
	if capped && errors.Is(err, state.ErrTooLarge) {
		l.addIgnored(path, fmt.Errorf("this file is larger than %d KiB and not approved, so it is ignored", l.opts.unapprovedLimits().each>>10))
		return
	}
	if capped && !l.countUsage(path, 1, 0) {
		return
	}
	status := File{Path: path, Scope: scope, Trial: l.trial}
	if err != nil {
		l.addUnreadable(status, src, &checkrein.HookError{Origin: checkrein.Origin{File: path}, Err: err})
		return
	}
	source := hookfile.Source{File: path, Data: src, Agent: l.opts.Agent, Guess: l.opts.Guess || l.opts.AgentFile != "" && path != absolute(l.opts.AgentFile)}
	d, ok := l.opts.Dialect(source)
	if ok {
		source.Beside = readBeside(d, path, l.sizeLimit(path, scope))
	}
	if !ok {
		l.addLost(status, UnknownDialectError(path))
		return
	}
	if capped && !l.countUsage(path, 0, parsedSize(d, src)+len(source.Beside)) {
		return
	}
	status.Dialect, status.Digest = d.Name, sourceDigest(&source)
	parsed, err := l.parseCached(d, source, scope)
	status.Err, status.Lost, status.Warnings = err, parsed.Lost, parsed.Warnings
	for i := range parsed.Hooks {
		if !parsed.Hooks[i].Implied {
			status.Hooks++
		}
	}
	status.Warnings = append(status.Warnings, setScope(&parsed, d, scope)...)
	if isUserHookFolder(d, scope) {
		ignoreUnclearFaults(parsed.Hooks)
	}
	l.out.Hooks = append(l.out.Hooks, parsed.Hooks...)
	switch {
	case parsed.Lost != nil && isUserHookFolder(d, scope):
		l.out.Hooks = append(l.out.Hooks, breakHooks(parsed.Instead, parsed.Lost)...)
	case parsed.Lost != nil:
		l.out.Hooks = append(l.out.Hooks, lostHooks(path, scope, parsed.Lost)...)
	}
	l.addAllSettings(&parsed.Settings, scope)
	l.out.Files = append(l.out.Files, status)
	l.loadIncludes(path, scope, parsed.Includes, append(includers, path))
}

// loadTrial loads a file of a bundle that is on trial: its hooks and packs are in shadow mode, and its
// mistakes stop nothing.
func (l *loader) loadTrial(p candidate) {
	from := len(l.out.Hooks)
	l.trial = true
	if p.err != nil {
		l.addLost(File{Path: p.path, Scope: p.scope, Trial: true}, &checkrein.HookError{Origin: checkrein.Origin{File: p.path}, Err: p.err})
	} else {
		l.loadFile(p.path, p.scope, true, nil)
	}
	l.trial = false
	for i := range l.out.Hooks[from:] {
		h := &l.out.Hooks[from+i]
		if h.Shadow, h.ShadowUntil = true, ""; h.Broken != "" {
			h.OnFault = checkrein.FaultIgnore
		}
	}
}

// addAllSettings merges the settings of a file of that scope into the result. Of a bundle on trial only
// packs are taken, which packset.Merge keeps in shadow mode.
func (l *loader) addAllSettings(s *setting.Settings, scope checkrein.Scope) {
	for _, p := range s.Packs { // packset.Merge ensures that a project's only tighten
		p.From.Scope, p.Trial = scope, l.trial
		l.out.Settings.Packs = append(l.out.Settings.Packs, p)
	}
	if l.trial {
		return
	}
	if scope <= checkrein.ScopeUser {
		l.addSettings(*s, scope)
	} else {
		mergeSettings(&l.out.Settings, tighteningOf(s))
	}
	for _, g := range s.Grants { // those of a project are ignored later, with a warning
		g.From.Scope = scope
		l.out.Settings.Grants = append(l.out.Settings.Grants, g)
	}
	for _, c := range s.Channels { // likewise
		c.From.Scope = scope
		l.out.Settings.Channels = append(l.out.Settings.Channels, c)
	}
	for _, j := range s.Judges { // likewise
		j.From.Scope = scope
		l.out.Settings.Judges = append(l.out.Settings.Judges, j)
	}
}

// setScope sets the scope of the file's hooks and the properties that depend on it. It returns a
// warning for each setting that has no effect in that scope.
func setScope(file *hookfile.File, d *hookfile.Dialect, scope checkrein.Scope) (warnings []error) {
	for i := range file.Hooks {
		h := &file.Hooks[i]
		h.From.Scope = scope
		// Implied hooks need no approval, because the dialect adds them to every file.
		h.From.Approval = (scope == checkrein.ScopeProject || d.Approval) && !h.Implied
		if file.Settings.Off {
			h.Off = "switched off by " + d.Beside + " in the same folder, which says shell_hooks.enabled: false"
		}
		if h.Shadow && scope > checkrein.ScopeUser {
			h.Shadow, h.ShadowUntil = false, ""
			err := errors.New("mode: shadow counts only in your own and managed files, so the hook is enforced")
			warnings = append(warnings, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: err, Remedy: "remove it"})
		}
	}
	return warnings
}

// UnknownDialectError returns the error for a file that no dialect recognises.
func UnknownDialectError(path string) error {
	return &checkrein.HookError{Origin: checkrein.Origin{File: path, Line: 1}, Err: errors.New("cannot tell which program this file is for"),
		Remedy: "for a checkrein file, add version: 1 as the first line; others have agents: (docker-agent), " +
			`hooks: [{event: …}] (starchild) or {"hooks": {…}} (Claude) at their top level`}
}

// parsedSize returns how many bytes of src the dialect d parses.
func parsedSize(d *hookfile.Dialect, src []byte) int {
	if d.Front == nil {
		return len(src)
	}
	return d.Front(src)
}

// sourceDigest returns the digest of src, including the content of its other file, if any.
func sourceDigest(src *hookfile.Source) [32]byte {
	if src.Beside == nil {
		return sha256.Sum256(src.Data)
	}
	return sha256.Sum256(append(append(bytes.Clone(src.Data), 0), src.Beside...))
}

// ReadContent returns the content of the file path, or only its beginning if its dialect, which the
// function of returns, needs no more. A file larger than limit is an error.
func ReadContent(of func(hookfile.Source) (*hookfile.Dialect, bool), path string, limit int64) (src []byte, err error) {
	if d, ok := of(hookfile.Source{File: path}); ok && d.Head > 0 {
		src, err = state.ReadHead(path, d.Head)
	} else {
		src, err = state.ReadRegular(path, limit)
	}
	return bytes.TrimPrefix(src, []byte("\ufeff")), err // some editors add a byte order mark
}

// readBeside returns the content of the other file that the dialect reads in the directory of path, or
// nil if there is none.
func readBeside(d *hookfile.Dialect, path string, limit int64) []byte {
	if d.Beside == "" {
		return nil
	}
	data, _ := state.ReadRegular(filepath.Join(filepath.Dir(path), d.Beside), limit)
	return data
}

// parseCached returns the result of parsing src, from the cache of its scope if possible.
func (l *loader) parseCached(d *hookfile.Dialect, src hookfile.Source, scope checkrein.Scope) (hookfile.File, error) {
	get, put := l.getManaged, l.writeManagedCache
	if scope != checkrein.ScopeManaged {
		get, put = l.userCache().get, l.userCache().put
	}
	if r, ok := get(d, src); ok {
		return r.File, r.err
	}
	read := d.Parse
	if scope == checkrein.ScopeProject {
		read = func(src hookfile.Source) (hookfile.File, error) { return l.parseWithDeadline(d, src) }
	}
	file, err := read(src)
	if !isTemporary(err) && !slices.ContainsFunc(file.Warnings, isTemporary) {
		put(d, src, &parseResult{file, err})
	}
	return file, err
}

// errLate is the error for files that take too long to parse.
var errLate = errors.New("reading the project's files takes too long")

// isTemporary reports whether err is not caused by the file's content, so that parsing it may succeed
// the next time.
func isTemporary(err error) bool {
	return errors.Is(err, yamldoc.ErrUnavailable) || errors.Is(err, errLate)
}

// addSettings merges the settings of a file into the result.
func (l *loader) addSettings(s setting.Settings, scope checkrein.Scope) {
	mergeSettings(&l.out.Settings, &s)
	if scope == checkrein.ScopeManaged {
		mergeSettings(&l.out.Managed, &s)
	}
	l.addLedger(s.Ledger, scope)
}

// tighteningOf returns the part of s, the settings of a project, that counts: a project may only tighten.
func tighteningOf(s *setting.Settings) *setting.Settings {
	var out setting.Settings
	if s.NotReplaced == setting.NotReplacedDeny {
		out.NotReplaced = s.NotReplaced
	}
	if s.Walls.Contain >= setting.ContainProject {
		out.Walls.Contain = s.Walls.Contain
	}
	out.Walls.Hide = s.Walls.Hide
	return &out
}

// mergeSettings merges s into have: a switch that one file turns on stays on, and of two values the
// larger counts.
func mergeSettings(have, s *setting.Settings) {
	have.ProjectMayAllow = have.ProjectMayAllow || s.ProjectMayAllow
	have.SelfApprove = have.SelfApprove || s.SelfApprove
	have.Snapshot = have.Snapshot || s.Snapshot
	have.Shadow = max(have.Shadow, s.Shadow)
	have.OnFull = max(have.OnFull, s.OnFull)
	have.NotReplaced = max(have.NotReplaced, s.NotReplaced)
	have.Issuers = append(have.Issuers, s.Issuers...)
	have.Walls.Contain = max(have.Walls.Contain, s.Walls.Contain)
	have.Walls.Hide = append(have.Walls.Hide, s.Walls.Hide...)
	have.Walls.Write = append(have.Walls.Write, s.Walls.Write...)
	have.Walls.Network = have.Walls.Network || s.Walls.Network
	have.Walls.Sockets = have.Walls.Sockets || s.Walls.Sockets
	have.Approvals.Wait = max(have.Approvals.Wait, s.Approvals.Wait)
	have.Approvals.Notify = append(have.Approvals.Notify, s.Approvals.Notify...)
}

// addLedger merges a file's ledger settings into the result. If several files set a witness, that of
// the most trusted file counts, or the first of several equally trusted ones. No file can shorten how
// long another one keeps records.
func (l *loader) addLedger(s setting.Ledger, scope checkrein.Scope) {
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

// loadIncludes loads the files that path includes. Each gets the less trusted of its own scope and
// that of path.
func (l *loader) loadIncludes(path string, scope checkrein.Scope, list []hookfile.Include, includers []string) {
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
		if scope != checkrein.ScopeProject || !l.isApproved(target) { // approved files do not count against the limit
			l.included++
			if l.included > maxIncluded+1 {
				continue // already reported
			}
			if l.included > maxIncluded {
				problem = fmt.Sprintf("more than %d files are included", maxIncluded)
			}
		}
		if problem != "" {
			l.addLost(File{Path: target, Scope: scope}, &checkrein.HookError{
				Origin: checkrein.Origin{File: path, Line: inc.Line}, Err: fmt.Errorf("include %s: %s", inc.File, problem)})
			continue
		}
		l.loadFile(target, max(scope, l.includedScope(target, scope)), false, includers)
	}
}

// includedScope returns the scope of an included file, by its directory and by that of its target if
// it is a symlink. A file in a project came with the project; for other files the includer vouches. If
// the user named the files to load, they vouch for those and for everything that they include.
func (l *loader) includedScope(path string, includer checkrein.Scope) checkrein.Scope {
	if l.opts.filesAreTrusted() {
		return includer
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	for _, p := range [...]string{path, real} {
		if isBelow(p, l.opts.User) {
			includer = max(includer, checkrein.ScopeUser)
		}
		if isInProject(l.opts.Root) && !isBelow(l.opts.User, l.opts.Root) && isBelow(p, l.opts.Root) && !isBelow(p, l.opts.User) && !isBelow(p, l.opts.Managed) {
			return checkrein.ScopeProject
		}
	}
	return includer
}

// isBelow reports whether path is dir or below it. It returns false if dir is "".
func isBelow(path, dir string) bool {
	if dir == "" {
		return false
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// addLost adds a file that could not be loaded because of err, and broken hooks in place of its hooks.
func (l *loader) addLost(f File, err error) {
	f.Err, f.Lost = err, err
	l.out.Files = append(l.out.Files, f)
	l.out.Hooks = append(l.out.Hooks, lostHooks(f.Path, f.Scope, err)...)
}

// LostID is the ID of the broken hooks in place of a file that could not be loaded.
const LostID = "configuration"

// lostHooks returns broken hooks in place of a file that could not be loaded, one for every event.
// Gates deny; the others warn the user.
func lostHooks(path string, scope checkrein.Scope, err error) []checkrein.Hook {
	from := checkrein.Origin{Scope: scope, File: path}
	var where *checkrein.HookError
	if errors.As(err, &where) && where.Origin.File == path {
		from.Line = where.Origin.Line
	}
	hooks := make([]checkrein.Hook, 0, checkrein.NumKinds)
	for _, row := range checkrein.Contracts() {
		h := checkrein.Hook{ID: LostID, On: row.Kind, Priority: hookfile.MaxPriority, From: from,
			Broken: "the configuration cannot be read: " + err.Error(), OnFault: checkrein.FaultWarn}
		if row.Closed {
			h.OnFault = checkrein.FaultBlock
		}
		hooks = append(hooks, h)
	}
	return hooks
}
