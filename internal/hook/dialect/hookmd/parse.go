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
	minTimeout     = 100 // in milliseconds, as are the next two
	maxTimeout     = 600_000
	defaultTimeout = 30_000
)

// A reader reads one HOOK.md file.
type reader struct {
	block  grammar.Block // collects mistakes
	folder string        // the absolute path of the file's directory
	root   *yamldoc.Node
	row    *checkrein.Contract
	hook   checkrein.Hook
}

// parse reads the hook in src. If its event is known, it returns the hook, which may be broken.
// Otherwise the file is lost, and File.Instead has a broken hook with the parts that could be read.
func parse(src hookfile.Source) (hookfile.File, error) {
	folder := filepath.Dir(src.File)
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	r := newReader(src.File, folder)
	front, _, bad := frontMatter(src.Data)
	if bad != nil {
		r.addLost(bad.line, bad.remedy, "%s", bad.what)
	} else if root, ok := r.block.ParseYAML(front); ok {
		r.root = root
		r.readMembers()
	} else {
		r.salvage(front)
	}
	if r.hook.Broken != "" || r.block.HasLost() {
		r.guessMissing(src.Data)
	}
	r.finishHook()
	if !r.block.HasLost() {
		r.block.Hooks = append(r.block.Hooks, r.hook)
	}
	file, err := r.block.Result()
	if file.Lost != nil {
		file.Instead = []checkrein.Hook{r.hook}
		if r.hook.Broken == "" {
			file.Instead[0].Broken = firstErrorText(err)
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

func (r *reader) readMembers() {
	r.hook.From.Line = r.root.Line
	r.readName()
	r.checkKeys(r.root, "the front matter", "name", "description", "trigger", "matcher", "timeout", "async", "priority", "metadata", "on_error")
	r.checkDescription()
	r.readTrigger()
	r.readMatcher()
	r.hook.Timeout = time.Duration(r.readNumber("timeout", defaultTimeout, minTimeout, maxTimeout)) * time.Millisecond
	r.hook.Priority = r.readNumber("priority", hookfile.DefaultPriority, 0, hookfile.MaxPriority)
	r.readAsync()
	r.readOnError()
	r.member(r.root, "metadata", yamldoc.Map, "write a mapping")
}

// salvage sets the hook from the keys that determine to which calls it applies, if the front matter is
// not valid YAML as a whole: a colon in a description must not hide what a guard is for. The mistakes
// have already been reported.
func (r *reader) salvage(front []byte) {
	root, _, err := yamldoc.Parse(keepMembers(front, "name:", "trigger:", "matcher:", "async:", "on_error:"))
	if err != nil || root == nil || root.Kind != yamldoc.Map {
		return
	}
	whole := newReader(r.block.File, r.folder)
	whole.root = root
	whole.readMembers()
	whole.hook.Broken = ""
	r.root, r.row, r.hook = whole.root, whole.row, whole.hook
}

// keepMembers returns front with empty lines in place of all members whose first line does not begin
// with one of begin.
func keepMembers(front []byte, begin ...string) []byte {
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

// firstErrorText returns the text of the first of the joined errors in err, without its file and line.
func firstErrorText(err error) string {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return err.Error()
	}
	if at.Remedy == "" {
		return at.Err.Error()
	}
	return at.Err.Error() + " (" + at.Remedy + ")"
}

// finishHook sets what depends on the whole declaration. If the declaration is invalid, the hook
// faults as its event requires, because a guard with a typo must not become an open gate. An
// asynchronous hook is not a gate, so it only warns.
func (r *reader) finishHook() {
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

// addLost adds a mistake because of which the hook's event is unknown.
func (r *reader) addLost(line int, remedy, format string, args ...any) {
	r.block.AddLost(line, remedy, format, args...)
	r.setBroken(fmt.Errorf(format, args...), remedy)
}

// addError adds a mistake. The first one becomes the reason why the hook is broken.
func (r *reader) addError(line int, remedy, format string, args ...any) {
	err := fmt.Errorf(format, args...)
	r.block.AddError(line, r.hook.Label(), remedy, "%w", err)
	r.setBroken(err, remedy)
}

func (r *reader) setBroken(err error, remedy string) {
	if r.hook.Broken != "" {
		return
	}
	r.hook.Broken = err.Error()
	if remedy != "" {
		r.hook.Broken += " (" + remedy + ")"
	}
}

// checkKeys reports the keys of n that are not in known. A key that resembles a known one is a
// mistake. Others cause a warning only, because they may be meant for other programs.
func (r *reader) checkKeys(n *yamldoc.Node, where string, known ...string) {
	for _, p := range n.Pairs {
		if slices.Contains(known, p.Key) {
			continue
		}
		if hint := suggest.Hint(p.Key, known); hint != "" {
			r.addError(p.Line, "", "unknown key %q in %s%s", p.Key, where, hint)
			continue
		}
		r.block.Warn(p.Line, r.hook.Label(), "own settings belong below metadata", "unknown key %q in %s is ignored: the known keys are %s", p.Key, where, strings.Join(known, ", "))
	}
}

// member returns the value of key in n, or nil if it is absent. A value of another kind is a mistake,
// for which it also returns nil.
func (r *reader) member(n *yamldoc.Node, key string, kind yamldoc.Kind, remedy string) *yamldoc.Node {
	v := n.Get(key)
	if v == nil || v.IsNull() && kind != yamldoc.Bool {
		return nil
	}
	if kind == yamldoc.Bool {
		v = v.AsYAML11Bool()
	}
	if v.Kind != kind {
		r.addError(v.Line, remedy, "%s is %s, not %s", key, v.Kind, kind)
		return nil
	}
	return v
}

// requiredText returns the string member key of the hook. If it is missing or not a string, it adds an
// error and returns nil.
func (r *reader) requiredText(key, remedy string) *yamldoc.Node {
	v := r.member(r.root, key, yamldoc.Text, "quote it")
	if v == nil && r.root.Get(key).IsNull() {
		r.addError(r.root.Line, remedy, "the hook has no %s", key)
	}
	return v
}
