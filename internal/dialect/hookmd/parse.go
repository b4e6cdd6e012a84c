package hookmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/grammar"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/suggest"
	"github.com/checkrein/checkrein/internal/yamldoc"
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
// need be broken; otherwise it is lost.
func parse(src checkrein.Source) (checkrein.File, error) {
	folder := filepath.Dir(src.File)
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	r := reader{block: grammar.Block{File: src.File}, folder: folder}
	front, _, bad := frontMatter(src.Data)
	if bad != nil {
		r.block.Lose(bad.line, bad.remedy, "%s", bad.what)
		return r.block.Result()
	}
	root, ok := r.block.Open(front)
	if ok {
		r.root = root
		r.read()
	}
	return r.block.Result()
}

func (r *reader) read() {
	r.hook = checkrein.Hook{
		Name: filepath.Base(r.folder), Timeout: defaultTimeout * time.Millisecond,
		Priority: checkrein.DefaultPriority, Rewrites: true, OnFault: checkrein.FaultWarn,
		Run: "command", With: append(append([]byte(`{"hook_folder":`), rawjson.Quote(r.folder)...), '}'),
		Dialect: dialect, From: checkrein.Origin{File: r.block.File, Line: r.root.Line},
	}
	r.name()
	r.keys(r.root, "the front matter", "name", "description", "trigger", "matcher", "timeout", "async", "priority", "metadata", "on_error")
	r.description()
	known := r.trigger()
	r.matcher()
	r.hook.Timeout = time.Duration(r.number("timeout", defaultTimeout, minTimeout, maxTimeout)) * time.Millisecond
	r.hook.Priority = r.number("priority", checkrein.DefaultPriority, 0, checkrein.MaxPriority)
	r.async()
	r.onError()
	r.member(r.root, "metadata", yamldoc.Map, "write a mapping")
	if !known {
		return
	}
	r.settle()
	r.block.Hooks = append(r.block.Hooks, r.hook)
}

// settle makes what depends on the whole. A declaration that is wrong faults as
// its event's row says: a guard with a typo must not be an open gate, and what
// it says of not deciding is as doubtful as the rest.
func (r *reader) settle() {
	h := &r.hook
	h.ID = h.Name
	if h.Broken != "" {
		h.Async = false
		if h.OnFault != checkrein.FaultBlock {
			h.OnFault = checkrein.FaultByRow
		}
	}
	if !h.Async {
		h.Chain = dialect
	}
}

// problem notes a mistake. The first one is why the hook is broken.
func (r *reader) problem(line int, remedy, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	r.block.Problem(line, r.hook.Label(), remedy, "%w", err)
	if r.hook.Broken != "" {
		return
	}
	r.hook.Broken = err.Error()
	if remedy != "" {
		r.hook.Broken += " (" + remedy + ")"
	}
}

// keys complains about members that are not known.
func (r *reader) keys(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if slices.Contains(known, p.Key) {
			continue
		}
		hint := suggest.Hint(p.Key, known)
		if hint == "" {
			hint = ": known are " + strings.Join(known, ", ")
		}
		r.problem(p.Line, "", "unknown key %q in %s%s", p.Key, where, hint)
	}
}

// member returns a member of n, nil when it is absent, or when it is of another
// kind, which is noted.
func (r *reader) member(n *yamldoc.Node, key string, kind yamldoc.Kind, remedy string) *yamldoc.Node {
	v := n.Get(key)
	if v.IsNull() {
		return nil
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
