package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/desk/server"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/dialect/starchild"
	"github.com/checkrein/checkrein/internal/sys/localhttp"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A selfApprover answers Starchild's self-approve API.
type selfApprover struct {
	env     *console.Env
	allowed bool       // agents were allowed to approve hooks when the server started
	mu      sync.Mutex // serializes approvals
}

// route returns the route of the API.
func (s *selfApprover) route() localhttp.Route {
	return localhttp.Route{
		Method: http.MethodPost, Path: approvePath, SameUser: true, Do: s.approve,
		Doc:    localhttp.Doc{About: "Approve a hook, for agents of starchild", In: approveRequest{}, Out: approveResponse{}, Refused: approveRefusal{}},
		Refuse: func(*localhttp.Refusal) localhttp.Answer { return askUserAnswer("", false) },
	}
}

// approvePath is the path of Starchild's self-approve API.
const approvePath = "/internal/runtime/hooks/approve"

// An approveRequest is the body of a request.
type approveRequest struct {
	Command string `json:"command"`
	Master  bool   `json:"enable_master,omitempty"`
}

// An approveResponse is the response of Starchild's self-approve API.
type approveResponse struct {
	OK      bool     `json:"ok"`
	Events  []string `json:"events"`
	Mounted int      `json:"mounted"`
	Master  bool     `json:"master_enabled"`
	Reason  string   `json:"reason,omitempty"`
}

// An approveRefusal is the response when nothing was approved: to ask the user, or why.
type approveRefusal struct {
	Error   string    `json:"error,omitempty"`
	Remedy  string    `json:"remedy,omitempty"`
	AskUser []string  `json:"ask_user,omitempty"` // what the user can type
	OK      *bool     `json:"ok,omitempty"`
	Events  *[]string `json:"events,omitempty"`
	Mounted *int      `json:"mounted,omitempty"`
	Master  *bool     `json:"master_enabled,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

// askUserAnswer returns the answer that tells an agent to ask the user. In Starchild's documentation,
// status 404 has that meaning, and the body has the commands for the user to type. If waits is set,
// the user must confirm the setting self_approve first.
func askUserAnswer(command string, waits bool) localhttp.Answer {
	typed, quoted := "/hooks list", "COMMAND"
	if command != "" {
		shown := visible.EscapeLine(command)
		quoted = "'" + strings.ReplaceAll(shown, "'", `'\''`) + "'"
		if strings.Contains(shown, " -") { // otherwise, " -" would begin a flag
			shown = "-- " + shown
		}
		typed = "/hooks approve " + shown
	}
	why := "hooks cannot be approved here: the user decides"
	if waits {
		why += ". " + base.SelfApproveHeld + ", then start checkrein serve again"
	}
	o := rawjson.Object{'{'}
	o.Key("ok")
	o = append(o, "false"...)
	o.Text("error", why)
	o.Text("remedy", "ask the user to run these commands, or to run in a terminal: checkrein hooks approve "+quoted)
	o.Texts("ask_user", []string{typed, "/hooks on"})
	o.Close()
	return localhttp.Answer{Status: http.StatusNotFound, Body: o}
}

// approve approves a hook that a shell_hooks.yaml in force declares, on behalf of an agent. The
// setting self_approve must have been in force when the server started, and still be.
func (s *selfApprover) approve(_ context.Context, r *localhttp.Request) localhttp.Answer {
	command, given := rawjson.Get(r.Body, "command")
	text, isText := rawjson.Text(command)
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := base.OpenKit(s.env, app.Options{FilesByPlace: true})
	if err != nil || !s.allowed || !k.SelfApproves() {
		return askUserAnswer(text, err == nil && k.IsSelfApproveHeld())
	}
	if !given || !isText || strings.TrimSpace(text) == "" {
		return localhttp.ErrorAnswer(http.StatusBadRequest, "the request has no command", `send {"command": "…"}, exactly as it is in shell_hooks.yaml`)
	}
	master, ok := boolMember(r.Body, "enable_master", true)
	if !ok {
		return localhttp.ErrorAnswer(http.StatusBadRequest, "enable_master must be true or false", "leave it out, or send true or false")
	}
	return s.approveCommand(k, text, master)
}

// boolMember returns the boolean member name of the JSON object body, or unless if it is missing. ok
// is false if the member is not a boolean.
func boolMember(body []byte, name string, unless bool) (is, ok bool) {
	val, given := rawjson.Get(body, name)
	if !given {
		return unless, true
	}
	return string(val) == "true", string(val) == "true" || string(val) == "false"
}

// approveCommand approves the hooks that run command and, if master is set, switches hooks on. Its
// answer has the events on which the command runs now.
func (s *selfApprover) approveCommand(k *app.Kit, command string, master bool) localhttp.Answer {
	meant, there := declaredHooks(k, command)
	if len(meant) == 0 {
		return unapprovedAnswer(fmt.Errorf("no shell_hooks.yaml in %s declares this command: add the entry first, and send the command exactly as it is there (declared: %s)", k.Root(), cmp.Or(strings.Join(there, ", "), "none")))
	}
	by := hooks.Actor{Left: true, Caller: server.OverHTTP}
	a := hooks.Approver{Env: s.env, Kit: k, By: by}
	err := a.Review(func(h *checkrein.Hook) bool {
		return slices.ContainsFunc(meant, func(of *checkrein.Hook) bool { return hooks.KeyOf(k, of) == hooks.KeyOf(k, h) })
	})
	if err != nil {
		return unapprovedAnswer(err)
	}
	done, err := a.Approve()
	if err != nil {
		return unapprovedAnswer(err)
	}
	errs := []error{a.UnapprovedError(len(done))}
	if master && len(done) > 0 {
		errs = append(errs, s.switchOn(k, by))
	}
	if k, err = base.OpenKit(s.env, app.Options{FilesByPlace: true}); err != nil {
		return unapprovedAnswer(err)
	}
	out := mountedResponse(k, command)
	if err := errors.Join(errs...); err != nil || len(done) == 0 {
		out.OK = false
		if err != nil {
			out.Reason = visible.EscapeText(err.Error())
		}
	}
	body, _ := json.Marshal(out)
	return localhttp.Answer{Status: map[bool]int{true: http.StatusOK, false: http.StatusUnprocessableEntity}[out.OK], Body: body}
}

// declaredHooks returns the hooks in shell_hooks.yaml files that run command, and all commands in
// those files, sorted.
func declaredHooks(k *app.Kit, command string) (hooks []*checkrein.Hook, there []string) {
	all := k.Hooks()
	for i := range all {
		h := &all[i]
		if h.Dialect != starchild.Dialect.Name || h.Broken != "" {
			continue
		}
		there = append(there, approval.RunText(h))
		if starchild.RunsCommand(h, command) {
			hooks = append(hooks, h)
		}
	}
	slices.Sort(there)
	return hooks, slices.Compact(there)
}

// switchOn records that hooks are switched on, and switches them on like hooks on does. It does
// nothing if they are on.
func (s *selfApprover) switchOn(k *app.Kit, by hooks.Actor) error {
	if k.IsOn() && len(hooks.OffFiles(k)) == 0 {
		return nil
	}
	if err := hooks.RecordAct(k, "hooks on", nil, by); err != nil {
		return err
	}
	if err := k.SetOn(true); err != nil {
		return err
	}
	said := *s.env
	said.Stdout = s.env.Stderr
	return hooks.SwitchOnFiles(&said, k)
}

// mountedResponse returns the response with the events on which command is approved to run, and the
// number of hooks that run it now.
func mountedResponse(k *app.Kit, command string) approveResponse {
	out := approveResponse{OK: true, Events: []string{}, Master: k.IsOn()}
	hooks, _ := declaredHooks(k, command)
	for _, h := range hooks {
		out.Master = out.Master && h.Off == ""
	}
	for _, h := range hooks {
		if is, _ := k.Approval(h); is != engine.Approved {
			continue
		}
		if name := starchild.EventName(h.On); !slices.Contains(out.Events, name) {
			out.Events = append(out.Events, name)
		}
		if k.IsOn() && h.Off == "" {
			out.Mounted++
		}
	}
	return out
}

// unapprovedAnswer returns the answer that nothing was approved because of err.
func unapprovedAnswer(err error) localhttp.Answer {
	body, _ := json.Marshal(approveResponse{Events: []string{}, Reason: visible.EscapeText(err.Error())})
	return localhttp.Answer{Status: http.StatusUnprocessableEntity, Body: body}
}
