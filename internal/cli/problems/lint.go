package problems

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/packs"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/guard/packguard"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/lint"
	"github.com/checkrein/checkrein/internal/hook/packset"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
	"github.com/checkrein/checkrein/internal/sys/environ"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	"github.com/checkrein/checkrein/kit"
)

// Lint is what is found in the files of a kit that can be read.
func Lint(env *console.Env, k *kit.Kit) []lint.Finding {
	c := lint.Case{
		Hooks: k.Hooks(), Builtins: guard.Names(), Hosts: append(host.Names(), "native"), Effects: effectWords(k), Rules: packRules(k),
		Packs:    packJudge(env, k),
		Patching: patching(env),
		Getenv:   func(name string) (string, bool) { return environ.Lookup(env.Environ, name) },
		Now:      env.Now(),
	}
	for _, f := range k.Files() {
		if f.Dialect != native.Dialect.Name {
			continue
		}
		if text, err := state.ReadRegular(f.Path, yamldoc.MaxSize); err == nil {
			c.Files = append(c.Files, lint.File{Path: f.Path, Scope: f.Scope, Text: text})
		}
	}
	return lint.Run(&c)
}

// patching are the hosts that checkrein is installed in and that change files by patches.
func patching(env *console.Env) []string {
	reports, err := base.HostReports(env)
	if err != nil {
		return nil // which status says
	}
	var out []string
	for i := range reports {
		if h, ok := host.Named(reports[i].Host); ok && h.Patches != "" && len(reports[i].Installed) > 0 {
			out = append(out, h.Title)
		}
	}
	return out
}

// effectWords are what the field effects can be; nil where packs of a person's own may
// add to them.
func effectWords(k *kit.Kit) []string {
	for _, h := range k.Hooks() {
		if w, _ := packguard.Watching(&h); w != nil && len(w.Own()) > 0 {
			return nil
		}
	}
	out := []string{shell.Safe.String(), shell.Unknown.String(), shell.Destructive.String(), shell.Exfiltration.String()}
	shell.Categories(func(_ shell.Category, row *shell.Row) { out = append(out, row.Name) })
	program.Rules(func(r *shell.Rule) { out = append(out, r.Kind) })
	program.Coded(func(r *shell.Rule) { out = append(out, r.Kind) })
	slices.Sort(out)
	return slices.Compact(out)
}

// packRules are the names of all rules of packs, those of the files too.
func packRules(k *kit.Kit) []string {
	var out []string
	add := func(r *shell.Rule) { out = append(out, packs.RuleRow(r).PackName()+"/"+r.ID) }
	program.Rules(add)
	program.Coded(add)
	for _, r := range guard.NamedRules() {
		out = append(out, r.Name)
	}
	for _, h := range k.Hooks() {
		w, _ := packguard.Watching(&h)
		if w == nil {
			continue
		}
		for _, set := range w.Own() {
			for i := range set.Rules {
				out = append(out, set.Own+"/"+set.Rules[i].ID)
			}
		}
	}
	return out
}

// packJudge says what the packs make of a command, with what the files say of them. Files
// that are named count without the others' packs; who writes such a file has them on.
func packJudge(env *console.Env, k *kit.Kit) func(string) (checkrein.Decision, string) {
	set := packset.Merge(k.PackSettings(), shell.PackNames, true)
	args := packset.Args(slices.Concat(set.Managed, set.User))
	if len(args) == 0 {
		return nil // every pack is off
	}
	with := rawjson.Object{'{'}
	with.Text("name", "packs")
	with.Texts("args", args)
	with.Close()
	hook := checkrein.Hook{ID: "packs", Name: "packs", On: checkrein.PreToolUse, Run: "builtin", With: json.RawMessage(with), Dialect: "native", From: checkrein.Origin{Scope: checkrein.ScopeManaged}}
	packs, err := kit.Open(kit.Options{Dir: env.Dir, Bare: true, Peek: true, Managed: kit.NoManaged, Environ: env.Environ, Now: env.Now, Hooks: []checkrein.Hook{hook}})
	if err != nil {
		return nil
	}
	weigh := packs.Scales(func(h *checkrein.Hook) bool { return string(h.With) == string(hook.With) })
	return func(command string) (checkrein.Decision, string) {
		input := rawjson.Object{'{'}
		input.Text("command", command)
		input.Close()
		v := weigh(context.Background(), checkrein.Event{Kind: checkrein.PreToolUse, Host: "native", Tool: &checkrein.Tool{Name: "shell", Canonical: "shell", Input: json.RawMessage(input)}})
		return v.Decision, v.Metadata["rule"]
	}
}

// lookedAt returns what doctor finds about hooks without running them. What depends on
// this machine is a warning: another one may have the program. In a HOOK.md folder it is
// an error, since a script that does not start lets every call pass there.
func lookedAt(env *console.Env, k *kit.Kit) []Problem {
	var out []Problem
	for _, f := range doctor.Look(doctor.Options{Kit: k, Environ: env.Environ, Now: env.Now}).Findings {
		file, line := f.Origin, 0
		if i := strings.LastIndexByte(file, ':'); i >= 0 {
			line, _ = strconv.Atoi(file[i+1:])
			file = file[:i]
		}
		level := Warning
		if f.Check == "never-found" || filepath.Base(file) == "HOOK.md" && (f.Check == "missing" || f.Check == "not-executable") {
			level = Error
		}
		out = append(out, Problem{Level: level, Check: f.Check, File: file, Line: line, Hook: f.Hook, Message: f.Message})
	}
	return out
}

// calledHere names our event for one of a host's.
func calledHere(name string) (remedy string) {
	for _, h := range host.Table() {
		for i := range h.Events {
			if e := &h.Events[i]; e.Native == name && len(e.Rows) > 0 {
				return h.Title + "'s event " + name + " is called " + e.Rows[0].Kind.String() + " here"
			}
		}
	}
	return ""
}
