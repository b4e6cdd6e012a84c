package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// A person's own hook folder holds one hook, in a format in which faults do not block
// actions. If its file is broken, the hook blocks the calls that it clearly applies to,
// and the person is notified; it does not block every tool. If that is not clear, it
// blocks nothing. A broken folder of the administrator blocks everything, like other
// managed files, and one of a project what a person approved of it.

// isUserHookFolder reports whether a file of dialect d and the given scope is the file of one of the
// user's own hook folders.
func isUserHookFolder(d *hookfile.Dialect, scope checkrein.Scope) bool {
	return d.Folders && scope == checkrein.ScopeUser
}

// addUnreadable adds a file that cannot or must not be read because of err, and broken hooks in place
// of its hooks; src is the part of its content that could be read.
func (l *loader) addUnreadable(f File, src []byte, err error) {
	d, ok := l.opts.Dialect(hookfile.Source{File: f.Path})
	if !ok || !isUserHookFolder(d, f.Scope) {
		l.addLost(f, err)
		return
	}
	parsed, _ := d.Parse(hookfile.Source{File: f.Path, Data: src})
	f.Dialect, f.Err, f.Lost = d.Name, err, err
	l.out.Files = append(l.out.Files, f)
	l.out.Hooks = append(l.out.Hooks, breakHooks(append(parsed.Hooks, parsed.Instead...), err)...)
}

// breakHooks marks the hooks of one of the user's hook folders as broken because of err, and returns
// them.
func breakHooks(hooks []checkrein.Hook, err error) []checkrein.Hook {
	for i := range hooks {
		h := &hooks[i]
		h.From.Scope = checkrein.ScopeUser
		if h.Broken == "" {
			h.Broken, h.Async = causeText(err), false
			if h.OnFault != checkrein.FaultBlock {
				h.OnFault = checkrein.FaultByRow
			}
		}
	}
	ignoreUnclearFaults(hooks)
	return hooks
}

// causeText returns the text of err without its file and line, which every hook has anyway.
func causeText(err error) string {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return err.Error()
	}
	return at.Err.Error()
}

// ignoreUnclearFaults makes the engine ignore faults of broken hooks, except for gates that name tools
// or arguments and hooks that set on_error to block. Their errors are reported once per session
// instead of at every call.
func ignoreUnclearFaults(hooks []checkrein.Hook) {
	for i := range hooks {
		h := &hooks[i]
		gate := checkrein.ContractOf(h.On).Closed
		if h.Broken == "" || h.OnFault == checkrein.FaultBlock || gate && h.OnFault == checkrein.FaultByRow && namesCalls(h) {
			continue
		}
		h.OnFault = checkrein.FaultIgnore
		if gate {
			h.Broken += "; checkrein cannot tell which calls it is for, so it stops none until you fix it"
		}
	}
}

// namesCalls reports whether h names the tools or arguments to which it applies.
func namesCalls(h *checkrein.Hook) bool {
	t, err := match.CompileTool(h.Match, h.MatchWords)
	return h.Args != "" || err == nil && !t.Match(&checkrein.Tool{Name: "a name of no tool"}, "")
}

// warnSameNames adds a warning for hook folders of the same scope and name, because all of them run.
func (l *loader) warnSameNames() {
	type key struct {
		name  string
		scope checkrein.Scope
	}
	var first map[key]string
	for i := range l.out.Hooks {
		h := &l.out.Hooks[i]
		if h.Name == "" || filepath.Base(h.From.File) != folderFile {
			continue
		}
		k := key{h.Name, h.From.Scope}
		other, twice := first[k]
		if !twice {
			if first == nil {
				first = map[key]string{}
			}
			first[k] = h.From.File
			continue
		}
		w := &checkrein.HookError{Hook: h.Name, Origin: h.From, Remedy: "give one of them another name",
			Err: fmt.Errorf("the hook in %s has the same name; both run", filepath.Dir(other))}
		for j := range l.out.Files {
			if f := &l.out.Files[j]; f.Path == h.From.File {
				f.Warnings = append(f.Warnings[:len(f.Warnings):len(f.Warnings)], w)
				break
			}
		}
	}
}
