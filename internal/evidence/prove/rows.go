package prove

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// A row is one thing that a proof shows, and how it is read from what was seen.
type row struct {
	id    capability.Row
	runs  []int // whose evidence it goes by
	check func(*observation) Outcome
}

// rows are the table, in the order in which they are shown.
var rows = []row{
	{capability.DenyShell, []int{1}, func(o *observation) Outcome { return o.deny(&o.work, "shell", "shell", "deny-shell") }},
	{capability.DenyWrite, []int{1}, func(o *observation) Outcome { return o.deny(&o.work, "write", "write", "deny-write") }},
	{capability.DenyEdit, []int{1}, func(o *observation) Outcome { return o.deny(&o.work, "edit", "edit", "deny-edit") }},
	{capability.DenyMCP, []int{1}, func(o *observation) Outcome { return o.deny(&o.work, "mcp", "mcp", "deny-mcp") }},
	{capability.DenySubagent, []int{1}, func(o *observation) Outcome { return o.deny(&o.work, "sub", "sub", "deny-sub") }},
	{capability.Ask, []int{3}, (*observation).ask},
	{capability.DenyEditor, []int{4}, (*observation).denyEditor},
	{capability.AskEditor, []int{4}, (*observation).askEditor},
	{capability.Rewrite, []int{1}, (*observation).rewrite},
	{capability.OutputReplaced, []int{1}, (*observation).output},
	{capability.ContextSession, []int{1}, func(o *observation) Outcome { return o.context(capability.ContextSession, "session", "session_start") }},
	{capability.ContextPrompt, []int{1}, func(o *observation) Outcome {
		return o.context(capability.ContextPrompt, "prompt", "user_prompt_submit")
	}},
	{capability.ContextCall, []int{1}, func(o *observation) Outcome { return o.context(capability.ContextCall, "call", "pre_tool_use") }},
	{capability.ContextResult, []int{1}, func(o *observation) Outcome { return o.context(capability.ContextResult, "result", "post_tool_use") }},
	{capability.PromptBlocked, []int{2}, (*observation).promptBlocked},
	{capability.StopBlocked, []int{1}, (*observation).stopBlocked},
	{capability.StopCap, []int{1}, (*observation).stopCap},
	{capability.FaultMissing, []int{3}, func(o *observation) Outcome { return o.fault("absent", "missing") }},
	{capability.FaultCrash, []int{3}, func(o *observation) Outcome { return o.fault("crashed", "slain") }},
	{capability.FaultHang, []int{3}, func(o *observation) Outcome { return o.fault("hung") }},
	{capability.FaultGarbage, []int{3}, func(o *observation) Outcome { return o.fault("garbage") }},
	{capability.SelfProtection, []int{1}, (*observation).protects},
	{capability.AskedOnce, []int{1}, (*observation).askedOnce},
	{capability.Latency, []int{1, 3}, (*observation).latency},
	{capability.Version, []int{1}, (*observation).tellsVersion},
}

func outcome(r capability.Result, format string, args ...any) Outcome {
	return Outcome{Result: r, Said: fmt.Sprintf(format, args...)}
}

// made returns why a step cannot be judged; "" = the model made the call.
func (r *run) made(step string) string {
	if why, ok := r.play.missing[step]; ok {
		why, _, _ = strings.Cut(why, ", only")
		return why
	}
	if _, ok := r.play.turns[step]; ok {
		return ""
	}
	return r.short()
}

// answered returns why a step cannot be judged by what was not seen; "" = the model was
// told what came of the call, so whatever belongs to it has happened.
func (r *run) answered(step string) string {
	if why := r.made(step); why != "" {
		return why
	}
	if _, ok := r.res.Record.Result(r.play.turns[step], 0); !ok {
		return r.short()
	}
	return ""
}

// short returns how a run ended that did not come far enough.
func (r *run) short() string {
	why := "the run did not come that far"
	switch tail := lastLine(r.res.Stderr, r.res.Stdout); {
	case r.res.TimedOut:
		why += ": the agent did not end in time"
	case tail != "":
		why += fmt.Sprintf(": the agent ended with %d and said %q", r.res.Exit, tail)
	}
	return why
}

// lastLine is the last line that is not empty of the first text that has one.
func lastLine(texts ...string) string {
	for _, t := range texts {
		lines := strings.Split(strings.TrimSpace(t), "\n")
		if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
			return last[:min(len(last), 200)]
		}
	}
	return ""
}

// told is what the model was told of a step.
func (r *run) told(step string) mockmodel.ToolResult {
	turn, ok := r.play.turns[step]
	if !ok {
		return mockmodel.ToolResult{}
	}
	res, _ := r.res.Record.Result(turn, 0)
	return res
}

// recorded finds a record of an event with a decision and a reason.
func (r *run) recorded(event string, decisions []string, reason string) (record.Record, bool) {
	i := slices.IndexFunc(r.records, func(rec record.Record) bool {
		return rec.Event == event && (decisions == nil || slices.Contains(decisions, rec.Decision)) && strings.Contains(rec.Reason, reason)
	})
	if i < 0 {
		return record.Record{}, false
	}
	return r.records[i], true
}

// trace is what a call of a kind leaves; the time is zero where that is not known.
func (o *observation) trace(kind, mark string) (ran bool, at time.Time) {
	switch kind {
	case "edit":
		return strings.Contains(content(filepath.Join(o.w.Project, "plan.txt")), mark), at
	case "mcp":
		return slices.Contains(o.w.PokedTexts(), mark), at
	}
	info, err := os.Lstat(filepath.Join(o.w.Project, mark))
	if err != nil {
		return there(filepath.Join(o.w.Project, mark)), at
	}
	return true, info.ModTime()
}

// deny looks at a call that was denied, beside one of the same kind that was not.
func (o *observation) deny(r *run, kind, control, step string) Outcome {
	if _, ok := o.w.Host.DelegateCall(""); kind == "sub" && !ok {
		return outcome(capability.NotShown, "checkrein knows no tool of this agent that starts a sub-agent")
	}
	for _, s := range []string{control, step} {
		if why := r.made(s); why != "" {
			return outcome(capability.NotShown, "%s", why)
		}
	}
	rec, asked := r.recorded("pre_tool_use", []string{"deny"}, no(kind))
	ran, at := o.trace(kind, denied(kind))
	switch {
	case ran && !asked:
		return outcome(capability.NotHonoured, "it ran, and checkrein was not asked")
	case ran && !at.IsZero() && at.Before(rec.Time):
		return outcome(capability.NotHonoured, "it ran before checkrein was asked, which denied it")
	case ran:
		return outcome(capability.NotHonoured, "checkrein denied it, and it ran")
	}
	if ran, _ := o.trace(kind, allowed(kind)); !ran {
		return outcome(capability.NotShown, "a call that was not denied did not run either: %q", clip(r.told(control).Text))
	}
	told := r.told(step).Text
	switch {
	case !asked:
		return outcome(capability.NotShown, "it did not run, but checkrein was not asked: %q", clip(told))
	case r.answered(step) != "":
		return outcome(capability.NotShown, "%s", r.answered(step))
	case !strings.Contains(told, no(kind)):
		return outcome(capability.Differs, "it did not run, but the model was not told why: %q", clip(told))
	}
	return outcome(capability.Honoured, "it did not run, and the model was told why")
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}

// ask looks at a call about which a person is to be asked, where there is none.
func (o *observation) ask() Outcome {
	r := &o.faults
	if why := r.made("ask"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	rec, asked := r.recorded("pre_tool_use", []string{"ask", "deny"}, "prove asks")
	switch {
	case o.w.exists("prove-asked") && !asked:
		return outcome(capability.NotHonoured, "it ran, and checkrein was not asked")
	case o.w.exists("prove-asked"):
		return outcome(capability.NotHonoured, "checkrein wanted a person to be asked, and it ran")
	case !o.w.exists(broken("mended")):
		return outcome(capability.NotShown, "a call that needs no question did not run either")
	case !asked:
		return outcome(capability.NotShown, "it did not run, but checkrein was not asked")
	case !can(o.w.known, capability.Ask):
		return outcome(capability.Cannot, "the agent cannot ask the user, so checkrein denied it, and it did not run")
	case rec.Decision == "deny":
		return outcome(capability.Honoured, "without a person to ask, checkrein denied it, and it did not run")
	}
	return outcome(capability.Honoured, "without a person to ask, it did not run")
}

// denyEditor looks at a call that was denied while an editor drove the host.
func (o *observation) denyEditor() Outcome {
	if !o.w.Host.CanAttend() {
		return outcome(capability.NotShown, "checkrein knows no way to drive this agent as editors do")
	}
	return o.deny(&o.editor, "editor", "in the editor", "deny-editor")
}

// askEditor looks at calls about which the person in front of an editor is to be asked.
func (o *observation) askEditor() Outcome {
	r := &o.editor
	if !o.w.Host.CanAttend() {
		return outcome(capability.NotShown, "checkrein knows no way to drive this agent as editors do")
	}
	for _, s := range []string{"ask, and they say no", "ask, and they say yes"} {
		if why := r.made(s); why != "" {
			return outcome(capability.NotShown, "%s", why)
		}
	}
	asked := func(about string) bool {
		return slices.ContainsFunc(r.res.Questions, func(q hostlab.Question) bool { return bytes.Contains(q.Asked, []byte(about)) })
	}
	_, heard := r.recorded("pre_tool_use", []string{"ask", "deny"}, "prove asks")
	switch {
	case o.w.exists(refused) && asked(refused):
		return outcome(capability.NotHonoured, "the user said no, and it ran")
	case o.w.exists(refused) && !heard:
		return outcome(capability.NotHonoured, "it ran, and checkrein was not asked")
	case o.w.exists(refused), o.w.exists(granted) && !asked(granted):
		return outcome(capability.NotHonoured, "checkrein wanted the user to be asked, and it ran")
	case !o.w.exists(allowed("editor")):
		return outcome(capability.NotShown, "a call that needs no question did not run either: %q", clip(r.told("in the editor").Text))
	case !heard:
		return outcome(capability.NotShown, "it did not run, but checkrein was not asked")
	case len(o.w.known.Asks.EditorArgs) == 0:
		return outcome(capability.Cannot, "the agent asks no one there, so checkrein denied it, and it did not run")
	case !asked(refused) || !asked(granted):
		return outcome(capability.Differs, "it did not run, but the user was not asked: %q", clip(r.told("ask, and they say yes").Text))
	case !o.w.exists(granted):
		return outcome(capability.Differs, "the user said yes, and it did not run: %q", clip(r.told("ask, and they say yes").Text))
	}
	return outcome(capability.Honoured, "the user was asked, and what they said was done")
}

// rewrite looks at a call that a hook rewrote.
func (o *observation) rewrite() Outcome {
	r := &o.work
	if why := r.made("rewrite"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	before, after, able := o.w.exists("prove-before"), o.w.exists("prove-after"), can(o.w.known, capability.Rewrite)
	switch {
	case before && able:
		return outcome(capability.NotHonoured, "the call ran as the model wrote it")
	case before:
		return outcome(capability.Cannot, "the agent cannot rewrite calls, so the call ran as the model wrote it")
	case after && !able:
		return outcome(capability.Differs, "the call ran rewritten, which checkrein did not expect of this agent")
	case after:
		return outcome(capability.Honoured, "the call ran as it was rewritten")
	}
	return outcome(capability.NotShown, "neither the call nor the rewritten one ran: %q", clip(r.told("rewrite").Text))
}

// output looks at a secret in what tools returned, which is replaced.
func (o *observation) output() Outcome {
	r := &o.work
	if why := r.made("output"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	if r.res.Record.ModelSaw(o.secret) {
		return outcome(capability.NotHonoured, "the model was sent the secret that was replaced")
	}
	// On a busy machine a host can lose what a command printed: one of the two shows it.
	replaced := func(step string) bool { return strings.Contains(r.told(step).Text, "REDACTED") }
	if !replaced("output") && !replaced("output of a file") {
		return outcome(capability.NotShown, "of output the model was told %q", clip(r.told("output").Text))
	}
	return outcome(capability.Honoured, "the model was sent the replaced output, and not the secret in it")
}

// context looks at what hooks add for the model.
func (o *observation) context(id capability.Row, of, event string) Outcome {
	r := &o.work
	if why := r.made("shell"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	_, fired := r.recorded(event, nil, "")
	saw, able := r.res.Record.ModelSaw("context-of-"+of), can(o.w.known, id)
	switch {
	case saw && able:
		return outcome(capability.Honoured, "the model was sent it")
	case saw:
		return outcome(capability.Differs, "the model was sent it, which checkrein did not expect of this agent")
	case !able:
		return outcome(capability.Cannot, "the agent passes nothing on here")
	case r.answered("shell") != "":
		return outcome(capability.NotShown, "%s", r.answered("shell"))
	case !fired:
		return outcome(capability.NotHonoured, "checkrein was not asked, so the model was not sent it")
	}
	return outcome(capability.NotHonoured, "the model was not sent it")
}

// promptBlocked looks at a prompt that a hook blocked.
func (o *observation) promptBlocked() Outcome {
	r := &o.prompt
	_, asked := r.recorded("user_prompt_submit", []string{"deny"}, no("prompt"))
	sent := len(r.res.Record.Turns()) > 0 || r.res.Record.ModelSaw(forbidden)
	switch able := can(o.w.known, capability.PromptBlocked); {
	case sent && !able:
		return outcome(capability.Cannot, "the agent cannot block a prompt")
	case sent && !asked:
		return outcome(capability.NotHonoured, "the model was sent it, and checkrein was not asked")
	case sent:
		return outcome(capability.NotHonoured, "checkrein blocked it, and the model was sent it")
	case !asked:
		return outcome(capability.NotShown, "the agent sent nothing, but checkrein was not asked: it ended with %d and said %q", r.res.Exit, lastLine(r.res.Stderr, r.res.Stdout))
	}
	return outcome(capability.Honoured, "the model was not sent it")
}

// goneOn is how often the model was told to go on, and how often the agent stopped.
func (o *observation) goneOn() (told, stops int) {
	for i := 1; i <= 20; i++ {
		if !o.work.res.Record.ModelSaw(fmt.Sprintf("%s\n(attempt %d of ", goOn, i)) {
			break
		}
		told = i
	}
	for _, rec := range o.work.records {
		if rec.Event == "stop" {
			stops++
		}
	}
	return told, stops
}

// stopBlocked looks at a stop that a hook always blocks.
func (o *observation) stopBlocked() Outcome {
	if why := o.work.made("protect-command"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	told, stops := o.goneOn()
	switch able := can(o.w.known, capability.StopBlocked); {
	case told > 0 && !able:
		return outcome(capability.Differs, "the agent went on, which checkrein did not expect of this agent")
	case told > 0:
		return outcome(capability.Honoured, "the agent went on, and the model was told why")
	case !able:
		return outcome(capability.Cannot, "the agent does not keep going")
	case o.work.res.TimedOut:
		return outcome(capability.NotShown, "%s", o.work.short())
	case stops == 0:
		return outcome(capability.NotHonoured, "the agent stopped, and checkrein was not asked")
	}
	return outcome(capability.NotHonoured, "checkrein told it to go on, and the agent stopped")
}

// endless is more stops than a host has that ends when it may: checkrein lets an agent
// stop after three attempts. A slow machine does not come this far.
const endless = 10

// stopCap looks at the end of that: it must have one.
func (o *observation) stopCap() Outcome {
	told, stops := o.goneOn()
	switch {
	case !can(o.w.known, capability.StopBlocked):
		return outcome(capability.Cannot, "the agent does not keep going")
	case told == 0:
		return outcome(capability.NotShown, "the agent was not kept going")
	case o.work.res.TimedOut && stops > endless:
		return outcome(capability.NotHonoured, "the agent went on at %d stops, until it was ended from outside", stops)
	case o.work.res.TimedOut:
		return outcome(capability.NotShown, "%s", o.work.short())
	}
	return outcome(capability.Honoured, "the agent was told %d times to go on and stopped at the end of %d", told, stops)
}

// fault looks at calls during which something was broken.
func (o *observation) fault(names ...string) Outcome {
	r := &o.faults
	for _, name := range append([]string{"none"}, append(names, "mended")...) {
		if why := r.made(name); why != "" {
			return outcome(capability.NotShown, "%s", why)
		}
	}
	for _, name := range names {
		if o.w.exists(broken(name)) {
			return outcome(capability.NotHonoured, "a tool ran %s", faultWords[name])
		}
	}
	for _, name := range []string{"none", "mended"} {
		if !o.w.exists(broken(name)) {
			return outcome(capability.NotShown, "with nothing broken the tool did not run either: %q", clip(r.told(name).Text))
		}
	}
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = faultWords[name]
		if why := r.answered(name); why != "" {
			return outcome(capability.NotShown, "%s", why)
		}
		// Without checkrein the host has its own words.
		told, ofHook := r.told(name).Text, name != "missing" && name != "slain"
		if ofHook && !strings.Contains(told, "could not answer") {
			return outcome(capability.Differs, "no tool ran %s, but the model was not told why: %q", words[i], clip(told))
		}
	}
	return outcome(capability.Honoured, "no tool ran %s", strings.Join(words, ", nor "))
}

// faultWords say what was broken.
var faultWords = map[string]string{
	"absent": "while the program of a hook was missing", "missing": "while checkrein was missing",
	"crashed": "after a hook was killed", "slain": "after checkrein was killed",
	"hung": "after a hook did not answer in time", "garbage": "after a hook answered with half an object",
}

// protects looks at what an agent tried in order to take checkrein out.
func (o *observation) protects() Outcome {
	r := &o.work
	tries := 0
	for _, s := range []string{"protect-write", "protect-shell", "protect-command"} {
		if r.made(s) == "" {
			tries++
		}
	}
	if len(o.changed) > 0 {
		return outcome(capability.NotHonoured, "the agent changed %s", filepath.Base(o.changed[0]))
	}
	if why := r.answered("protect-command"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	stopped := 0 // what the host refuses by itself, checkrein is not asked about
	for _, rec := range r.records {
		if rec.Event == "pre_tool_use" && (rec.Decision == "deny" || rec.Decision == "ask") && !strings.Contains(rec.Reason, "prove says") {
			stopped++
		}
	}
	if shells := 2; stopped < shells {
		return outcome(capability.NotHonoured, "of %d attempts to take checkrein out, checkrein stopped %d", tries, stopped)
	}
	return outcome(capability.Honoured, "%d attempts to take checkrein out changed nothing", tries)
}

// askedOnce looks at how often checkrein was asked about a call that it denies: whoever asks
// twice makes every hook work twice, and every budget half.
func (o *observation) askedOnce() Outcome {
	most := 0
	for _, kind := range kinds {
		n := 0
		for _, rec := range o.work.records {
			if rec.Event == "pre_tool_use" && strings.Contains(rec.Reason, no(kind)) {
				n++
			}
		}
		most = max(most, n)
	}
	switch most {
	case 0:
		return outcome(capability.NotShown, "%s", cmp.Or(o.work.made("deny-shell"), "checkrein was not asked about a call that it denies"))
	case 1:
		return outcome(capability.Honoured, "checkrein was asked once about each call")
	}
	return outcome(capability.NotHonoured, "checkrein was asked %d times about one call", most)
}

// latency looks at what checkrein costs, and whether the host waits for it.
func (o *observation) latency() Outcome {
	if why := o.faults.made("slow"); why != "" {
		return outcome(capability.NotShown, "%s", why)
	}
	if o.w.exists(broken("slow")) {
		return outcome(capability.NotHonoured, "the agent did not wait for an answer that took 2 s")
	}
	var took []float64
	for _, rec := range o.work.records {
		took = append(took, rec.MS)
	}
	if len(took) == 0 {
		return outcome(capability.NotShown, "checkrein was not asked")
	}
	return outcome(capability.Honoured, "the agent waits; an event costs about %.0f ms to judge and %.0f ms to start the program",
		median(took), float64(median(o.starts))/float64(time.Millisecond))
}

func median[T cmp.Ordered](list []T) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// tellsVersion holds what the build says of itself against what it tells the model's
// endpoint.
func (o *observation) tellsVersion() Outcome {
	said := o.w.Host.Version
	if o.version != said {
		return outcome(capability.NotHonoured, "it said that it is %s, and afterwards %s", said, o.version)
	}
	names := 0
	for _, q := range o.work.res.Record {
		if q.Protocol == "" {
			continue
		}
		told, ok := agentVersion(q.Agent)
		switch {
		case !ok:
		case told != said:
			return outcome(capability.NotHonoured, "it says that it is %s, and tells the model's endpoint that it is %s", said, told)
		default:
			names++
		}
	}
	if names == 0 {
		return outcome(capability.Honoured, "it says that it is %s; its requests name no version", said)
	}
	return outcome(capability.Honoured, "it says that it is %s, and so do its requests", said)
}
