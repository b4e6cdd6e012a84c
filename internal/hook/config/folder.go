package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/hook/match"
)

// A person's own hook folder is one hook of a format whose faults let actions go
// on. When its file is broken it closes what it can be told to have covered, and the
// person is told; it does not take every tool away. Where nobody can tell, nothing is
// closed. An administrator's stays closed as everything else of theirs does, and a
// project's as what a person approved of it.

// ownFolder reports whether a file is that of a person's own hook folder.
func ownFolder(d *hookfile.Dialect, scope checkrein.Scope) bool {
	return d.Folders && scope == checkrein.ScopeUser
}

// loseOne notes a file that cannot be read, or must not be: src is what is known of it.
func (l *loader) loseOne(f File, src []byte, err error) {
	d, ok := l.opts.Dialect(hookfile.Source{File: f.Path})
	if !ok || !ownFolder(d, f.Scope) {
		l.lose(f, err)
		return
	}
	parsed, _ := d.Parse(hookfile.Source{File: f.Path, Data: src})
	f.Dialect, f.Err, f.Lost = d.Name, err, err
	l.out.Files = append(l.out.Files, f)
	l.out.Hooks = append(l.out.Hooks, standIns(append(parsed.Hooks, parsed.Instead...), err)...)
}

// standIns are hooks that stand for those of a person's folder that is lost.
func standIns(hooks []checkrein.Hook, err error) []checkrein.Hook {
	for i := range hooks {
		h := &hooks[i]
		h.From.Scope = checkrein.ScopeUser
		if h.Broken == "" {
			h.Broken, h.Async = cause(err), false
			if h.OnFault != checkrein.FaultBlock {
				h.OnFault = checkrein.FaultByRow
			}
		}
	}
	closeCovered(hooks)
	return hooks
}

// cause is what an error says without the place that every hook has anyway.
func cause(err error) string {
	var at *checkrein.HookError
	if !errors.As(err, &at) {
		return err.Error()
	}
	return at.Err.Error()
}

// closeCovered leaves those broken gates closed that name tools or a pattern, and
// those that say so themselves. The others close nothing: what is wrong is told once
// a session, not at every call.
func closeCovered(hooks []checkrein.Hook) {
	for i := range hooks {
		h := &hooks[i]
		gate := checkrein.ContractOf(h.On).Closed
		if h.Broken == "" || h.OnFault == checkrein.FaultBlock || gate && h.OnFault == checkrein.FaultByRow && narrow(h) {
			continue
		}
		h.OnFault = checkrein.FaultIgnore
		if gate {
			h.Broken += "; checkrein cannot tell which calls it is for, so it stops none until you fix it"
		}
	}
}

// narrow reports whether a hook names the tools or the arguments that it is about.
func narrow(h *checkrein.Hook) bool {
	t, err := match.CompileTool(h.Match, h.MatchBy)
	return h.Args != "" || err == nil && !t.Match(&checkrein.Tool{Name: "what no tool is called"}, "")
}

// namesakes reports hook folders of one scope that have one name: each of them runs.
func (l *loader) namesakes() {
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
