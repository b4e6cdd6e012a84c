package prove

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/mockmodel"
)

// runs is how many times the host is started: for regular work, with a prompt that is blocked, with one
// fault after another, and the way editors drive it.
const runs = 4

// A hostRun is the result of one run of the host.
type hostRun struct {
	about   string
	res     hostlab.Result
	play    *player
	records []record.Record
	digests []string
}

// An observation is everything that was observed of a host.
type observation struct {
	w                    *testSpace
	began                time.Time
	work, prompt, faults hostRun
	editor               hostRun
	secret               string
	protected            map[string]string // protected files with their original contents
	changed              []string          // protected files that the agent changed
	starts               []time.Duration   // durations of starting checkrein without work
	version              string            // as the build reports it at the end
	evidence             []Evidence
}

// Texts that identify prompts and reasons, because they occur nowhere else.
const (
	goOn      = "prove says go on"
	forbidden = "prove: forbidden words"
	mainMark  = "prove: please go"
	subMark   = "prove: please do the rest"
)

// denialReason returns the reason with which a call of this kind is denied.
func denialReason(kind string) string { return "prove says no to " + kind }
func deniedName(kind string) string   { return "prove-denied-" + kind }
func allowedName(kind string) string  { return "prove-ran-" + kind }
func faultName(what string) string    { return "prove-fault-" + what }

// actionKinds lists the kinds of calls of which one is denied and one is not.
var actionKinds = []string{"shell", "write", "edit", "mcp", "sub"}

// workConfig returns a configuration with a hook for each effect that a host may honour. It has the
// default packs.
func (w *testSpace) workConfig() string {
	var b strings.Builder
	b.WriteString(`version: 1
hooks:
  session_start:
    - {type: rule, name: greet, context: context-of-session}
  user_prompt_submit:
    - {type: rule, name: careful, if: {prompt: {contains: "` + forbidden + `"}}, decision: deny, reason: ` + denialReason("prompt") + `}
    - {type: rule, name: hint, context: context-of-prompt}
  post_tool_use:
    - {type: rule, name: comment, context: context-of-result}
  stop:
    - {type: rule, name: tests, decision: deny, reason: ` + goOn + `}
  pre_tool_use:
    - {type: rule, name: mend, if: {command: {is: ` + w.touchCommand("prove-before") + `}}, patch: {command: ` + w.touchCommand("prove-after") + `}}
    - {type: rule, name: advise, if: {command: {prefix: ` + w.touchCommand(allowedName("shell")) + `}}, context: context-of-call}
`)
	for _, k := range actionKinds {
		fmt.Fprintf(&b, "    - {type: rule, name: no %s, args_match: %s, decision: deny, reason: %s}\n", k, deniedName(k), denialReason(k))
	}
	return b.String()
}

// faultConfig is a configuration with hooks that fail to answer, each for the call that contains its
// name.
var faultConfig = `version: 1
hooks:
  pre_tool_use:
    - {name: hung, args_match: ` + faultName("hung") + `, command: sleep 600, timeout: 0.5}
    - {name: crashed, args_match: ` + faultName("crashed") + `, command: kill -9 $$}
    - {name: garbage, args_match: ` + faultName("garbage") + `, command: 'echo "{\"decision\": "'}
    - {name: absent, args_match: ` + faultName("absent") + `, command: [/nowhere/hook]}
    - {name: slow, args_match: ` + faultName("slow") + `, command: 'sleep 2; echo ` + denialReason("slow") + ` >&2; exit 2'}
    - {type: rule, name: ask, args_match: prove-asked, decision: ask, reason: prove asks}
`

// editorConfig is the configuration for the run in an editor, in which a user is asked.
var editorConfig = `version: 1
hooks:
  pre_tool_use:
    - {type: rule, name: no editor, args_match: ` + deniedName("editor") + `, decision: deny, reason: ` + denialReason("editor") + `}
    - {type: rule, name: ask, args_match: prove-asked, decision: ask, reason: prove asks}
`

// observe runs the host several times and returns what was observed.
func (w *testSpace) observe(ctx context.Context) (*observation, error) {
	o := &observation{w: w, began: time.Now(), secret: "ghp_" + (rand.Text() + rand.Text())[:36]}
	if err := o.writeFiles(); err != nil {
		return nil, err
	}
	var err error
	o.work, err = o.runHeadless(ctx, 1, "regular work", mainMark, o.workSteps(), o.subSteps())
	if err != nil {
		return nil, err
	}
	if o.prompt, err = o.runHeadless(ctx, 2, "a prompt that is blocked", forbidden, nil, nil); err != nil {
		return nil, err
	}
	if err := w.writeConfig(faultConfig); err != nil {
		return nil, err
	}
	if o.faults, err = o.runHeadless(ctx, 3, "with checkrein broken", mainMark, o.faultSteps(), nil); err != nil {
		return nil, err
	}
	if err := o.runInEditor(ctx); err != nil {
		return nil, err
	}
	for range 5 {
		began := time.Now()
		if _, err := w.runCheckrein(ctx, "version"); err != nil {
			return nil, err
		}
		o.starts = append(o.starts, time.Since(began))
	}
	o.version, err = w.Host.AskVersion(ctx)
	return o, err
}

// runInEditor runs the host the way editors drive it, with a simulated user who refuses one call and
// allows the others. It does nothing if the host cannot be driven like this.
func (o *observation) runInEditor(ctx context.Context) error {
	if !o.w.Host.CanAttend() {
		return nil
	}
	if err := o.w.writeConfig(editorConfig); err != nil {
		return err
	}
	person := func(question []byte) bool { return !bytes.Contains(question, []byte(refused)) }
	var err error
	o.editor, err = o.runHost(ctx, 4, "driven by an editor", hostlab.Run{Prompt: mainMark, Person: person}, o.editorSteps(), nil)
	return err
}

// writeFiles writes the configuration and the files that the model uses.
func (o *observation) writeFiles() error {
	w := o.w
	if err := w.writeConfig(w.workConfig()); err != nil {
		return err
	}
	return w.Write(w.Project, map[string]string{
		"notes.txt": "token " + o.secret + " is here\n",
		"plan.txt":  "first line\nsecond line\n",
	})
}

// runHeadless runs the host once, without a user to ask. n is the number of the run; see runHost.
func (o *observation) runHeadless(ctx context.Context, n int, about, prompt string, main, sub []step) (hostRun, error) {
	return o.runHost(ctx, n, about, hostlab.Run{Prompt: prompt}, main, sub)
}

// runHost runs the host once as h describes, with the scripted calls main of the agent and sub of a
// sub-agent. It adds the evidence of the run.
func (o *observation) runHost(ctx context.Context, n int, about string, h hostlab.Run, main, sub []step) (hostRun, error) {
	o.w.o.Progress(n, runs, about)
	r := hostRun{about: about}
	r.play = newPlayer(main, sub, subMark, func(step string) { o.w.o.Progress(n, runs, about+": "+step) })
	h.Script = r.play.script()
	if o.w.o.Limit > 0 {
		// Reading the results at the end takes time too.
		h.Timeout = min(o.w.Host.Timeout(), max(time.Second, time.Until(o.began.Add(o.w.o.Limit-5*time.Second))))
	}
	var err error
	r.res, err = o.w.Run(ctx, h)
	r.play.finish()
	if err != nil {
		return r, err
	}
	text, records, err := o.w.readNewRecords(ctx)
	if err != nil {
		return r, err
	}
	r.records = records
	return r, o.addRunEvidence(&r, text)
}

// shellStep returns a step that runs command in a shell.
func shellStep(name, command string) step { return step{name: name, call: mockmodel.Shell(command)} }

// workSteps returns the calls for regular work. Each call that must not run follows one of its kind
// that must.
func (o *observation) workSteps() []step {
	in := func(name string) string { return filepath.Join(o.w.Project, name) }
	poke := func(name, text string) step {
		list := o.w.Host.PokeCalls(text)
		return step{name: name, call: list[0], alternatives: list[1:]}
	}
	steps := []step{
		shellStep("shell", o.w.touchCommand(allowedName("shell"))),
		shellStep("deny-shell", o.w.touchCommand(deniedName("shell"))),
		shellStep("rewrite", o.w.touchCommand("prove-before")),
		shellStep("output", "cat notes.txt"),
		{name: "output of a file", call: mockmodel.Read(in("notes.txt"))},
		{name: "write", call: mockmodel.Write(in(allowedName("write")), "mine\n")},
		{name: "deny-write", call: mockmodel.Write(in(deniedName("write")), "mine\n")},
		{name: "read", call: mockmodel.Read(in("plan.txt"))}, // some hosts edit only files that they have read
		{name: "edit", call: mockmodel.Edit(in("plan.txt"), "first line", allowedName("edit"))},
		{name: "deny-edit", call: mockmodel.Edit(in("plan.txt"), "second line", deniedName("edit"))},
		poke("mcp", allowedName("mcp")),
		poke("deny-mcp", deniedName("mcp")),
	}
	if call, ok := o.w.Host.DelegateCall(subMark); ok {
		steps = append(steps, step{name: "sub", call: call})
	}
	o.protected = map[string]string{o.w.configFile(): readText(o.w.configFile()), o.extraConfigFile(): readText(o.extraConfigFile())}
	for _, s := range []step{
		{name: "protect-write", call: mockmodel.Write(o.extraConfigFile(), "version: 1\n")},
		shellStep("protect-shell", "printf 'version: 1\\npacks: []\\n' > "+o.w.configFile()),
		shellStep("protect-command", o.w.ProgramPath("checkrein")+" hooks off"),
	} {
		s.before = func() func() { return o.restoreProtected }
		steps = append(steps, s)
	}
	return steps
}

// restoreProtected restores the files of checkrein that the agent changed, and records which.
// Otherwise the host would be blamed for what checkrein fails to do after that.
func (o *observation) restoreProtected() {
	for path, was := range o.protected {
		if readText(path) == was {
			continue
		}
		o.changed = append(o.changed, path)
		if was == "" {
			_ = os.Remove(path) // on error, it is reported again
			continue
		}
		_ = os.WriteFile(path, []byte(was), 0o600)
	}
}

func (o *observation) extraConfigFile() string {
	return filepath.Join(filepath.Dir(o.w.configFile()), "hooks.d", "prove.yaml")
}

func (o *observation) subSteps() []step {
	return []step{shellStep("in sub", o.w.touchCommand(allowedName("sub"))), shellStep("deny-sub", o.w.touchCommand(deniedName("sub")))}
}

// Files that the questions to the user in the editor name, who refuses one and allows one.
const (
	refused = "prove-asked-no"
	granted = "prove-asked-yes"
)

func (o *observation) editorSteps() []step {
	return []step{
		shellStep("in the editor", o.w.touchCommand(allowedName("editor"))),
		shellStep("deny-editor", o.w.touchCommand(deniedName("editor"))),
		shellStep("ask, and they say no", o.w.touchCommand(refused)),
		shellStep("ask, and they say yes", o.w.touchCommand(granted)),
	}
}

// faultSteps returns calls, each of which is made while something else is broken.
func (o *observation) faultSteps() []step {
	fault := func(what string, before func() func()) step {
		s := shellStep(what, o.w.touchCommand(faultName(what)))
		s.before = before
		return s
	}
	missing := func() func() {
		mend, _ := o.w.Hide(o.w.ProgramPath("checkrein")) // on error, the rows show it
		return func() { _ = mend() }
	}
	slain := func() func() {
		mend := missing()
		_ = o.w.Write(o.w.Bin, map[string]string{"checkrein": "#!/bin/sh\nkill -9 $$\n"}) // on error, the program is missing
		return mend
	}
	return []step{
		fault("none", nil),
		fault("hung", nil), fault("crashed", nil), fault("garbage", nil), fault("absent", nil),
		fault("missing", missing), fault("slain", slain), fault("slow", nil),
		fault("mended", nil),
		shellStep("ask", o.w.touchCommand("prove-asked")),
	}
}

// readText returns the contents of a file, or "" if it cannot be read.
func readText(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}
