package hookmd

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// The format's limits and defaults.
const (
	maxName        = 64
	maxDescription = 1024
	minTimeout     = 100 // milliseconds, as the others
	maxTimeout     = 600_000
	defaultTimeout = 30_000
)

// A reader reads one file.
type reader struct {
	block  grammar.Block // collects what is wrong
	folder string        // where the file lies, absolute
	root   *yamldoc.Node
	row    *checkrein.Contract
	hook   checkrein.Hook
}

// parse reads the hook of a folder. One whose event is known is returned, if
// need be broken; otherwise it is lost, and what stands for it is what can be
// told of it.
func parse(src hookfile.Source) (hookfile.File, error) {
	folder := filepath.Dir(src.File)
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	r := newReader(src.File, folder)
	front, _, bad := frontMatter(src.Data)
	if bad != nil {
		r.lose(bad.line, bad.remedy, "%s", bad.what)
	} else if root, ok := r.block.ParseYAML(front); ok {
		r.root = root
		r.read()
	} else {
		r.salvage(front)
	}
	if r.hook.Broken != "" || r.block.HasLost() {
		r.guess(src.Data)
	}
	r.settle()
	if !r.block.HasLost() {
		r.block.Hooks = append(r.block.Hooks, r.hook)
	}
	file, err := r.block.Result()
	if file.Lost != nil {
		file.Instead = []checkrein.Hook{r.hook}
		if r.hook.Broken == "" {
			file.Instead[0].Broken = firstLine(err)
		}
	}
	return file, err
}

func newReader(file, folder string) *reader {
	return &reader{block: grammar.Block{File: file}, folder: folder, hook: checkrein.Hook{
		Name: filepath.Base(folder), On: checkrein.PreToolUse, Timeout: defaultTimeout * time.Millisecond,
		Priority: hookfile.DefaultPriority, Rewrites: true, OnFault: checkrein.FaultWarn,
		Run: "command", With: append(append([]byte(`{"hook_folder":`), rawjson.Quote(folder)...), '}'),
		Dialect: dialect, From: checkrein.Origin{File: file, Line: 1},
	}}
}

func (r *reader) read() {
	r.hook.From.Line = r.root.Line
	r.name()
	r.keys(r.root, "the front matter", "name", "description", "trigger", "matcher", "timeout", "async", "priority", "metadata", "on_error")
	r.description()
	r.trigger()
	r.matcher()
	r.hook.Timeout = time.Duration(r.number("timeout", defaultTimeout, minTimeout, maxTimeout)) * time.Millisecond
	r.hook.Priority = r.number("priority", hookfile.DefaultPriority, 0, hookfile.MaxPriority)
	r.async()
	r.onError()
	r.member(r.root, "metadata", yamldoc.Map, "write a mapping")
}

// salvage reads what decides what a hook covers from front matter that is not
// YAML as a whole: a colon in a description must not hide what the guard is for.
// What is wrong is told already.
func (r *reader) salvage(front []byte) {
	root, _, err := yamldoc.Parse(kept(front, "name:", "trigger:", "matcher:", "async:", "on_error:"))
	if err != nil || root == nil || root.Kind != yamldoc.Map {
		return
	}
	whole := newReader(r.block.File, r.folder)
	whole.root = root
	whole.read()
	whole.hook.Broken = ""
	r.root, r.row, r.hook = whole.root, whole.row, whole.hook
}

// kept is front matter without the members, and what is indented below them, that
// begin otherwise.
func kept(front []byte, begin ...string) []byte {
	var out []byte
	keep := false
	for line := range bytes.Lines(front) {
		if c := line[0]; c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '#' {
			keep = slices.ContainsFunc(begin, func(s string) bool { return bytes.HasPrefix(line, []byte(s)) })
		}
		if keep {
			out = append(out, line...)
		} else {
			out = append(out, '\n')
		}
	}
	return out
}

// firstLine is the first of joined errors, without its place.
func firstLine(err error) string {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return err.Error()
	}
	if at.Remedy == "" {
		return at.Err.Error()
	}
	return at.Err.Error() + " (" + at.Remedy + ")"
}

// settle makes what depends on the whole. A declaration that is wrong faults as
// its event's row says: a guard with a typo must not be an open gate. One that
// says that it runs beside could not have been a gate.
func (r *reader) settle() {
	h := &r.hook
	h.ID = h.Name
	if h.Broken != "" || r.block.HasLost() {
		switch {
		case h.OnFault == checkrein.FaultBlock:
		case h.Async:
			h.OnFault = checkrein.FaultWarn
		default:
			h.OnFault = checkrein.FaultByRow
		}
		h.Async = false
	}
	if !h.Async {
		h.Chain = dialect
	}
}

// lose notes a mistake because of which nobody can tell when the hook runs.
func (r *reader) lose(line int, remedy, format string, args ...any) {
	r.block.AddLost(line, remedy, format, args...)
	r.broken(fmt.Errorf(format, args...), remedy)
}

// problem notes a mistake. The first one is why the hook is broken.
func (r *reader) problem(line int, remedy, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	r.block.AddError(line, r.hook.Label(), remedy, "%w", err)
	r.broken(err, remedy)
}

func (r *reader) broken(err error, remedy string) {
	if r.hook.Broken != "" {
		return
	}
	r.hook.Broken = err.Error()
	if remedy != "" {
		r.hook.Broken += " (" + remedy + ")"
	}
}

// keys looks at members that are not known. One that is near a known one is a
// mistake; others are for other programs.
func (r *reader) keys(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if slices.Contains(known, p.Key) {
			continue
		}
		if hint := suggest.Hint(p.Key, known); hint != "" {
			r.problem(p.Line, "", "unknown key %q in %s%s", p.Key, where, hint)
			continue
		}
		r.block.Warn(p.Line, r.hook.Label(), "own settings belong below metadata", "unknown key %q in %s is ignored: the known keys are %s", p.Key, where, strings.Join(known, ", "))
	}
}

// member returns a member of n, nil when it is absent, or when it is of another
// kind, which is noted.
func (r *reader) member(n *yamldoc.Node, key string, kind yamldoc.Kind, remedy string) *yamldoc.Node {
	v := n.Get(key)
	if v == nil || v.IsNull() && kind != yamldoc.Bool {
		return nil
	}
	if kind == yamldoc.Bool {
		v = v.Boolean()
	}
	if v.Kind != kind {
		r.problem(v.Line, remedy, "%s is %s, not %s", key, v.Kind, kind)
		return nil
	}
	return v
}

// required is member for a text that must be there.
func (r *reader) required(key, remedy string) *yamldoc.Node {
	v := r.member(r.root, key, yamldoc.Text, "quote it")
	if v == nil && r.root.Get(key).IsNull() {
		r.problem(r.root.Line, remedy, "the hook has no %s", key)
	}
	return v
}
