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

// runs is how often the host is started: at work, with a prompt that is blocked, with
// one thing after another broken, and driven as editors do it.
const runs = 4

// A run is what came of one run of the host.
type run struct {
	about   string
	res     hostlab.Result
	play    *player
	records []record.Record
	digests []string
}

// An observation is all that was seen of a host.
type observation struct {
	w                    *world
	began                time.Time
	work, prompt, faults run
	editor               run
	secret               string
	guarded              map[string]string // files that protect themselves, as they were
	changed              []string          // those that the agent changed all the same
	starts               []time.Duration   // of checkrein, doing nothing
	version              string            // as the build tells it in the end
	evidence             []Evidence
}

// The texts by which things are told apart. Nothing else has them.
const (
	goOn      = "prove says go on"
	forbidden = "prove: forbidden words"
	mainMark  = "prove: please go"
	subMark   = "prove: please do the rest"
)

func no(kind string) string      { return "prove says no to " + kind }
func denied(kind string) string  { return "prove-denied-" + kind }
func allowed(kind string) string { return "prove-ran-" + kind }
func broken(what string) string  { return "prove-fault-" + what }

// kinds are the ways to act that are denied, each beside one that is not.
var kinds = []string{"shell", "write", "edit", "mcp", "sub"}

// workConfig has a hook for each thing that a host may honour. The packs are those
// that are on without a word.
func (w *world) workConfig() string {
	var b strings.Builder
	b.WriteString(`version: 1
hooks:
  session_start:
    - {type: rule, name: greet, context: context-of-session}
  user_prompt_submit:
    - {type: rule, name: careful, if: {prompt: {contains: "` + forbidden + `"}}, decision: deny, reason: ` + no("prompt") + `}
    - {type: rule, name: hint, context: context-of-prompt}
  post_tool_use:
    - {type: rule, name: comment, context: context-of-result}
  stop:
    - {type: rule, name: tests, decision: deny, reason: ` + goOn + `}
  pre_tool_use:
    - {type: rule, name: mend, if: {command: {is: ` + w.touch("prove-before") + `}}, patch: {command: ` + w.touch("prove-after") + `}}
    - {type: rule, name: advise, if: {command: {prefix: ` + w.touch(allowed("shell")) + `}}, context: context-of-call}
`)
	for _, k := range kinds {
		fmt.Fprintf(&b, "    - {type: rule, name: no %s, args_match: %s, decision: deny, reason: %s}\n", k, denied(k), no(k))
	}
	return b.String()
}

// faultConfig has hooks that cannot answer, each for the call that names it.
var faultConfig = `version: 1
hooks:
  pre_tool_use:
    - {name: hung, args_match: ` + broken("hung") + `, command: sleep 600, timeout: 0.5}
    - {name: crashed, args_match: ` + broken("crashed") + `, command: kill -9 $$}
    - {name: garbage, args_match: ` + broken("garbage") + `, command: 'echo "{\"decision\": "'}
    - {name: absent, args_match: ` + broken("absent") + `, command: [/nowhere/hook]}
    - {name: slow, args_match: ` + broken("slow") + `, command: 'sleep 2; echo ` + no("slow") + ` >&2; exit 2'}
    - {type: rule, name: ask, args_match: prove-asked, decision: ask, reason: prove asks}
`

// editorConfig is for a person in front of an editor.
var editorConfig = `version: 1
hooks:
  pre_tool_use:
    - {type: rule, name: no editor, args_match: ` + denied("editor") + `, decision: deny, reason: ` + no("editor") + `}
    - {type: rule, name: ask, args_match: prove-asked, decision: ask, reason: prove asks}
`

// observe runs the host and keeps what was seen.
func (w *world) observe(ctx context.Context) (*observation, error) {
	o := &observation{w: w, began: time.Now(), secret: "ghp_" + (rand.Text() + rand.Text())[:36]}
	if err := o.prepare(); err != nil {
		return nil, err
	}
	var err error
	o.work, err = o.run(ctx, 1, "at work", mainMark, o.workSteps(), o.subSteps())
	if err != nil {
		return nil, err
	}
	if o.prompt, err = o.run(ctx, 2, "a prompt that is blocked", forbidden, nil, nil); err != nil {
		return nil, err
	}
	if err := w.configure(faultConfig); err != nil {
		return nil, err
	}
	if o.faults, err = o.run(ctx, 3, "with checkrein broken", mainMark, o.faultSteps(), nil); err != nil {
		return nil, err
	}
	if err := o.driven(ctx); err != nil {
		return nil, err
	}
	for range 5 {
		began := time.Now()
		if _, err := w.checkrein(ctx, "version"); err != nil {
			return nil, err
		}
		o.starts = append(o.starts, time.Since(began))
	}
	o.version, err = w.Host.AskVersion(ctx)
	return o, err
}

// driven runs the host as editors drive it, with a person who allows one thing.
func (o *observation) driven(ctx context.Context) error {
	if !o.w.Host.CanAttend() {
		return nil
	}
	if err := o.w.configure(editorConfig); err != nil {
		return err
	}
	person := func(question []byte) bool { return !bytes.Contains(question, []byte(refused)) }
	var err error
	o.editor, err = o.runHost(ctx, 4, "driven by an editor", hostlab.Run{Prompt: mainMark, Person: person}, o.editorSteps(), nil)
	return err
}

// prepare puts into the space what the model is to find there.
func (o *observation) prepare() error {
	w := o.w
	if err := w.configure(w.workConfig()); err != nil {
		return err
	}
	return w.Write(w.Project, map[string]string{
		"notes.txt": "token " + o.secret + " is here\n",
		"plan.txt":  "first line\nsecond line\n",
	})
}

// run runs the host once, headless.
func (o *observation) run(ctx context.Context, n int, about, prompt string, main, sub []step) (run, error) {
	return o.runHost(ctx, n, about, hostlab.Run{Prompt: prompt}, main, sub)
}

// runHost runs the host once.
func (o *observation) runHost(ctx context.Context, n int, about string, h hostlab.Run, main, sub []step) (run, error) {
	o.w.o.Progress(n, runs, about)
	r := run{about: about}
	r.play = newPlayer(main, sub, subMark, func(step string) { o.w.o.Progress(n, runs, about+": "+step) })
	h.Script = r.play.script()
	if o.w.o.Limit > 0 {
		// What is read in the end takes a moment, too.
		h.Timeout = min(o.w.Host.Timeout(), max(time.Second, time.Until(o.began.Add(o.w.o.Limit-5*time.Second))))
	}
	var err error
	r.res, err = o.w.Run(ctx, h)
	r.play.end()
	if err != nil {
		return r, err
	}
	text, records, err := o.w.ledger(ctx)
	if err != nil {
		return r, err
	}
	r.records = records
	return r, o.keep(&r, text)
}

func shell(name, command string) step { return step{name: name, call: mockmodel.Shell(command)} }

// workSteps are the calls of a host at work. What must not run stands behind what must.
func (o *observation) workSteps() []step {
	in := func(name string) string { return filepath.Join(o.w.Project, name) }
	poke := func(name, text string) step {
		list := o.w.Host.PokeCalls(text)
		return step{name: name, call: list[0], or: list[1:]}
	}
	steps := []step{
		shell("shell", o.w.touch(allowed("shell"))),
		shell("deny-shell", o.w.touch(denied("shell"))),
		shell("rewrite", o.w.touch("prove-before")),
		shell("output", "cat notes.txt"),
		{name: "output of a file", call: mockmodel.Read(in("notes.txt"))},
		{name: "write", call: mockmodel.Write(in(allowed("write")), "mine\n")},
		{name: "deny-write", call: mockmodel.Write(in(denied("write")), "mine\n")},
		{name: "read", call: mockmodel.Read(in("plan.txt"))}, // some change only what they have read
		{name: "edit", call: mockmodel.Edit(in("plan.txt"), "first line", allowed("edit"))},
		{name: "deny-edit", call: mockmodel.Edit(in("plan.txt"), "second line", denied("edit"))},
		poke("mcp", allowed("mcp")),
		poke("deny-mcp", denied("mcp")),
	}
	if call, ok := o.w.Host.DelegateCall(subMark); ok {
		steps = append(steps, step{name: "sub", call: call})
	}
	o.guarded = map[string]string{o.w.configFile(): content(o.w.configFile()), o.extraConfig(): content(o.extraConfig())}
	for _, s := range []step{
		{name: "protect-write", call: mockmodel.Write(o.extraConfig(), "version: 1\n")},
		shell("protect-shell", "printf 'version: 1\\npacks: []\\n' > "+o.w.configFile()),
		shell("protect-command", o.w.Program("checkrein")+" hooks off"),
	} {
		s.before = func() func() { return o.mend }
		steps = append(steps, s)
	}
	return steps
}

// mend puts back what the agent changed of checkrein: else the host would be blamed for
// what checkrein does not do after that.
func (o *observation) mend() {
	for path, was := range o.guarded {
		if content(path) == was {
			continue
		}
		o.changed = append(o.changed, path)
		if was == "" {
			_ = os.Remove(path) // else it is found again, which is true
			continue
		}
		_ = os.WriteFile(path, []byte(was), 0o600)
	}
}

func (o *observation) extraConfig() string {
	return filepath.Join(filepath.Dir(o.w.configFile()), "hooks.d", "prove.yaml")
}

func (o *observation) subSteps() []step {
	return []step{shell("in sub", o.w.touch(allowed("sub"))), shell("deny-sub", o.w.touch(denied("sub")))}
}

// What the person in front of an editor is asked about, and says to.
const (
	refused = "prove-asked-no"
	granted = "prove-asked-yes"
)

func (o *observation) editorSteps() []step {
	return []step{
		shell("in the editor", o.w.touch(allowed("editor"))),
		shell("deny-editor", o.w.touch(denied("editor"))),
		shell("ask, and they say no", o.w.touch(refused)),
		shell("ask, and they say yes", o.w.touch(granted)),
	}
}

// faultSteps are calls during each of which something else is broken.
func (o *observation) faultSteps() []step {
	fault := func(what string, before func() func()) step {
		s := shell(what, o.w.touch(broken(what)))
		s.before = before
		return s
	}
	missing := func() func() {
		mend, _ := o.w.Hide(o.w.Program("checkrein")) // else the rows tell
		return func() { _ = mend() }
	}
	slain := func() func() {
		mend := missing()
		_ = o.w.Write(o.w.Bin, map[string]string{"checkrein": "#!/bin/sh\nkill -9 $$\n"}) // else it is missing
		return mend
	}
	return []step{
		fault("none", nil),
		fault("hung", nil), fault("crashed", nil), fault("garbage", nil), fault("absent", nil),
		fault("missing", missing), fault("slain", slain), fault("slow", nil),
		fault("mended", nil),
		shell("ask", o.w.touch("prove-asked")),
	}
}

// content is what a file has; "" = it is not there.
func content(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(b)
}
