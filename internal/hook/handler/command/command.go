// Package command is the handler that runs a program: the event as JSON on its
// stdin, its decision by stdout or exit code.
package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/reentry"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/process"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Options are what the handler needs of the outside.
type Options struct {
	Environ []string // the environment of hooks
	// Dialect finds the words in which a hook is spoken to.
	Dialect func(name string) (*hookfile.Dialect, bool)
	// Fit maps rewrites to what the host can run; nil = they stay as they are.
	Fit answer.FitFunc
	// Script finds the program of a hook folder, when it is to run.
	Script func(folder string) ([]string, error)
	// Seal marks the hooks' programs, so that their own events are known.
	Seal *reentry.Seal
	// Inside reports whether a hook surely runs checkrein as a hook; nil = nobody
	// looks.
	Inside func(h *checkrein.Hook) bool
	// Deep reports whether we run so deep in hooks that no further may start
	// anything; nil = never.
	Deep func() bool
	// Program is the checkrein program, by which hooks enter their sandboxes;
	// "" = a hook that asks for one faults.
	Program string
	// Runs lists the files that a hook runs in a project, which it may read in
	// its sandbox; nil = none.
	Runs func(root string, h *checkrein.Hook) []string
	// Approved is the digest of the one file that a sealed hook was approved
	// with, in hex; "" = it needs no approval. nil = no hook does.
	Approved func(h *checkrein.Hook) (string, error)
	// Sealable is why a hook runs more than one file, so that it cannot be
	// sealed; nil = nobody looks.
	Sealable func(h *checkrein.Hook) error
}

// Type returns the handler table's row. A hook's settings are
// {"command": "shell text"}, {"argv": ["program", …]} or {"hook_folder": "dir"},
// with "env", "working_dir", "sandbox" and "sealed".
func Type(opts Options) checkrein.HandlerType {
	return checkrein.HandlerType{
		Name:   "command",
		New:    func(h checkrein.Hook) (checkrein.Handler, error) { return build(opts, h) },
		Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{Rewrites: true} },
	}
}

type handler struct {
	hook    checkrein.Hook
	dialect *hookfile.Dialect
	argv    []string
	fixed   int    // so many words at the start are ours, or a shell's to expand
	folder  string // of a hook whose program is looked up at each run
	script  func(folder string) ([]string, error)
	fit     answer.FitFunc
	place   environ.Place
	environ []string
	seal    *reentry.Seal
	deep    func() bool
	box     *box    // nil = it runs like any program
	sealed  *sealed // nil = its file runs
}

func build(opts Options, h checkrein.Hook) (checkrein.Handler, error) {
	d, ok := opts.Dialect(h.Dialect)
	if !ok {
		return nil, fmt.Errorf("unknown dialect %q", h.Dialect)
	}
	if opts.Inside != nil && opts.Inside(&h) {
		return nil, ErrInside
	}
	folder := folderOf(h.With)
	var argv []string
	var err error
	if folder == "" || opts.Script == nil {
		argv, err = argvOf(h.With, d.Bash)
	} else {
		_, err = opts.Script(folder) // it is looked up again at each run
	}
	if err != nil {
		return nil, err
	}
	place, err := environ.Read(h.With)
	if err != nil {
		return nil, err
	}
	b, err := boxOf(opts, &h)
	if err != nil {
		return nil, err
	}
	sealed, err := sealedOf(opts, &h, argv)
	if err != nil {
		return nil, err
	}
	fixed := 0
	if _, shell := rawjson.Get(h.With, "command"); shell {
		fixed = len(argv) // the shell reads the variable itself
	}
	return &handler{hook: h, fixed: fixed, dialect: d, argv: argv, folder: folder, script: opts.Script, fit: opts.Fit, place: place, environ: opts.Environ, seal: opts.Seal, deep: opts.Deep, box: b, sealed: sealed}, nil
}

func folderOf(with []byte) string {
	v, _ := rawjson.Get(with, "hook_folder")
	s, _ := rawjson.Text(v)
	return s
}

// argvOf reads what to run.
func argvOf(with []byte, bash bool) ([]string, error) {
	if v, ok := rawjson.Get(with, "command"); ok {
		if s, ok := rawjson.Text(v); ok && strings.TrimSpace(s) != "" {
			if bash {
				return process.Bash(s), nil
			}
			return process.Shell(s), nil
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

// Handle runs the program on the event.
func (h *handler) Handle(ctx context.Context, ev checkrein.Event) (checkrein.Answer, error) {
	if h.deep != nil && h.deep() {
		return checkrein.Answer{}, ErrInside
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
	dir, env, warning := h.place.Resolve(base(&ev), h.environ)
	env, mark := h.marked(env, &ev)
	if name := h.dialect.RootVar; name != "" {
		root := base(&ev)
		env = environ.Overlay(env, []environ.Var{{Name: name, Value: root}})
		argv = slices.Clone(argv)
		for i := range argv[min(h.fixed, len(argv)):] {
			argv[h.fixed+i] = strings.ReplaceAll(argv[h.fixed+i], "${"+name+"}", root)
		}
	}
	spec := process.Spec{Argv: argv, Dir: dir, Env: env, Stdin: payload}
	if h.sealed != nil {
		if spec.Image, err = h.sealed.image(dir, argv[0]); err != nil {
			return checkrein.Answer{}, err
		}
	}
	var res process.Result
	if h.box == nil {
		res, err = process.Run(ctx, spec)
	} else {
		res, err = h.box.run(ctx, spec, base(&ev))
	}
	if mark != "" && h.seal.Told(mark) {
		return checkrein.Answer{Raw: res.Stdout, Log: string(res.Stderr)}, ErrInside
	}
	if err != nil {
		return checkrein.Answer{Raw: res.Stdout, Log: string(res.Stderr)}, err
	}
	if res.Signal != "" {
		return checkrein.Answer{Raw: res.Stdout, Log: string(res.Stderr)}, &answer.ExitError{Signal: res.Signal}
	}
	ans, err := answer.Read(&h.hook, &h.dialect.Form, answer.Output{Stdout: res.Stdout, Stderr: res.Stderr, Exit: res.Exit})
	if warning != "" {
		ans.Log = strings.TrimSpace(warning + "\n" + ans.Log)
	}
	if err == nil {
		err = answer.FitToEvent(h.dialect, &ev, &ans, h.fit)
	}
	return ans, err
}

func base(ev *checkrein.Event) string {
	if ev.Session.Root != "" {
		return ev.Session.Root
	}
	return ev.Session.Dir
}

// ErrInside is the fault of a hook that runs checkrein as a hook, or is run so.
var ErrInside = errors.New("checkrein runs inside checkrein: remove `checkrein hook` from the hook's command, because the agent calls checkrein by itself")

// marked adds the mark by which we know our own children, and returns it. Without
// one they would be served like anyone else.
func (h *handler) marked(env []string, ev *checkrein.Event) ([]string, string) {
	if h.seal == nil {
		return env, ""
	}
	outer, _ := environ.Lookup(env, reentry.Variable)
	mark, err := h.seal.Mark(outer, &h.hook, ev)
	if err != nil {
		return env, ""
	}
	return environ.Overlay(env, []environ.Var{{Name: reentry.Variable, Value: mark}}), mark
}
