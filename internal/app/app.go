// Package app wires the engine to a machine: configuration files, approvals, state, and the handlers
// that need no network. checkrein's own programs use it; package kit exposes part of it to embedders.
// A program that imports it must register a YAML reader.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/coverage"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/catalog/tools"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/guard/save"
	"github.com/checkrein/checkrein/internal/guard/secretguard"
	"github.com/checkrein/checkrein/internal/guard/selfprotect"
	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/guard/usage"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/dialect/hookmd"
	"github.com/checkrein/checkrein/internal/hook/handler/command"
	"github.com/checkrein/checkrein/internal/hook/handler/companion"
	"github.com/checkrein/checkrein/internal/hook/handler/fallback"
	"github.com/checkrein/checkrein/internal/hook/handler/rule"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/hook/reentry"
	"github.com/checkrein/checkrein/internal/hook/setting"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/nolink"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/sys/userdirs"
)

// Options configure [Open]. The zero Options take everything from the process: its directory, its
// environment, and the files of all scopes.
type Options struct {
	Dir     string // the session's working directory; "" = the process's directory
	Session string // the session's id; the directory in which it began decides which project files count
	Host    string // the session's host: a row of the host table, or native
	// Files are read instead of the files of all scopes. They count as the user's own, unless
	// FilesByPlace is set.
	Files []string
	// Defaults is set if the implied hooks are on although files are named.
	Defaults bool
	Agent    string // the agent to use if a file declares several; "" = the file's default
	// AgentFile is the agent file that is run. Its hooks are read in addition to those of all scopes.
	// A file in a repository counts as part of that repository.
	AgentFile string
	// CheckoutOf is the project of which Dir is a fresh checkout. Approvals that were given there count
	// here for files with the same contents.
	CheckoutOf string

	Hooks    []checkrein.Hook        // additional hooks, which need no approval
	Handlers []checkrein.HandlerType // additional handler types, which replace known types of the same name
	// HandlersFor returns further handler types that need the kit itself; nil = none.
	HandlersFor func(*Kit) []checkrein.HandlerType

	Environ []string // nil = the process's environment
	Config  string   // the user's configuration directory; "" = as userdirs finds it
	State   string   // the state directory; "" = the user's own
	// Pinned is set if Config and State come from the command line that `install` wrote into a host's
	// settings. Open then fails unless both directories belong to the user.
	Pinned    bool
	Managed   string // the administrator's directory; "" = this system's; NoManaged = none
	Program   string // the checkrein program; "" = asynchronous hooks run in goroutines, and sandboxed hooks fault
	Companion string // the checkreind program; "" = http and model hooks fault
	// Upkeep is called with a function that starts maintenance of the ledger, when that is due; nil = it
	// starts at once. Programs that record many events a second delay it.
	Upkeep func(start func())
	Now    func() time.Time

	// Own is the directory in which an embedder keeps records and sessions; nil = the state
	// directory, "" = the embedder keeps none. If Own is set, only approvals and settings are read
	// from the state directory.
	Own *string
	// Log receives the lines of the log; nil = they go to the log file.
	Log func(line string)

	// Called is set if a host started this process for its events. How the host was started then
	// determines whether the user can be asked.
	Called bool

	// IgnoreSessionRoot makes Dir decide which project counts, wherever the session began, and saves
	// nothing about that, since a trial in one project must not affect later calls of the session.
	IgnoreSessionRoot bool

	// Caller names the channel, such as http, of events that are not delivered by a host process. The
	// records of these events have it.
	Caller string

	// FilesByPlace is set if the caller does not vouch for Files. The directory of a file then
	// determines its scope, and which of its hooks need approval, as it does for files that are found
	// in a project or named as an AgentFile.
	FilesByPlace bool
	AgentIsGuess bool // Agent comes from an event, so files need not declare it
	ReadOnly     bool // write nothing: for commands that only display
	NoConfig     bool // read no configuration: the kit runs hooks that other processes hand over

	Rehearsal *Rehearsal // the kit tries Files as a policy for calls that no host made; nil = it does not
	// Replay makes the kit one that decides past calls again, with [Kit.Replay]; nil = it is not. Such
	// a kit executes, saves and records nothing, and uses no grants.
	Replay *Replay
}

// NoManaged is the value of Options.Managed for programs that have no administrator's directory, such
// as tests.
const NoManaged = "-"

// A Kit is an engine with its configuration, approvals and state. It is safe for concurrent use.
type Kit struct {
	config        *config.Config
	packs         packset.Set
	fileSettings  setting.Settings // the settings as the files have them, including those that are held back
	held          []string         // the settings that are held back until the user confirms them
	readOnly      bool             // write nothing
	replays       bool             // decides past calls again
	called        bool             // a host started this process for its events
	caller        string           // the channel of events that are not delivered by a host process
	engineOptions engine.Options   // the options of every view's engine, except those that the view sets
	live          liveView
	places        userdirs.Places
	state         state.Dir
	dir           string
	root          string
	top           string // the top directory of the repository that root lies in
	inRepo        bool   // root lies in a repository
	shared        bool   // root does not lie in a repository, and other users may write to it
	checkoutOf    string // the project that root is a fresh checkout of
	foreign       bool   // root is a project whose files the caller does not vouch for
	memory        *memory
	approvalState state.Dir // where the user's approvals are; the same as state, unless an embedder has its own
	unrecorded    bool      // an embedder keeps no records
	logTo         func(line string)
	// lastSession caches the key of the last event's session.
	lastSession lastSession
	standing    standing
	spilled     atomic.Uint64 // how many large outputs were saved
	now         func() time.Time
	notes       []string // what the user must be shown with the first verdict
	// notesOnce adds notes to the first verdict.
	notesOnce    sync.Once
	faultMu      sync.Mutex  // guards misreadNotes and anomalies
	misreadNotes []string    // cached files that were damaged or changed
	anomalies    []string    // unexpected files in place of stores, and other lasting problems
	named        []string    // files that were named instead of searched for
	byName       []namedFile // files that count because they were named

	ledger     *ledger.Ledger
	trust      engine.Approver // replaces the user's approvals; nil = they count
	grants     grant.Store
	grantError atomic.Pointer[string] // why grants do not count, until a notice has reported it
	companion  string
	upkeep     func(start func())
	marks      *reentry.Marks // the checkrein hooks inside which this process runs
	environ    []string
	home       string
}

// Open reads the configuration and returns a kit. Broken files and hooks are not errors here; they
// fault when their events fire, and [Kit.Check] returns them. Nor is unreadable state an error; the
// first verdict has a notice about it.
func Open(opts Options) (*Kit, error) {
	if opts.Replay != nil {
		opts.ReadOnly, opts.IgnoreSessionRoot, opts.Own = true, true, new(string)
	}
	if opts.Environ == nil {
		opts.Environ = environ.WithHome(os.Environ())
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return nil, err
		}
		opts.Dir = dir
	}
	if dir, err := filepath.Abs(opts.Dir); err == nil {
		opts.Dir = dir
	}
	k := &Kit{now: opts.Now, checkoutOf: opts.CheckoutOf, called: opts.Called, caller: opts.Caller, dir: opts.Dir, companion: opts.Companion, upkeep: opts.Upkeep, logTo: opts.Log, environ: opts.Environ, home: environ.Home(opts.Environ)}
	way := environ.FindParentDirs(opts.Dir)
	top := cmp.Or(way.RepoTop(), opts.Dir)
	if err := k.openPlaces(&opts, top, way.InRepo); err != nil {
		return nil, err
	}
	person := k.state
	if opts.Own != nil {
		k.state, k.unrecorded = state.NewDir(*opts.Own), *opts.Own == ""
	}
	k.ledger = ledger.Open(ledger.Options{Dir: k.state, Now: opts.Now, Event: opts.Called})
	k.state = k.state.WithSealer(k.ledger.Sealer())
	k.approvalState = k.state
	if opts.Own != nil {
		k.approvalState = person.WithSealer(ledger.Open(ledger.Options{Dir: person, Now: opts.Now}).Sealer())
	}
	k.openGrants()
	k.memory = newMemory(k.state, opts.Now)
	k.config = &config.Config{Hooks: opts.Hooks}
	var first approvals
	if !opts.NoConfig {
		k.root = k.findRoot(&opts)
		k.memory.frozen = k.standing.foreign
		if k.root != opts.Dir {
			way = environ.FindParentDirs(k.root)
		}
		k.top, k.inRepo, k.shared = cmp.Or(way.RepoTop(), k.root), way.InRepo, !slices.Contains(way.ProjectDirs(), k.root)
		// A session may have left the project in which it began.
		if opts.Called && top != k.top {
			if err := errors.Join(userdirs.CheckDir(k.places.Config, k.top), userdirs.CheckDir(k.places.State, k.top)); err != nil {
				return nil, err
			}
		}
		first = k.loadApprovals()
		k.load(opts, &first)
	}
	k.setUpEngine(opts)
	k.makeFirstView(first)
	return k, nil
}

// findRoot returns the directory whose project files count and in which hooks run, with symlinks
// resolved: the session's root or, if a project's file is named, that project.
func (k *Kit) findRoot(opts *Options) string {
	root := k.openSession(opts)
	if opts.FilesByPlace && len(opts.Files) > 0 {
		// A project's own file applies to that project, whatever the current directory is.
		if own, ok := k.searchOptions(opts, nil).ProjectOf(opts.Files[0]); ok {
			root = own
		}
	}
	if nolink.HasNoLink(root) {
		return root
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		return real // approvals belong to the resolved path
	}
	return root
}

// openPlaces finds the user's directories. Without a state directory nothing is saved, and the first
// verdict has a notice about that.
func (k *Kit) openPlaces(opts *Options, project string, repo bool) error {
	ask := userdirs.Finder{Environ: opts.Environ, Called: opts.Called, Projects: []string{project}}
	if opts.Pinned {
		ask.Config, ask.State = opts.Config, opts.State
		// Users who work in a home directory of their choice, such as in a container, may have
		// pinned directories in it. A repository may not contain them, since it comes from others.
		if !repo { // repo is false for a repository of another user
			if _, err := os.Lstat(filepath.Join(project, ".git")); err != nil {
				ask.Projects = nil
			}
		}
	}
	places, err := ask.Find()
	if err != nil {
		return err
	}
	if opts.Config != "" {
		places = places.WithConfig(opts.Config)
	}
	if opts.State != "" {
		places.State = opts.State
	}
	opts.Config, opts.State = places.Config, places.State
	k.notes = append(k.notes, places.Notices...)
	k.places, k.state = places, state.NewDir(places.State)
	return nil
}

// searchOptions returns the options for loading the configuration. If given is nil, no file counts as
// approved.
func (k *Kit) searchOptions(opts *Options, given *approvals) *config.Options {
	c := &config.Options{
		Files: opts.Files, Root: k.root, User: k.places.Config, Agents: k.places.Agents, Managed: opts.Managed,
		Agent: opts.Agent, Guess: opts.AgentIsGuess, AgentFile: opts.AgentFile, Flags: withDefaultFlagScope(opts.Hooks), Dialect: dialect.Detect, ByPlace: opts.FilesByPlace,
		Hurried: opts.Called, NoProject: k.shared,
	}
	if given != nil {
		c.Approved, c.Doubt = given.store.ConfigFiles(), given.err != nil
	}
	if t := opts.Rehearsal; t != nil {
		c.Scope, c.Approved = t.Scope, opts.Files // the limits for unapproved files do not apply
	}
	if !opts.ReadOnly {
		c.Cache = k.configCache
	}
	if opts.Replay != nil {
		c.Policy = opts.Replay.Policy
	}
	switch c.Managed {
	case "":
		c.Managed = config.ManagedDir()
	case NoManaged:
		c.Managed = ""
	}
	return c
}

// load reads the configuration, adds the implied hooks, and determines which files count because they
// were named.
func (k *Kit) load(opts Options, given *approvals) {
	c := k.searchOptions(&opts, given)
	if c.Managed != "" {
		there, err := userdirs.CheckDirExists(c.Managed)
		if err != nil {
			k.notes = append(k.notes, fmt.Sprintf("the administrator's files in %s are not read: %v", c.Managed, err))
		}
		if err != nil || !there {
			c.Managed = ""
		}
	}
	c.Files = slices.Clone(c.Files) // do not change the caller's slice
	for i, f := range c.Files {
		if !filepath.IsAbs(f) {
			c.Files[i] = filepath.Join(opts.Dir, f)
		}
	}
	if f := c.AgentFile; f != "" && !filepath.IsAbs(f) {
		c.AgentFile = filepath.Join(opts.Dir, f)
	}
	k.config = config.Load(*c)
	k.recordMisread()
	k.named = opts.Files
	k.addNamedFiles(c)
	k.config.Settings.Tried = listTried(k.config.Hooks)
	k.holdBackLoosening(&opts)
	k.endTrials()
	k.noteCounting(&opts)
	// If files are named, only these count, and packs that they do not name are off.
	k.packs = packset.Merge(k.config.Settings.Packs, shell.PackNames, !opts.namesOnly())
	k.config.Hooks = withDefaults(k.config.Hooks, &k.packs, k.config.Settings.Issuers, opts.namesOnly())
	if j := k.judgeSetting(); j != nil {
		k.config.Hooks = append(k.config.Hooks, fallback.NewHook(j))
	}
	// A directory that contains the user's own files is the user's, even if it is a repository.
	k.foreign = (len(opts.Files) == 0 || opts.FilesByPlace) && !approval.IsBelow(k.root, c.User)
}

// hasHookFolders reports whether each hook of the dialect name is a folder.
func hasHookFolders(name string) bool {
	d, ok := dialect.Lookup(name)
	return ok && d.Folders
}

// isImpliedWithoutBuiltin reports whether h is an implied hook whose builtin this build lacks. Such
// hooks are skipped, since users cannot repair them.
func isImpliedWithoutBuiltin(h *checkrein.Hook) bool {
	_, has := guard.Lookup(h.Name)
	return h.Implied && h.Run == "builtin" && !has
}

// withDefaultFlagScope returns a copy of hooks in which those without an origin have the scope of the
// command line, so that they do not count as managed.
func withDefaultFlagScope(hooks []checkrein.Hook) []checkrein.Hook {
	hooks = slices.Clone(hooks)
	for i := range hooks {
		if from := &hooks[i].From; *from == (checkrein.Origin{}) {
			from.Scope = checkrein.ScopeFlag
			if hooks[i].Priority == 0 {
				hooks[i].Priority = hookfile.DefaultPriority
			}
		}
	}
	return hooks
}

// systemHome returns the home directory that the system has on record for the user. It returns "",
// without asking the system, if the pinned directories are in the environment's home directory.
func (k *Kit) systemHome(pinned bool) string {
	if pinned && k.places.Config == filepath.Join(k.home, ".config", "checkrein") {
		return ""
	}
	return userdirs.AccountHome()
}

// isHost reports whether pid is a live host or an ancestor of this process.
func (k *Kit) isHost(pid int) (found bool) {
	_ = process.WalkAncestors(func(a process.Ancestor) bool { // if this fails, the notes about live hosts may have pid
		found = a.PID == pid
		return !found
	})
	if found {
		return true
	}
	hosts, _, _ := liveagents.RecentHosts(k.state)
	return slices.ContainsFunc(hosts, func(h liveagents.Host) bool { return h.PID == pid && !h.Gone })
}

// ownDirs returns the directories that no agent may change: the user's, and that of an embedder.
func (k *Kit) ownDirs() []string {
	dirs := k.places.Dirs()
	if own := k.state.Path(); own != "" && !slices.Contains(dirs, own) {
		dirs = append(dirs, own)
	}
	return dirs
}

// setUpEngine creates the handler types and the options for the engine of every view.
func (k *Kit) setUpEngine(opts Options) {
	home := k.home
	// A host's environment must not decide what ~ means in the user's own rules.
	own := home
	if h := k.places.Home(); opts.Called && h != "" {
		own = h
	}
	seal := reentry.NewSeal(k.state)
	if value := k.getenv(reentry.Variable); value != "" {
		k.marks = seal.Verify(value)
	}
	deep := sync.OnceValue(func() bool { return k.marks.IsTooDeep() || !opts.Called && liveagents.IsTooNested() }) // NoteHost finds out which process calls hooks
	judge := func(ev *checkrein.Event) match.Acts {
		if opts.Replay != nil {
			pastCallOf(ev).markJudged()
		}
		return study.Acts(ev, k.callEnv(ev))
	}
	handlers := []checkrein.HandlerType{
		command.Type(command.Options{Environ: opts.Environ, Dialect: dialect.Lookup, Fit: host.RenameDirArgument, Script: hookmd.Script, Seal: seal, CallsCheckrein: callsCheckrein(opts.Program), TooDeep: deep, Program: opts.Program, Runs: coverage.FilesInProject, Walls: k.hookWalls(opts.Rehearsal), Approved: k.sealedDigest, CheckSealable: k.checkSealable}),
		rule.Type(own, judge),
		guard.Type(guard.Env{
			Machine: k.machine(&opts),
			Self: selfprotect.Env{State: k.places.State, Own: k.ownDirs(), Account: func() string { return k.systemHome(opts.Pinned) },
				IsHost: k.isHost, LetsType: host.TypesUnchecked},
			Secrets: secretguard.Env{MarkKey: k.markerKey, Excused: k.allowedMarkers, Restores: k.canRestore, Unreplaced: k.whyUnreplaced, Redacts: k.outputRedactor(opts.Program)},
			Usage:   usage.Env{AddLine: k.appendLine, Foreign: k.IsForeign, Fetch: fetcher(opts), Post: poster(opts)},
			Large:   save.Limiter{Spill: k.spill, Unspill: k.removeSpills},
			Denials: k.memory.countDenials, Redone: k.memory.hasRedone, Shadow: k.openSnapshots,
		}),
	}
	if !opts.NoConfig || opts.Companion != "" { // otherwise this is the companion itself
		steps := companion.Options{Companion: opts.Companion, Environ: childEnviron(opts), State: k.state.Path(), Config: k.places.Config}
		handlers = append(handlers, companion.Type("http", checkrein.Traits{Rewrites: true}, steps))
		if !opts.NoConfig {
			steps.Policy = k.Policy // a judge's verdict is cached for one policy, and a kit without files has none
		}
		handlers = append(handlers, companion.Type("model", checkrein.Traits{Judges: true, Closed: true}, steps))
	}
	handlers = append(handlers, opts.Handlers...)
	if opts.HandlersFor != nil {
		handlers = append(handlers, opts.HandlersFor(k)...)
	}
	wrapHandlers(opts.Rehearsal, handlers)
	if k.judgeSetting() != nil {
		handlers = append(handlers, k.fallbackType(handlers))
	}
	k.engineOptions = engine.Options{
		Handlers: handlers,
		Memory:   k.redoMemory(), ToolName: dialect.ToolName,
		Payload: encodePayload, Judge: judge, Real: func(ev *checkrein.Event, path string) string { return study.ResolvePath(path, ev.Session.Dir) }, Honours: host.Honours, RunByHost: k.runByHost, Doubts: k.eventDoubts, Unasked: k.whyUnasked(opts.Called), Lift: k.lift,
		Home: own, Note: true, CheckEvents: opts.Own != nil, Stays: IsEnforced, ProjectMayAllow: k.config.Settings.ProjectMayAllow,
	}
	if k.marks != nil {
		k.engineOptions.Running = k.marks.IsInside
	}
	switch {
	case opts.Rehearsal != nil:
		k.trust = opts.Rehearsal.Trust
		k.engineOptions.Detach = func(*checkrein.Hook, checkrein.Event) error { return nil }
	case opts.Program != "":
		k.engineOptions.Detach = k.detacher(opts)
	}
	if opts.Replay != nil {
		k.setUpReplay()
	}
}

// machine returns what builtins may use of the machine.
func (k *Kit) machine(opts *Options) builtin.Machine {
	m := builtin.Machine{Environ: opts.Environ, Home: k.home, Now: opts.Now, Run: runProgram, Keep: k.updateBuiltinState, Forget: k.removeBuiltinState, DirArgs: host.DirArgs, Earlier: k.earlierCalls, Save: k.saver(*opts), Contains: k.container(*opts), Contain: cmp.Or(k.config.Settings.Walls.Contain, setting.DefaultContain), WrittenInside: k.mayBeContainedWork}
	if opts.Replay != nil {
		m.Run, m.Earlier, m.Sought, m.Save, m.Contains = nil, earlierPastCalls, noteSought, k.pastSave, k.pastContainment
	}
	return m
}

// Plan returns the steps that [Kit.Decide] would run for ev.
func (k *Kit) Plan(ev checkrein.Event) []engine.Step { return k.view().engine.Plan(k.withSession(ev)) }

// Traits returns the traits of the handler of h.
func (k *Kit) Traits(h *checkrein.Hook) checkrein.Traits { return k.view().engine.Traits(h) }

// Acts returns what the tool call in ev would do, as far as checkrein can tell.
func (k *Kit) Acts(ev checkrein.Event) match.Acts {
	ev = k.withSession(ev)
	if t := ev.Tool; t != nil && t.Canonical == "" {
		named := *t
		named.Canonical = tools.CanonicalTool(t.Name)
		ev.Tool = &named
	}
	return study.Acts(&ev, k.callEnv(&ev))
}

// IsInstant reports whether none of the hooks on ev has to wait for anything.
func (k *Kit) IsInstant(ev checkrein.Event) bool { return k.view().engine.IsInstant(ev) }

// Check returns the joined errors in files and hooks.
func (k *Kit) Check() error {
	v := k.view()
	errs := []error{k.config.Err(), k.packs.Err(), v.engine.Check(isImpliedWithoutBuiltin)}
	for i := range v.hooks {
		h := &v.hooks[i]
		if err := packguard.CheckSamples(h); err != nil {
			errs = append(errs, &checkrein.HookError{Hook: h.Label(), Origin: h.From, Err: err})
		}
	}
	return errors.Join(errs...)
}

// Hooks returns the hooks of all scopes, including broken ones.
func (k *Kit) Hooks() []checkrein.Hook { return k.view().hooks }

// Root returns the directory whose project files count.
func (k *Kit) Root() string { return k.root }

// encodePayload returns the payload that a hook of the dialect name receives for ev.
func encodePayload(name string, ev checkrein.Event) ([]byte, error) {
	d, ok := dialect.Lookup(name)
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q", name)
	}
	return d.Encode(ev)
}

// runProgram runs a program for a builtin and returns its standard output. It returns an error if the
// exit code is not 0.
func runProgram(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error) {
	res, err := process.Run(ctx, process.Spec{Argv: argv, Dir: dir, Env: env})
	if err == nil && res.Exit != 0 {
		err = errors.New(argv[0] + " failed")
	}
	return res.Stdout, err
}
