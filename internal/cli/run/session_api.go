package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/remote"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/desk/server"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A sessionAPI serves a session of run over HTTP, to a user who has the token. The agent's tools run
// as the same user, so the token must not be in any file, environment variable or memory that they can
// read.
type sessionAPI struct {
	run   *run
	ln    net.Listener
	token localhttp.Token
	// desk holds open questions and messages.
	desk  *remote.Desk
	rt    *agent.Runtime
	hooks *app.Kit
	end   func() // stops the server; nil = the server was not started
}

// openAPI starts to listen for requests, before the agent starts. It returns nil without --serve.
func (r *run) openAPI() (*sessionAPI, error) {
	if r.serve == "" {
		if r.tokenFD >= 0 {
			return nil, errors.New("--token-fd can only be used together with --serve: add --serve")
		}
		return nil, nil
	}
	if err := base.RequirePerson(r.env, base.ByHand); err != nil { // because the starter gets the token
		return nil, err
	}
	at, err := r.apiAddress()
	if err != nil {
		return nil, err
	}
	d := &sessionAPI{run: r, desk: remote.New(r.id, r.isInteractive())}
	if d.token, err = r.apiToken(); err != nil {
		return nil, err
	}
	if err := localhttp.ProtectMemory(); err != nil {
		return nil, base.AsRefusal(fmt.Errorf("checkrein cannot keep other processes from reading the token in its memory: %w", err))
	}
	if err := localhttp.AdoptOrphans(); err != nil {
		return nil, base.AsRefusal(fmt.Errorf("checkrein cannot recognize requests from processes that the session leaves running: %w", err))
	}
	if d.ln, err = at.Listen(); err != nil {
		return nil, base.AsRefusal(err)
	}
	return d, nil
}

// apiAddress returns the address of --serve.
func (r *run) apiAddress() (localhttp.Address, error) {
	if path, ok := strings.CutPrefix(r.serve, "unix:"); ok {
		return localhttp.SocketAddress(r.env.Path(path))
	}
	return localhttp.ParseAddress(r.serve)
}

// apiToken returns the token from --token-fd. Without that flag it returns a new token, but only if
// stderr is a terminal, where it is shown.
func (r *run) apiToken() (localhttp.Token, error) {
	if r.tokenFD >= 0 {
		return readToken(r.tokenFD)
	}
	if !base.IsTerminal(r.env.Stderr) {
		return localhttp.Token{}, base.AsRefusal(errors.New("--serve: standard error is not a terminal, so the agent could read the token: give one that only you know with --token-fd 3 3< <(your-password-program)"))
	}
	return localhttp.NewToken()
}

// readToken reads the token from the file descriptor fd and closes it, so that tools do not inherit
// it.
func readToken(fd int) (localhttp.Token, error) {
	if fd < 3 {
		return localhttp.Token{}, errors.New("--token-fd must be a file descriptor of 3 or higher")
	}
	f := os.NewFile(uintptr(fd), "token")
	if f == nil {
		return localhttp.Token{}, fmt.Errorf("--token-fd: file descriptor %d is not open", fd)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return localhttp.Token{}, fmt.Errorf("--token-fd: %w", err)
	}
	token, err := localhttp.ParseToken(string(data))
	if err != nil {
		err = fmt.Errorf("--token-fd: %w", err)
	}
	return token, err
}

// wrapUI returns a UI that also accepts answers to its questions over HTTP.
func (d *sessionAPI) wrapUI(ui agent.UI) agent.UI {
	d.desk.UI = ui
	return d.desk
}

// wake returns a channel that receives when messages may be waiting. It returns nil if d is nil.
func (d *sessionAPI) wake() <-chan struct{} {
	if d == nil {
		return nil
	}
	return d.desk.Wake()
}

// start prints the address, and serves the session until close is called.
func (d *sessionAPI) start(rt *agent.Runtime) {
	d.rt, d.hooks = rt, rt.Hooks()
	url, socket := localhttp.ListenerURL(d.ln)
	if socket != "" {
		url += " (unix socket " + visible.EscapeLine(socket) + ")"
	}
	errs := d.run.env.Stderr
	fmt.Fprintf(errs, "serving session %s on %s\n", d.run.id, url)
	if d.run.tokenFD < 0 {
		fmt.Fprintf(errs, "the session's token (keep it secret): %s\n", d.token)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	server := localhttp.New(localhttp.Options{Routes: d.routes(), Token: d.token, OnPanic: func(err error) { fmt.Fprintln(errs, "checkrein:", visible.EscapeLine(err.Error())) }})
	go func() {
		defer close(ended)
		if err := server.Serve(ctx, d.ln); err != nil {
			fmt.Fprintln(errs, "checkrein: the session is no longer served over HTTP:", visible.EscapeLine(err.Error()))
		}
	}()
	d.end = func() { stop(); <-ended }
}

// close stops the server and closes the listener.
func (d *sessionAPI) close() {
	if d.end != nil {
		d.end()
	}
	_ = d.ln.Close()
}

// routes returns the routes, which have the same names as docker-agent's, below both paths. All of them are for people
// only.
func (d *sessionAPI) routes() []localhttp.Route {
	var routes []localhttp.Route
	add := func(method, path string, doc localhttp.Doc, do func(context.Context, *localhttp.Request) localhttp.Answer) {
		r := localhttp.Route{Method: method, Token: true, Person: true, Doc: doc, Do: func(ctx context.Context, r *localhttp.Request) localhttp.Answer {
			if id := r.PathPart("id"); path != "" && id != d.run.id {
				return localhttp.ErrorAnswer(http.StatusNotFound, fmt.Sprintf("session %q is not served here", id), "the session served here is "+d.run.id)
			}
			return do(ctx, r)
		}}
		for _, prefix := range sessionPaths {
			r.Path = prefix + path
			routes = append(routes, r)
		}
	}
	add(http.MethodGet, "", localhttp.Doc{About: "List the session", Out: []sessionEntry{}}, d.list)
	add(http.MethodGet, "/{id}/status", localhttp.Doc{About: "What the session does, and its open questions", Out: sessionStatus{}}, d.status)
	add(http.MethodPost, "/{id}/followup", localhttp.Doc{About: "Send messages for when the agent is done", In: userMessages{}, Out: messageState{}}, func(ctx context.Context, r *localhttp.Request) localhttp.Answer {
		return d.queueMessages(ctx, r, d.followUp)
	})
	add(http.MethodPost, "/{id}/steer", localhttp.Doc{About: "Send messages to the working agent", In: userMessages{}, Out: messageState{}}, func(ctx context.Context, r *localhttp.Request) localhttp.Answer {
		return d.queueMessages(ctx, r, d.rt.Steer)
	})
	add(http.MethodPost, "/{id}/resume", localhttp.Doc{About: "Answer a question", In: questionAnswer{}, Out: messageState{}}, d.answerQuestion)
	own := localhttp.Route{Method: http.MethodGet, Path: "/openapi.json", Token: true, Person: true, Doc: localhttp.Doc{About: "This description", Out: map[string]any{}}}
	own.Do = func(context.Context, *localhttp.Request) localhttp.Answer {
		return server.DescribeRoutes("checkrein run --serve", append(routes, own))
	}
	return append(routes, own)
}

// The bodies of requests and answers.
type (
	sessionEntry struct {
		ID  string `json:"id"`
		Dir string `json:"working_dir"`
	}
	sessionStatus struct {
		ID        string                   `json:"id"`
		Agent     string                   `json:"agent"`
		Streaming bool                     `json:"streaming"` // the agent is working
		Pending   []remote.PendingQuestion `json:"pending"`
	}
	userMessages struct {
		Messages []userMessage `json:"messages"`
	}
	userMessage struct {
		Role    string `json:"role,omitempty"` // user, which is the default
		Content string `json:"content"`
	}
	messageState struct {
		Status string `json:"status"` // answered, queued or queued_idle
		Output string `json:"output,omitempty"`
	}
	questionAnswer struct {
		ID           string `json:"id"`
		Confirmation string `json:"confirmation"` // a key of answersByWord
		Reason       string `json:"reason,omitempty"`
	}
)

// sessionPaths are the paths of the sessions: docker-agent's, and checkrein's own.
var sessionPaths = [...]string{"/api/sessions", "/v1/sessions"}

// jsonAnswer returns a response with v as JSON.
func jsonAnswer(v any) localhttp.Answer {
	body, err := json.Marshal(v)
	if err != nil {
		return localhttp.ErrorAnswer(http.StatusInternalServerError, err.Error(), "this is a bug in checkrein")
	}
	return localhttp.Answer{Body: body}
}

// list answers with a list of the one session.
func (d *sessionAPI) list(context.Context, *localhttp.Request) localhttp.Answer {
	return jsonAnswer([]sessionEntry{{d.run.id, d.run.dir}})
}

// status answers with the state of the session and its open questions.
func (d *sessionAPI) status(context.Context, *localhttp.Request) localhttp.Answer {
	return jsonAnswer(sessionStatus{d.run.id, d.desk.Agent(), d.rt.IsWorking(), d.desk.PendingQuestions()})
}

// queueMessages passes each message of the request to queue as if the user had typed it. It runs
// /hooks commands instead.
func (d *sessionAPI) queueMessages(ctx context.Context, r *localhttp.Request, queue func(string) error) localhttp.Answer {
	const form = `send {"messages": [{"content": "…"}]}`
	var in userMessages
	if err := json.Unmarshal(r.Body, &in); err != nil {
		return localhttp.ErrorAnswer(http.StatusBadRequest, "the request body is not valid: "+err.Error(), form)
	}
	if len(in.Messages) == 0 || slices.ContainsFunc(in.Messages, func(m userMessage) bool {
		return strings.TrimSpace(m.Content) == "" || m.Role != "" && m.Role != "user"
	}) {
		return localhttp.ErrorAnswer(http.StatusBadRequest, "the request has no messages, or one is empty or does not have the role user", form)
	}
	state, waits := "answered", "queued"
	if !d.rt.IsWorking() {
		waits = "queued_idle"
	}
	var output bytes.Buffer
	for i, m := range in.Messages {
		if d.runHooksCommand(ctx, &output, m.Content) {
			continue
		}
		state = waits
		if err := queue(m.Content); err != nil {
			return localhttp.ErrorAnswer(http.StatusTooManyRequests, fmt.Sprintf("message %d of %d: %v", i+1, len(in.Messages), err), "send this message and the ones after it again, once the agent has read some")
		}
	}
	return jsonAnswer(messageState{state, output.String()})
}

// runHooksCommand runs text as if it had been typed if it is a /hooks command, and reports whether it
// is one. The model does not see such a message, and the command cannot ask questions.
func (d *sessionAPI) runHooksCommand(ctx context.Context, to io.Writer, text string) bool {
	words := strings.Fields(text)
	if len(words) == 0 || words[0] != "/hooks" {
		return false
	}
	env := *d.run.env
	env.Stdin, env.Stdout, env.Stderr, env.Colour = strings.NewReader(""), to, to, "never"
	d.run.runTyped(ctx, env, nil, append([]string{"hooks"}, words[1:]...)...)
	return true
}

// followUp queues a message that the agent gets when it is done.
func (d *sessionAPI) followUp(text string) error {
	err := d.rt.FollowUp(text)
	if err == nil {
		d.desk.Notify()
	}
	return err
}

// answersByWord maps docker-agent's names for answers to the answers that this runtime supports.
var answersByWord = map[string]agent.Answer{
	"approve": agent.Approve, "approve-tool": agent.Always, "approve-session": agent.Everything, "approve-autonomous": agent.Everything, "reject": agent.Reject,
}

// answerQuestion answers the open question that the request names.
func (d *sessionAPI) answerQuestion(_ context.Context, r *localhttp.Request) localhttp.Answer {
	var in questionAnswer
	_ = json.Unmarshal(r.Body, &in) // an answer of another form has no valid word, or names no question
	word := in.Confirmation
	answer, ok := answersByWord[word]
	if !ok {
		return localhttp.ErrorAnswer(http.StatusBadRequest, fmt.Sprintf("%q is not a valid answer, so the question stays open", word), "send confirmation: approve, approve-tool, approve-session or reject")
	}
	reply := agent.Reply{Answer: answer, Reason: in.Reason}
	id := in.ID
	if id == "" {
		return localhttp.ErrorAnswer(http.StatusBadRequest, "the answer does not name a question, and a different one may be open by now", "send the id that GET /api/sessions/"+d.run.id+"/status lists")
	}
	p, err := d.desk.FindPending(id)
	if err == nil {
		err = d.recordAnswer(&p, word)
	}
	if err == nil {
		err = d.desk.Answer(id, reply)
	}
	if err != nil {
		return localhttp.ErrorAnswer(http.StatusConflict, err.Error(), "to see the open questions: GET /api/sessions/"+d.run.id+"/status")
	}
	return jsonAnswer(messageState{Status: "answered"})
}

// recordAnswer records the user's answer to the question p, before it takes effect.
func (d *sessionAPI) recordAnswer(p *remote.PendingQuestion, word string) error {
	call := p.Type
	if q := p.Question; q != nil {
		call = q.Tool + " " + string(q.Input)
	}
	_, err := d.hooks.RecordAct(app.Act{Act: "answer " + word, Call: call, By: base.PersonName(), Caller: server.OverHTTP})
	return err
}

// apiGuardHooks returns hooks, and their handler type, that deny tool calls in which the session API
// can be recognized and remove the token from results, since only the user may use the API.
func (d *sessionAPI) apiGuardHooks() ([]checkrein.Hook, checkrein.HandlerType) {
	const name = "serve_guard"
	url, socket := localhttp.ListenerURL(d.ln)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	from := checkrein.Origin{Scope: checkrein.ScopeUser, File: "run --serve"}
	hook := func(on checkrein.Kind) checkrein.Hook {
		return checkrein.Hook{ID: name, Name: name, On: on, Run: name, Priority: hookfile.DefaultPriority, Preempt: true, Gate: on == checkrein.PreToolUse, Rewrites: on == checkrein.ToolResponseTransform, From: from, OnFault: checkrein.FaultBlock}
	}
	typ := checkrein.HandlerType{
		Name: name,
		Traits: func(h *checkrein.Hook) checkrein.Traits {
			return checkrein.Traits{Instant: true, Judges: true, Rewrites: h.On == checkrein.ToolResponseTransform}
		},
		New: func(h checkrein.Hook) (checkrein.Handler, error) {
			return checkrein.HandlerFunc(func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				if ev.Tool == nil {
					return checkrein.Answer{}, nil
				}
				if h.On == checkrein.ToolResponseTransform {
					return d.redactToken(ev.Tool.Output), nil
				}
				return d.denyAccess(string(ev.Tool.Input), port, socket), nil
			}), nil
		},
	}
	return []checkrein.Hook{hook(checkrein.PreToolUse), hook(checkrein.ToolResponseTransform)}, typ
}

// denyAccess returns a denial if input names the session API by its token, path, port or socket, and
// the zero Answer otherwise.
func (d *sessionAPI) denyAccess(input, port, socket string) (a checkrein.Answer) {
	named := strings.Contains(input, d.token.String()) || slices.ContainsFunc(sessionPaths[:], func(path string) bool { return strings.Contains(input, path+"/"+d.run.id) })
	if socket != "" {
		named = named || strings.Contains(input, socket)
	} else {
		named = named || strings.Contains(input, ":"+port) || strings.Contains(input, "/"+port)
	}
	if named {
		a.Decision, a.Reason = checkrein.Deny, "Blocked (only the user may call the session's own API): ask the user to answer"
	}
	return a
}

// redactToken returns an answer that replaces the token in a tool's output, or the zero Answer if
// output does not contain it.
func (d *sessionAPI) redactToken(output json.RawMessage) (a checkrein.Answer) {
	if token := d.token.String(); strings.Contains(string(output), token) {
		a.Output = json.RawMessage(strings.ReplaceAll(string(output), token, "[REDACTED]"))
	}
	return a
}
