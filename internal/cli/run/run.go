// Package run holds the commands run, serve and models, which run agents and serve events over HTTP.
package run

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/mcp"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/agent/session"
	"github.com/checkrein/checkrein/internal/agent/talk"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A run is one call of the run command.
type run struct {
	env       *console.Env
	program   func(context.Context, console.Env) int // runs checkrein's commands
	agent     string
	yolo      bool
	asJSON    bool
	trace     bool
	worktree  string
	resume    string
	outbox    string
	followUps []string
	serve     string // the address to serve HTTP on; "" = none
	tokenFD   int    // the descriptor to read the token from; -1 = create a new token
	api       *sessionAPI
	allowed   []string         // hosts that a repository's agent file may use
	hooks     []checkrein.Hook // the hooks of --hook-EVENT flags

	file  string
	team  *team.Team
	id    string
	dir   string
	store session.Store

	servers *mcp.Pool
	models  *catalogue.Table // prices and sizes of models
	lists   tool.Lists
}

// Command returns the run command. program runs the checkrein commands that are typed in a session.
func Command(env *console.Env, program func(context.Context, console.Env) int) *cobra.Command {
	r := &run{env: env, program: program}
	var list bool
	flagged := map[checkrein.Kind]*[]string{}
	cmd := &cobra.Command{
		Use: "run AGENT.yaml [PROMPT]", Short: "Run an agent with hooks",
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return r.listSessions()
			}
			if len(args) == 0 {
				return errors.New("name an agent file: checkrein run AGENT.yaml [PROMPT]")
			}
			if err := r.addFlagHooks(flagged); err != nil {
				return err
			}
			prompt := ""
			if len(args) == 2 {
				prompt = args[1]
			}
			return r.run(cmd.Context(), args[0], prompt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&r.agent, "agent", "", "start with the agent `NAME` (default: root, or the first in the file)")
	f.BoolVar(&r.yolo, "yolo", false, "approve every call that no rule denies and no hook asks about")
	f.BoolVar(&r.asJSON, "json", false, "print everything that happens as JSON lines")
	f.BoolVar(&r.trace, "trace", false, "show what each hook answered")
	f.StringVar(&r.worktree, "worktree", "", "work in a new git worktree; =`NAME` names it and its branch")
	f.Lookup("worktree").NoOptDefVal = " "
	f.StringVar(&r.resume, "resume", "", "resume the session `ID`; --sessions lists them")
	f.StringVar(&r.outbox, "outbox", "", "write messages that have no channel or could not be sent to `FILE` (default: outbox/SESSION.jsonl in the state directory)")
	f.StringArrayVar(&r.followUps, "follow-up", nil, "send `MESSAGE` to the agent when it is done; repeatable")
	f.StringArrayVar(&r.allowed, "allow-endpoint", nil, "let an agent file that came with a repository reach `HOST`, for models and MCP servers; repeatable")
	f.StringVar(&r.serve, "serve", "", "let anyone with the token send messages and answer questions over HTTP, at this loopback `HOST:PORT` or unix:PATH")
	f.Lookup("serve").NoOptDefVal = "127.0.0.1:0"
	f.IntVar(&r.tokenFD, "token-fd", -1, "read the token for --serve from the file descriptor with this `NUMBER`")
	f.BoolVar(&list, "sessions", false, "list the sessions that can be resumed")
	for _, row := range checkrein.Contracts() {
		if row.Kind == checkrein.Other || row.Layer == "boundary" && row.Kind != checkrein.OnOutboundMessage {
			continue // agents do not fire these
		}
		list := new([]string)
		flagged[row.Kind] = list
		name := "hook-" + strings.ReplaceAll(row.Name, "_", "-")
		f.StringArrayVar(list, name, nil, "a command to run when "+row.When)
		_ = f.MarkHidden(name) // one per event; the help text describes them
	}
	return cmd
}

// addFlagHooks adds the hooks of the --hook-EVENT flags.
func (r *run) addFlagHooks(flagged map[checkrein.Kind]*[]string) error {
	for _, row := range checkrein.Contracts() {
		list := flagged[row.Kind]
		if list == nil {
			continue
		}
		for _, command := range *list {
			if h, ok := config.FlagHook(row.Kind, command, len(r.hooks)+1); ok {
				r.hooks = append(r.hooks, h)
			}
		}
	}
	return nil
}

// run runs the agent in file until its session ends. prompt is the first message, or "".
func (r *run) run(ctx context.Context, file, prompt string) error {
	r.file, r.dir = r.env.Path(file), r.env.Dir
	var err error
	if r.team, err = team.Load(r.file); errors.Is(err, fs.ErrNotExist) && isRemoteAgent(file) {
		return &base.Exit{Code: console.Config, Err: fmt.Errorf("%s is an agent in a registry or on the web, and checkrein does not download those: download its file yourself (docker agent share pull %[1]s), check what it runs, and pass the file to checkrein run", visible.EscapeLine(file))}
	}
	if err != nil {
		return &base.Exit{Code: console.Config, Err: errors.New(visible.EscapeText(err.Error()))}
	}
	for _, key := range r.team.Ignored {
		fmt.Fprintln(r.env.Stderr, "note:", visible.EscapeLine(key))
	}
	if r.models, err = loadModels(r.env); err != nil {
		return err
	}
	dir, err := base.StateDir(r.env)
	if err != nil {
		return &base.Exit{Code: console.Bug, Err: err}
	}
	r.store = session.Store{Dir: dir, Now: r.env.Now}
	log, history, err := r.openSession()
	if err != nil {
		return base.AsRefusal(err)
	}
	defer log.Close()
	if err := r.checkEndpoints(); err != nil {
		return err
	}
	if err := r.dropAllowRules(); err != nil {
		return err
	}
	if err := r.checkApprovals(ctx); err != nil {
		return err
	}
	if r.worktree != "" {
		if err := r.addWorktree(ctx); err != nil {
			return err
		}
	}
	if r.api, err = r.openAPI(); err != nil {
		return err
	}
	if r.api != nil {
		defer r.api.close()
	}
	t := talk.New(r.talkOptions(prompt, history))
	ui := agent.UI(t)
	if r.api != nil {
		ui = r.api.wrapUI(t)
	}
	post, err := r.newMessenger(dir)
	if err != nil {
		return err
	}
	defer r.openServers(ui).Close()
	rt, err := agent.New(r.runtimeOptions(ctx, ui, log, history, post))
	if err != nil {
		return &base.Exit{Code: console.Config, Err: errors.New(visible.EscapeText(err.Error()))}
	}
	for _, text := range r.followUps {
		if err := rt.FollowUp(text); err != nil {
			return fmt.Errorf("--follow-up: %w", err)
		}
	}
	if len(history) == 0 {
		if err := log.Append(session.Item{Kind: session.Begin, At: r.env.Now(), Dir: r.dir, File: r.file}); err != nil {
			fmt.Fprintln(r.env.Stderr, "warning: the session was not saved, so it cannot be resumed:", err)
		}
	}
	rt.Hooks().NoteSelf("checkrein run") // so that the agent cannot run commands reserved for people
	r.announce()
	if r.api != nil {
		r.api.start(rt)
	}
	ok := t.Run(context.WithoutCancel(ctx), rt) // Run handles Ctrl-C itself
	if n := len(rt.TakeFollowUps()); n > 0 {
		fmt.Fprintf(r.env.Stderr, "warning: %s not delivered before the session ended\n", base.Amount(n, "follow-up"))
	}
	return base.OrFinding(nil, !ok, "the run failed")
}

// isRemoteAgent reports whether name refers to an agent that docker-agent would download: a URL, or a
// reference such as agentcatalog/coder:1.2.
func isRemoteAgent(name string) bool {
	if strings.HasPrefix(name, "https://") || strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "oci://") {
		return true
	}
	odd := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._-/:@", c)
	}
	first, rest, ok := strings.Cut(name, "/")
	ext := filepath.Ext(name)
	return ok && strings.Trim(first, ".") != "" && rest != "" && !strings.ContainsFunc(name, odd) && ext != ".yaml" && ext != ".yml" && ext != ".json" && ext != ".hcl"
}

// openSession begins a session, or resumes the one of --resume. It returns the log of the session and,
// for a resumed one, its history.
func (r *run) openSession() (*session.Log, []session.Item, error) {
	if r.resume == "" {
		var tail [4]byte
		_, _ = rand.Read(tail[:])
		r.id = r.env.Now().UTC().Format("20060102-150405-") + hex.EncodeToString(tail[:])
		log, err := r.store.Create(r.id)
		return log, nil, err
	}
	r.id = r.resume
	log, items, err := r.store.Resume(r.id)
	if errors.Is(err, session.ErrUnknown) {
		err = fmt.Errorf("%w. To list all sessions, run checkrein run --sessions", err)
	}
	if err == nil && len(items) > 0 && items[0].Dir != "" {
		r.dir = items[0].Dir // paths in the conversation are relative to this directory
	}
	return log, items, err
}

// announce prints the session's id, and the agent's welcome text at a terminal.
func (r *run) announce() {
	if r.asJSON {
		_ = base.PrintJSON(r.env, agent.Report{Type: "session", Session: r.id})
		return
	}
	if base.IsTerminal(r.env.Stderr) {
		if a, ok := r.team.Agent(r.firstAgent()); ok && a.Welcome != "" && r.isInteractive() {
			fmt.Fprintln(r.env.Stderr, visible.EscapeText(a.Welcome))
		}
		fmt.Fprintf(r.env.Stderr, "session %s  (to list commands, type /help; to resume it later, use --resume %s)\n", r.id, r.id)
	}
}

// talkOptions returns the options of the conversation.
func (r *run) talkOptions(prompt string, history []session.Item) talk.Options {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	source := "startup"
	if len(history) > 0 {
		source = "resume"
	}
	return talk.Options{
		In: r.env.Stdin, Out: r.env.Stdout, Err: r.env.Stderr, Terminal: r.isInteractive(), RawOut: !base.IsTerminal(r.env.Stdout),
		JSON: r.asJSON, Trace: r.trace, Prompt: prompt, Session: r.id, Source: source, Wake: r.api.wake(), Signals: signals, Exit: r.exit, Commands: r.currentAgent().Commands,
		Command: func(ctx context.Context, ask func(question string) bool, args ...string) int {
			env := *r.env
			if r.asJSON {
				env.Stdout = r.env.Stderr
			}
			return r.runTyped(ctx, env, ask, args...)
		},
	}
}

// currentAgent returns the agent that the user talks to.
func (r *run) currentAgent() *team.Agent {
	if a, ok := r.team.Agent(r.agent); ok {
		return a
	}
	return r.team.DefaultAgent()
}

// runTyped runs a checkrein command that the user typed in the session, and returns its exit code. The
// command asks questions with ask, unless that is nil.
func (r *run) runTyped(ctx context.Context, env console.Env, ask func(question string) bool, args ...string) int {
	env.Args, env.Dir = args, r.dir
	env.Within = &console.Session{AgentFile: r.file, Agent: r.currentAgent().Name, Ask: ask}
	return r.program(ctx, env)
}

// isInteractive reports whether the user can be asked questions at a terminal.
func (r *run) isInteractive() bool {
	return !r.asJSON && base.IsTerminal(r.env.Stdin) && base.IsTerminal(r.env.Stderr)
}

// screenName returns the type of user interface that the session_start event has: json, shell or
// print.
func (r *run) screenName() string {
	switch {
	case r.asJSON:
		return "json"
	case r.isInteractive():
		return "shell"
	}
	return "print"
}

// runtimeOptions returns the options of the agent's runtime.
func (r *run) runtimeOptions(ctx context.Context, ui agent.UI, log *session.Log, history []session.Item, post *messenger) agent.Options {
	o := r.baseOptions()
	o.Agent, o.Session, o.Dir, o.UI, o.History, o.Now = r.agent, r.id, r.dir, ui, history, r.env.Now
	o.Yolo, o.Interactive, o.Screen = r.yolo, r.isInteractive() || r.api != nil, r.screenName()
	o.Hooks = r.openKit
	o.Tools = func(a *team.Agent) ([]tool.Tool, error) { return r.openTools(ctx, a) }
	o.ChangedTools, o.Skills = r.changedTools, r.loadSkills
	o.Send, o.Channels = post.send, post.channels.Names()
	o.Save = func(it session.Item) error { return log.Append(it) }
	return o
}

// baseOptions returns those options of the runtime that do not depend on tools and session.
func (r *run) baseOptions() agent.Options {
	scripts := &model.Scripts{}
	return agent.Options{
		Team:  r.team,
		Model: func(a *team.Agent) (model.Model, error) { return r.openModel(a, a.Model, scripts) },
		Fallback: func(a *team.Agent) ([]model.Model, error) {
			var out []model.Model
			for _, ref := range a.Fallback.Models {
				m, err := r.openModel(a, ref, scripts)
				if err != nil {
					return nil, err
				}
				out = append(out, m)
			}
			return out, nil
		},
	}
}

// openModel opens the model ref for the agent a. It is the agent's own model or one of its fallbacks.
func (r *run) openModel(a *team.Agent, ref string, scripts *model.Scripts) (model.Model, error) {
	c := model.Config{Ref: ref, Agent: a.Name, Dir: filepath.Dir(r.file), Getenv: base.Getenv(r.env), Scripts: scripts, Known: r.models,
		HasFallback: len(a.Fallback.Models) > 0, Retries: a.Fallback.Retries}
	for _, m := range r.team.Models {
		if m.Name == ref {
			c.Model = m
		}
	}
	return model.New(c)
}

// openKit opens a kit with the hooks of the agent called name: those of the agent file and of all
// scopes.
func (r *run) openKit(name string) (*app.Kit, error) {
	opts := app.Options{Dir: r.dir, Session: r.id, Agent: name, AgentFile: r.file, Hooks: r.hooks, Program: base.HotProgram(r.env), Companion: r.env.Program}
	if r.api != nil {
		hooks, typ := r.api.apiGuardHooks()
		opts.Hooks, opts.Handlers = slices.Concat(opts.Hooks, hooks), []checkrein.HandlerType{typ}
	}
	return base.OpenKit(r.env, opts)
}

// listSessions prints the sessions that can be resumed.
func (r *run) listSessions() error {
	dir, err := base.StateDir(r.env)
	if err != nil {
		return &base.Exit{Code: console.Bug, Err: err}
	}
	sessions, err := session.Store{Dir: dir, Now: r.env.Now}.List()
	if err != nil {
		return &base.Exit{Code: console.Bug, Err: err}
	}
	if r.asJSON {
		for _, s := range sessions {
			if err := base.PrintJSON(r.env, s); err != nil {
				return err
			}
		}
		return nil
	}
	if len(sessions) == 0 {
		fmt.Fprintln(r.env.Stderr, "no sessions")
	}
	for _, s := range sessions {
		fmt.Fprintf(r.env.Stdout, "%s  %s  %s  %s\n", s.ID, s.Last.Local().Format(time.DateTime), visible.EscapeLine(s.File), base.Truncate(visible.EscapeLine(base.OneLine(s.First)), base.MaxCell))
	}
	return nil
}
