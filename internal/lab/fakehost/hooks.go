package fakehost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/sys/process"
)

// impatientTimeout is how long a host with the lie Impatient waits for a hook.
const impatientTimeout = time.Second

// An answer is the merged replies of all hooks to an event.
type answer struct {
	decision string // allow, ask, deny or ""
	reason   string
	// behaviour is the answer to a PermissionRequest: allow, deny or "".
	behaviour string
	input     json.RawMessage // replaces the tool's input
	output    json.RawMessage // replaces the tool's output
	context   []string
	blocked   []blocking
	fired     int      // number of hooks
	ends      bool     // a hook ends the turn
	endsWith  string   // the reason of that hook
	text      []string // plain text of hooks that succeeded
}

// withholds reports whether the build's lies keep it from firing an event.
func (b Build) withholds(e *event) bool {
	return b.lies(Silent) ||
		b.lies(SkipsSubagents) && e.AgentID != "" ||
		b.lies(FiresForShell) && e.ToolName != "" && e.ToolName != "Bash"
}

// fire runs the hooks of an event concurrently and returns their merged answer.
func (s *session) fire(ctx context.Context, e event, log *transcript) answer {
	if s.build.withholds(&e) {
		return answer{}
	}
	all := s.readAllSettings()
	hooks := all.hooksFor(e.Name, e.subject())
	if len(hooks) == 0 {
		return answer{}
	}
	if s.build.lies(FiresTwice) && e.ToolName != "" {
		hooks = append(hooks, hooks...)
	}
	stdin, err := json.Marshal(e)
	if err != nil { // impossible: e consists of strings and valid JSON
		return answer{}
	}
	a := answer{fired: len(hooks)}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, h := range hooks {
		wg.Go(func() {
			ran := s.runHook(ctx, h, &e, append(stdin, '\n'))
			mu.Lock()
			defer mu.Unlock()
			a.add(s.build, &e, ran, log)
		})
	}
	wg.Wait()
	if s.build.lies(DropsContext) {
		a.context, a.text = nil, nil
	}
	return a
}

// A hookRun is the result of running a hook.
type hookRun struct {
	hook           hook
	stdout, stderr string
	exit           int
	lost           bool // it timed out or did not start
	took           time.Duration
}

func (s *session) runHook(ctx context.Context, h hook, e *event, stdin []byte) hookRun {
	timeout := h.timeout(e.Name)
	if s.build.lies(Impatient) {
		timeout = min(timeout, impatientTimeout)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	argv := []string{"/bin/sh", "-c", h.Command}
	if h.Args != nil {
		argv = []string{h.Command}
		for _, a := range h.Args {
			argv = append(argv, strings.ReplaceAll(a, "${CLAUDE_PROJECT_DIR}", s.cwd))
		}
	}
	began := time.Now()
	res, err := process.Run(ctx, process.Spec{Argv: argv, Dir: s.cwd, Env: s.environ(), Stdin: stdin, MaxOut: 16 << 20})
	return hookRun{
		hook: h, stdout: string(res.Stdout), stderr: string(res.Stderr), exit: res.Exit,
		lost: err != nil || res.Exit < 0, took: time.Since(began),
	}
}

// environ returns the environment of hooks and tools, which is the agent's with Claude Code's
// variables added.
func (s *session) environ() []string {
	return append(os.Environ(),
		"CLAUDECODE=1", "CLAUDE_PROJECT_DIR="+s.cwd, "CLAUDE_CODE_SESSION_ID="+s.id, "CLAUDE_CODE_ENTRYPOINT="+s.entrypoint(),
		"CLAUDE_CODE_CHILD_SESSION=1", "AI_AGENT=claude-code_"+strings.ReplaceAll(s.build.version(), ".", "-")+"_harness")
}

// A reply is the JSON that a hook may print on stdout.
type reply struct {
	Continue   *bool           `json:"continue"`
	StopReason string          `json:"stopReason"`
	Decision   string          `json:"decision"`
	Reason     string          `json:"reason"`
	Specific   json.RawMessage `json:"hookSpecificOutput"`
}

type specific struct {
	Event    string          `json:"hookEventName"`
	Decision string          `json:"permissionDecision"`
	Reason   string          `json:"permissionDecisionReason"`
	Input    json.RawMessage `json:"updatedInput"`
	Output   json.RawMessage `json:"updatedToolOutput"`
	Context  string          `json:"additionalContext"`
	Request  struct {
		Behaviour string          `json:"behavior"`
		Message   string          `json:"message"`
		Input     json.RawMessage `json:"updatedInput"`
	} `json:"decision"`
}

// Errors of readReply. Either way, the whole reply is ignored.
var (
	errRejected = errors.New("hook reply rejected") // it has invalid members
	errPlain    = errors.New("not one JSON object") // it is plain text, which may be context
)

// readReply parses a hook's stdout. The error is errPlain if it is not a single JSON object, and
// errRejected if its hookSpecificOutput is invalid or for another event.
func (e *event) readReply(stdout string) (reply, specific, error) {
	var r reply
	var sp specific
	dec := json.NewDecoder(strings.NewReader(stdout))
	if dec.Decode(&r) != nil || dec.More() {
		return reply{}, sp, errPlain
	}
	if len(r.Specific) == 0 || bytes.Equal(r.Specific, []byte("null")) {
		return r, sp, nil
	}
	if json.Unmarshal(r.Specific, &sp) != nil || sp.Event != e.Name {
		return reply{}, specific{}, errRejected
	}
	switch sp.Decision {
	case "", "allow", "ask", "deny":
		return r, sp, nil
	}
	return reply{}, specific{}, errRejected
}

// add merges the result of one hook into a and writes it to the transcript.
func (a *answer) add(b Build, e *event, r hookRun, log *transcript) {
	line := hookLine{
		Type: "hook_success", Content: "", Hook: e.title(), ToolUseID: e.ToolUseID, Event: e.Name,
		Stdout: &r.stdout, Stderr: &r.stderr, Exit: &r.exit, Command: r.hook.Command, Took: r.took.Milliseconds(),
	}
	switch e.Name {
	case "SessionStart", "SubagentStart":
		line.Hook += ":" + e.subject()
	}
	var rep reply
	var sp specific
	said := strings.TrimSpace(r.stdout)
	isJSON, rejected := strings.HasPrefix(said, "{") && !r.lost, false
	if isJSON {
		var err error
		rep, sp, err = e.readReply(said)
		isJSON, rejected = err == nil, errors.Is(err, errRejected)
	}
	blocks := r.exit == 2 && !b.lies(IgnoresExit)
	reason := rep.Reason
	if sp.Reason != "" {
		reason = sp.Reason
	}
	switch {
	case sp.Decision == "deny":
		a.decide("deny", e.denialMessage(reason))
	case sp.Decision != "":
		a.decide(sp.Decision, reason)
	case rep.Decision == "block" || rep.Decision == "deny":
		a.decide("deny", e.denialMessage(reason))
		a.blocked = append(a.blocked, blocking{reason, r.hook.Command})
	case rep.Decision == "approve":
		a.decide("allow", reason)
	}
	if blocks && a.decision != "deny" {
		stderr := r.stderr
		if stderr == "" {
			stderr = "No stderr output"
		}
		a.decide("deny", e.denialMessage("["+r.hook.Command+"]: "+stderr))
		a.blocked = append(a.blocked, blocking{"[" + r.hook.Command + "]: " + stderr, r.hook.Command})
	}
	if b := sp.Request.Behaviour; b != "" && a.behaviour != "deny" {
		a.behaviour, a.reason, a.input = b, sp.Request.Message, sp.Request.Input
	}
	if len(sp.Input) > 0 {
		a.input = sp.Input
	}
	if len(sp.Output) > 0 {
		a.output = sp.Output
	}
	if sp.Context != "" {
		a.context = append(a.context, sp.Context)
	}
	if rep.Continue != nil && !*rep.Continue {
		a.ends, a.endsWith = true, rep.StopReason
	}
	switch {
	case r.lost:
		line.Type = "hook_cancelled"
	case blocks || rep.Decision == "block":
		line = hookLine{Type: "hook_blocking_error", Hook: line.Hook, ToolUseID: e.ToolUseID, Event: e.Name,
			Blocking: &blocking{reason, r.hook.Command}}
	case r.exit != 0:
		line.Type, line.Content, line.Stderr = "hook_non_blocking_error", nil, ptr("Failed with non-blocking status code: "+strings.TrimSpace(r.stderr))
	case rejected:
		line.Type, line.Content, line.Exit, line.Stderr = "hook_non_blocking_error", nil, ptr(1), ptr("Failed to run: Hook returned incorrect event name")
	case !isJSON && said != "":
		line.Content = said
		a.text = append(a.text, said)
	case !isJSON:
		return // the transcript omits hooks without output
	}
	if line.Type == "hook_success" && isJSON && slices.Contains(unloggedEvents, e.Name) {
		line.Type = ""
	}
	if line.Type != "" && sp.Decision != "deny" && (e.Name != "PreToolUse" || line.Type != "hook_blocking_error") {
		log.attach(line)
	}
	if sp.Context != "" && !b.lies(DropsContext) {
		log.attach(hookLine{Type: "hook_additional_context", Content: []string{sp.Context}, Hook: e.title(), ToolUseID: e.ToolUseID, Event: e.Name})
	}
}

// unloggedEvents lists the events whose hooks the transcript omits if they succeed with JSON.
var unloggedEvents = []string{"UserPromptSubmit"}

// denialMessage returns the message that the model gets when a hook denies.
func (e *event) denialMessage(reason string) string {
	if reason == "" {
		reason = "Blocked by hook"
	}
	return e.title() + " hook error: " + reason
}

// decide replaces a's decision and reason if decision is stricter.
func (a *answer) decide(decision, reason string) {
	rank := map[string]int{"": 0, "allow": 1, "ask": 2, "deny": 3}
	if rank[decision] > rank[a.decision] {
		a.decision, a.reason = decision, reason
	}
}

func ptr[T any](v T) *T { return &v }
