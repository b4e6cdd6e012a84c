package canary

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A place is the scratch home of one hook, and the decoy project in it.
type place struct{ home, project string }

// transcript is the transcript of the session in a scratch home.
const transcript = "transcript.jsonl"

// decoy lists the files of a scratch home.
var decoy = []struct{ name, text string }{
	{"project/README.md", "# decoy\n\nA project of checkrein canary.\n"},
	{"project/src/main.js", "console.log('decoy')\n"},
	{"project/.env", "DECOY_TOKEN=not-a-secret\n"},
	{".ssh/id_rsa", "decoy\n"},
	{".bashrc", "# decoy\n"},
	{transcript, ""},
	{"tmp/keep", ""},
}

// makePlace creates a scratch home.
func makePlace(home string) (place, error) {
	p := place{home, filepath.Join(home, "project")}
	for _, f := range decoy {
		path := filepath.Join(home, filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(f.text), 0o600)); err != nil {
			return p, err
		}
	}
	return p, nil
}

// A runner runs hooks.
type runner struct {
	program string // the checkrein program, which sets up the walls
	jail    sandbox.Jail
	environ []string
	budget  time.Duration // after which a hook gets no more calls
	scratch string
}

// newRunner returns a runner whose walls hide what those of contained commands hide, and let nothing be
// written but devices and the scratch home.
func newRunner(program, scratch string, homes, own, env []string) (*runner, error) {
	at := walls.Place{Homes: homes, Own: own}
	jail, err := at.Jail()
	if err != nil {
		return nil, err
	}
	jail.Write = slices.DeleteFunc(jail.Write, func(path string) bool {
		return !strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/dev/shm")
	})
	jail.NoNetwork = true
	return &runner{program: program, jail: jail, environ: walls.CleanEnviron(env), budget: 30 * time.Second, scratch: scratch}, nil
}

// An outcome is what a hook made of one call.
type outcome struct {
	call   *call
	kind   string // empty, pass, ask, deny, garbage, crash or timeout
	exit   int
	detail string
	took   time.Duration
}

// runAll sends the calls to t, until the runner's budget is used up or ctx ends. The error is not nil if
// the walls could not be built, so that nothing ran.
func (r *runner) runAll(ctx context.Context, t *target, calls []call) ([]outcome, error) {
	home, err := os.MkdirTemp(r.scratch, "home-")
	if err != nil {
		return nil, err
	}
	p, err := makePlace(home)
	if err != nil {
		return nil, err
	}
	var out []outcome
	began := time.Now()
	for i := range calls {
		ev, ok := t.event(&calls[i], p)
		if !ok || !t.matches(ev.Tool) {
			continue
		}
		if ctx.Err() != nil || time.Since(began) > r.budget {
			break
		}
		one, err := r.runOne(ctx, t, &ev, p)
		if err != nil {
			return out, err
		}
		one.call = &calls[i]
		out = append(out, one)
	}
	return out, nil
}

// runOne sends ev to t.
func (r *runner) runOne(ctx context.Context, t *target, ev *checkrein.Event, p place) (outcome, error) {
	body, err := t.encode(ev)
	if err != nil {
		return outcome{}, err
	}
	jail := r.jail
	jail.Write = append(slices.Clone(jail.Write), p.home)
	vars := []environ.Var{{Name: "HOME", Value: p.home}, {Name: "TMPDIR", Value: filepath.Join(p.home, "tmp")}}
	for _, name := range hosts.ProjectVars {
		vars = append(vars, environ.Var{Name: name, Value: p.project})
	}
	env := environ.Overlay(r.environ, append(vars, t.env...))
	dir := cmp.Or(t.dir, p.project)
	path, err := process.FindProgram(t.argv[0], dir, env)
	if err != nil {
		return outcome{kind: "crash", exit: -1, detail: "it cannot be started: " + err.Error()}, nil
	}
	argv, err := sandbox.TrampolineArgv(r.program, jail, append([]string{path}, t.argv[1:]...))
	if err != nil {
		return outcome{}, err
	}
	limited, cancel := context.WithTimeout(ctx, t.timeout)
	defer cancel()
	spec := process.Spec{Argv: argv, Dir: dir, Env: env, Stdin: body, Ticket: true, Offline: true, NewSession: true}
	began := time.Now()
	res, err := process.Run(limited, spec)
	if start := (*process.StartError)(nil); errors.As(err, &start) { // some systems permit no network namespace
		spec.Offline = false
		began = time.Now()
		res, err = process.Run(limited, spec)
	}
	took := time.Since(began)
	if refused := sandbox.ParseRefusal(res.Exit, res.Stderr); err == nil && refused != nil {
		return outcome{}, refused
	}
	out := readOutcome(t, &res, err, limited.Err() != nil && ctx.Err() == nil)
	out.took = took
	return out, nil
}

// readOutcome returns what the output of t means. late means that its time was over.
func readOutcome(t *target, res *process.Result, err error, late bool) outcome {
	out := outcome{exit: res.Exit}
	text := bytes.TrimSpace(res.Stdout)
	said, faulty := answer.ReadOutput(&t.hook, t.form, answer.Output{Stdout: res.Stdout, Stderr: res.Stderr, Exit: res.Exit})
	switch {
	case late:
		out.kind = "timeout"
	case err != nil || res.Signal != "" || res.Exit != 0 && res.Exit != 2 && !(t.form.AnyExit && faulty == nil):
		out.kind = "crash"
		text := strings.TrimSpace(string(res.Stderr)) // of a traceback, the last line has the error
		line := text[strings.LastIndexByte(text, '\n')+1:]
		if out.detail = line; res.Signal != "" {
			out.detail = strings.TrimSpace(res.Signal + " " + line)
		}
	case said.Decision == checkrein.Deny:
		out.kind = "deny"
	case said.Decision == checkrein.Ask:
		out.kind = "ask"
	case faulty != nil, len(text) > 0 && rawjson.CheckObject(text) != nil:
		out.kind, out.detail = "garbage", string(text[:min(len(text), 80)])
	case len(text) == 0 || string(text) == "{}":
		out.kind = "empty"
	default:
		out.kind = "pass"
	}
	return out
}
