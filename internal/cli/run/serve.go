package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/hook/payload"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// A service answers the requests of checkrein serve.
type service struct {
	env         *console.Env
	selfApprove bool       // agents were allowed to approve hooks when the server started
	mu          sync.Mutex // serializes approvals

	seen sync.Map // the ids of processes that sent an event
}

// ServeCommand returns the serve command.
func ServeCommand(env *console.Env) *cobra.Command {
	var addr, socket string
	cmd := &cobra.Command{
		Use: "serve [--addr HOST:PORT | --socket PATH]", Short: "Answer events over HTTP, on this machine only",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			at, err := parseListenAddress(env, addr, socket, cmd.Flags().Changed("addr"))
			if err != nil {
				return err
			}
			return serveEvents(cmd.Context(), env, at)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "the loopback `HOST:PORT`; port 0 means any free port")
	cmd.Flags().StringVar(&socket, "socket", "", "the `PATH` of a unix socket to use instead")
	return cmd
}

// parseListenAddress returns the address to listen on: the unix socket if one is given, or else addr.
// both means that --addr was given too, which is an error.
func parseListenAddress(env *console.Env, addr, socket string, hasAddr bool) (localhttp.Address, error) {
	if socket == "" {
		return localhttp.ParseAddress(addr)
	}
	if hasAddr {
		return localhttp.Address{}, errors.New("use --addr or --socket, not both")
	}
	return localhttp.SocketAddress(env.Path(socket))
}

// serveEvents serves until Ctrl-C. Only a person may start it, because an agent could have its own
// server approve hooks.
func serveEvents(ctx context.Context, env *console.Env, at localhttp.Address) error {
	if err := base.RequirePerson(env, base.ByHandOrLeft); err != nil {
		return err
	}
	token, file, err := serviceToken(env)
	if err != nil {
		return base.AsRefusal(err)
	}
	k, err := base.OpenKit(env, app.Options{FilesByPlace: true})
	if err != nil {
		return err
	}
	s := &service{env: env, selfApprove: k.SelfApproves()}
	ln, err := at.Listen()
	if err != nil {
		return base.AsRefusal(err)
	}
	url, path := localhttp.ListenerURL(ln)
	if path != "" {
		url += " (unix socket " + visible.EscapeLine(path) + ")"
	}
	fmt.Fprintln(env.Stdout, "serving on "+url)
	fmt.Fprintln(env.Stderr, "the token is in "+visible.EscapeLine(file))
	switch {
	case k.IsSelfApproveHeld():
		fmt.Fprintln(env.Stderr, "hooks cannot be approved over HTTP: "+base.SelfApproveHeld+", then start checkrein serve again")
	case !s.selfApprove:
		fmt.Fprintln(env.Stderr, "hooks cannot be approved over HTTP: self_approve is not set in your own checkrein.yaml")
	}
	server := localhttp.New(localhttp.Options{Routes: s.routes(), Token: token, OnPanic: func(err error) { fmt.Fprintln(env.Stderr, "checkrein:", visible.EscapeLine(err.Error())) }})
	if err := server.Serve(ctx, ln); err != nil {
		return &base.Exit{Code: console.Finding, Err: err}
	}
	return nil
}

// routes returns the routes of the service.
func (s *service) routes() []localhttp.Route {
	return []localhttp.Route{
		{Method: http.MethodPost, Path: "/v1/events", Token: true, AnyBody: true, Max: maxEvent, Do: s.answerEvent},
		{Method: http.MethodPost, Path: approvePath, SameUser: true, Refuse: func(*localhttp.Refusal) localhttp.Answer { return askUserAnswer("", false) }, Do: s.approve},
	}
}

// tokenFile is the name of the token's file in the state directory.
const tokenFile = "serve-token"

// serviceToken returns the token of the user's servers and the path of its file, which it creates if
// it is missing. The token keeps other users out; it permits nothing that the user could not do with
// checkrein eval.
func serviceToken(env *console.Env) (localhttp.Token, string, error) {
	dir, err := base.StateDir(env)
	if err != nil {
		return localhttp.Token{}, "", err
	}
	file := dir.Path(tokenFile)
	unlock, err := dir.Lock(tokenFile)
	if err != nil {
		return localhttp.Token{}, file, err
	}
	defer unlock()
	data, err := dir.Read(tokenFile, 4<<10)
	if err == nil {
		token, err := localhttp.ParseToken(string(data))
		if err != nil {
			err = fmt.Errorf("%s: %w. Remove the file: the next start writes a new one", file, err)
		}
		return token, file, err
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return localhttp.Token{}, file, err
	}
	token, err := localhttp.NewToken()
	if err == nil {
		err = dir.Write(tokenFile, []byte(token.String()+"\n"))
	}
	return token, file, err
}

// maxEvent is the maximum size of an event in bytes, as in eval.
const maxEvent = 32 << 20

// overHTTP is the host and the recorded caller of events that arrive over HTTP. It is also the prefix
// of their session ids, so that requests cannot change a session of a wired host.
const overHTTP = "http"

// answerEvent judges the event in a request. The event is recorded before it is answered, even if the
// client has disconnected.
func (s *service) answerEvent(ctx context.Context, r *localhttp.Request) localhttp.Answer {
	name := r.Query.Get("event")
	if name != "" && !host.IsEvent(name) {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("unknown event %q", name), "use any system's name for an event (to list them, run 'checkrein docs events'), or leave it out and name it in the payload")
	}
	events, err := host.ReadAny(r.Body, name)
	ev := &events[0]
	if errors.Is(err, payload.ErrNoEvent) {
		return unjudgedAnswer(http.StatusBadRequest, err.Error(), "add it to the payload, or send ?event=NAME")
	}
	if err != nil {
		return unjudgedAnswer(http.StatusBadRequest, err.Error(), "send one event as JSON, in the form that checkrein eval reads; a gate without an answer stays closed")
	}
	if ev.Kind == checkrein.Other {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("unknown event %q", ev.Native), "use any system's name for an event ('checkrein docs events' lists them); a gate without an answer stays closed")
	}
	for i := range events {
		ev := &events[i]
		ev.Host = overHTTP
		if ev.Session.ID != "" {
			ev.Session.ID = overHTTP + ":" + ev.Session.ID
		}
		if ev.Session.Dir == "" {
			ev.Session.Dir = s.env.Dir
		}
	}
	if !filepath.IsAbs(ev.Session.Dir) {
		return unjudgedAnswer(http.StatusBadRequest, fmt.Sprintf("the directory %q is not an absolute path", ev.Session.Dir), "send cwd as an absolute path, or leave it out")
	}
	opts := app.Options{Dir: ev.Session.Dir, Session: ev.Session.ID, Host: ev.Host, Caller: overHTTP, Program: base.HotProgram(s.env), Companion: s.env.Program}
	// The agent of subagent_stop is the one that stops, but the hooks of its parent run.
	if ev.Kind != checkrein.SubagentStop {
		opts.Agent, opts.AgentIsGuess = ev.Session.Agent, true
	}
	k, err := base.OpenKit(s.env, opts)
	if err != nil {
		return unjudgedAnswer(http.StatusServiceUnavailable, "checkrein cannot evaluate this event: "+err.Error(), "run checkrein doctor")
	}
	s.notePeer(k, r.Peer)
	outs := k.ServeCall(context.WithoutCancel(ctx), events)
	explain := r.Query.Get("explain") == "true"
	for i := range outs {
		if explain {
			outs[i].Why = k.Explain(events[i], nil)
		}
	}
	out := app.JoinOutcomes(outs)
	return localhttp.Answer{Body: out.JSON(explain)}
}

// notePeer notes the process of peer as a host once it has sent more than one event, so that its child
// processes count as an agent's. A process that sends a single event, such as curl, is not noted.
func (s *service) notePeer(k *app.Kit, peer *localhttp.Peer) {
	id := peer.Process()
	if id.PID == 0 || id.PID == os.Getpid() {
		return
	}
	if _, again := s.seen.LoadOrStore(id, true); again {
		k.NoteProcess(id.PID)
	}
}

// unjudgedAnswer returns the answer to a request that could not be judged. Since it may be a gate, the
// body is a denial for clients that ignore the status.
func unjudgedAnswer(status int, why, remedy string) localhttp.Answer {
	o := rawjson.Object{'{'}
	o.Text("decision", checkrein.Deny.String())
	o.Text("reason", why)
	o.Text("error", why)
	o.Text("remedy", remedy)
	o.Close()
	return localhttp.Answer{Status: status, Body: o}
}
