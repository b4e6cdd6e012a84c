// Package command implements the handler that runs a program. The program gets the event as JSON on
// stdin and decides by its output or its exit code.
package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/walls"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/reentry"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Options configure the handler.
type Options struct {
	Environ []string // the environment of hooks
	// Dialect returns the dialect of a hook's payload and answer.
	Dialect func(name string) (*hookfile.Dialect, bool)
	// Fit converts rewrites to ones that the host can run. If it is nil, rewrites are not converted.
	Fit answer.FitFunc
	// Script returns the command for the hook in folder. It is called at each run.
	Script func(folder string) ([]string, error)
	// Seal marks the environment of hooks' programs, so that events from inside them are recognised.
	Seal *reentry.Seal
	// CallsCheckrein reports whether the command of h certainly runs `checkrein hook`. If it is nil,
	// this is not checked.
	CallsCheckrein func(h *checkrein.Hook) bool
	// TooDeep reports whether this process is nested so deeply in hooks that no further hook may
	// start; nil means never.
	TooDeep func() bool
	// Program is the path of the checkrein program, which sets up the sandboxes of hooks. If it is
	// "", a hook with a sandbox faults.
	Program string
	// Runs returns the files that h runs in the project root, which it may read in its sandbox; nil
	// means none.
	Runs func(root string, h *checkrein.Hook) []string
	// Walls returns where programs behind walls run, for hooks with that profile. If it is nil, only the
	// account's home directory is known.
	Walls func() walls.Place
	// Approved returns the digest, in hex, of the only file for which a sealed hook is approved, or
	// "" if it needs no approval. If Approved is nil, no hook needs approval.
	Approved func(h *checkrein.Hook) (string, error)
	// CheckSealable returns an error if h runs more than one file and so cannot be sealed. If
	// CheckSealable is nil, this is not checked.
	CheckSealable func(h *checkrein.Hook) error
}

// Type returns the handler type. A hook's settings are {"command": "shell command"}, {"argv":
// ["program", …]} or {"hook_folder": "dir"}, each optionally with "env", "working_dir", "sandbox" and
// "sealed".
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name:   "command",
		New:    func(h checkrein.Hook) (checkrein.Handler, error) { return newHandler(opts, h) },
		Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} },
	}
}

type handler struct {
	hook    checkrein.Hook
	dialect *hookfile.Dialect
	argv    []string
	fixed   int    // number of leading words in which variables are not replaced
	folder  string // the hook folder whose program is looked up at each run
	script  func(folder string) ([]string, error)
	fit     answer.FitFunc
	place   environ.Place
	environ []string
	seal    *reentry.Seal
	tooDeep func() bool
	box     *box           // nil if the hook has no sandbox
	sealed  *sealedProgram // nil if the hook is not sealed
}

// newHandler returns the handler for h, or an error if its settings are invalid.
func newHandler(opts Options, h checkrein.Hook) (checkrein.Handler, error) {
	d, ok := opts.Dialect(h.Dialect)
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q", h.Dialect)
	}
	if opts.CallsCheckrein != nil && opts.CallsCheckrein(&h) {
		return nil, ErrReentry
	}
	folder := hookFolder(h.With)
	var argv []string
	var err error
	if folder == "" || opts.Script == nil {
		argv, err = readArgv(h.With, d.Bash)
	} else {
		_, err = opts.Script(folder) // only a check, since Handle calls Script again
	}
	if err != nil {
		return nil, err
	}
	place, err := environ.ReadPlace(h.With)
	if err != nil {
		return nil, err
	}
	b, err := newBox(opts, &h)
	if err != nil {
		return nil, err
	}
	sealed, err := newSealed(opts, &h, argv)
	if err != nil {
		return nil, err
	}
	fixed := 0
	if _, shell := rawjson.Get(h.With, "command"); shell {
		fixed = len(argv) // the shell replaces variables itself
	}
	return &handler{hook: h, fixed: fixed, dialect: d, argv: argv, folder: folder, script: opts.Script, fit: opts.Fit, place: place, environ: opts.Environ, seal: opts.Seal, tooDeep: opts.TooDeep, box: b, sealed: sealed}, nil
}

func hookFolder(with []byte) string {
	v, _ := rawjson.Get(with, "hook_folder")
	s, _ := rawjson.Text(v)
	return s
}

// readArgv returns the command in a hook's settings as a program with its arguments. A shell command
// runs with bash if bash is set.
func readArgv(with []byte, bash bool) ([]string, error) {
	if v, ok := rawjson.Get(with, "command"); ok {
		if s, ok := rawjson.Text(v); ok && strings.TrimSpace(s) != "" {
			if bash {
				return process.BashArgv(s), nil
			}
			return process.ShellArgv(s), nil
		}
	}
	var argv []string
	if v, ok := rawjson.Get(with, "argv"); ok {
		texts := true
		rawjson.Elements(v, func(_ int, e []byte) bool {
			var s string
			s, texts = rawjson.Text(e)
			argv = append(argv, s)
			return texts
		})
		if !texts {
			return nil, errors.New("the hook's command is a list, but one of its elements is not a string")
		}
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("the hook has no command")
	}
	return argv, nil
}

// Handle runs the program with the event as its input and returns its answer.
func (h *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	if h.tooDeep != nil && h.tooDeep() {
		return checkrein.Answer{}, ErrReentry
	}
	payload, err := h.dialect.Encode(ev)
	if err != nil {
		return checkrein.Answer{}, fmt.Errorf("writing the payload: %w", err)
	}
	argv := h.argv
	if argv == nil {
		if argv, err = h.script(h.folder); err != nil {
			return checkrein.Answer{}, err
		}
	}
	dir, env, warning := h.place.Resolve(sessionRoot(&ev), h.environ)
	env, mark := h.addMark(env, &ev)
	if name := h.dialect.RootVar; name != "" {
		root := sessionRoot(&ev)
		env = environ.Overlay(env, []environ.Var{{Name: name, Value: root}})
		argv = slices.Clone(argv)
		for i := range argv[min(h.fixed, len(argv)):] {
			argv[h.fixed+i] = strings.ReplaceAll(argv[h.fixed+i], "${"+name+"}", root)
		}
	}
	spec := process.Spec{Argv: argv, Dir: dir, Env: env, Stdin: payload}
	if h.sealed != nil {
		if spec.Image, err = h.sealed.readImage(dir, argv[0]); err != nil {
			return checkrein.Answer{}, err
		}
	}
	var res process.Result
	if h.box == nil {
		res, err = process.Run(ctx, spec)
	} else {
		res, err = h.box.runProgram(ctx, spec, sessionRoot(&ev))
	}
	if mark != "" && h.seal.TakeReport(mark) {
		return checkrein.Answer{Raw: res.Stdout, Log: string(res.Stderr)}, ErrReentry
	}
	if err != nil {
		return checkrein.Answer{Raw: res.Stdout, Log: string(res.Stderr)}, err
	}
	if res.Signal != "" {
		return checkrein.Answer{Raw: res.Stdout, Log: string(res.Stderr)}, &answer.ExitError{Signal: res.Signal}
	}
	ans, err := answer.ReadOutput(&h.hook, &h.dialect.Form, answer.Output{Stdout: res.Stdout, Stderr: res.Stderr, Exit: res.Exit})
	if warning != "" {
		ans.Log = strings.TrimSpace(warning + "\n" + ans.Log)
	}
	if err == nil {
		err = answer.FitToEvent(h.dialect, &ev, &ans, h.fit)
	}
	return ans, err
}

func sessionRoot(ev *checkrein.Event) string {
	if ev.Session.Root != "" {
		return ev.Session.Root
	}
	return ev.Session.Dir
}

// ErrReentry is the fault of a hook that runs `checkrein hook`, and of hooks nested too deeply inside
// other hooks.
var ErrReentry = errors.New("checkrein runs inside checkrein: remove `checkrein hook` from the hook's command, because the agent calls checkrein by itself")

// addMark returns env with the mark by which checkrein recognises processes inside this hook, and the
// mark itself. If no mark can be created, it returns env and "", and those processes are treated like
// any others.
func (h *handler) addMark(env []string, ev *checkrein.Event) ([]string, string) {
	if h.seal == nil {
		return env, ""
	}
	outer, _ := environ.Lookup(env, reentry.Variable)
	mark, err := h.seal.AddMark(outer, &h.hook, ev)
	if err != nil {
		return env, ""
	}
	return environ.Overlay(env, []environ.Var{{Name: reentry.Variable, Value: mark}}), mark
}
