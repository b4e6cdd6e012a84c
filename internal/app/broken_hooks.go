package app

import (
	"errors"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/engine"
	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/hook/match"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// brokenFolders reports hook folders of the person, or of the administrator, whose
// file is broken, and what that closes: the hook does not run, and it may be the guard
// that the person relies on.
func (k *Kit) brokenFolders() []string {
	var out []string
	for i := range k.config.Files {
		f := &k.config.Files[i]
		if f.Err == nil || f.Scope == checkrein.ScopeProject || !hasHookFolders(f.Dialect) {
			continue
		}
		closed := ""
		for j := range k.config.Hooks {
			if h := &k.config.Hooks[j]; h.From.File == f.Path && h.Broken != "" && closed == "" {
				closed = closes(h)
			}
		}
		whose := "one of your hooks"
		if f.Scope == checkrein.ScopeManaged {
			whose = "one of the administrator's hooks"
		}
		if closed == "" {
			closed = "it blocks nothing until " + fixer(f.Scope)
		}
		out = append(out, whose+" is broken and does not run: "+firstOf(f.Err)+"; "+closed)
	}
	return out
}

// mistake describes in a person's words why a broken hook does not run.
func mistake(h *checkrein.Hook) string {
	if h.From.Line == 0 || isLost(h) {
		return h.Broken // which names the file
	}
	what := "hook "
	if h.Run == "rule" {
		what = "rule "
	}
	switch h.From.Scope {
	case checkrein.ScopeUser:
		what = "your " + what
	case checkrein.ScopeManaged:
		what = "the administrator's " + what
	}
	return what + "has a mistake (" + h.From.String() + "): " + h.Broken
}

// isLost reports whether a hook stands for a file that could not be read.
func isLost(h *checkrein.Hook) bool { return h.ID == config.Lost && h.Run == "" }

// showsMistake reports whether checkrein validate says what is wrong with a hook: its
// file has a mistake, and it is not a stand-in for an approved one.
func showsMistake(h *checkrein.Hook) bool { return h.Broken != "" && (h.From.Line > 0 || isLost(h)) }

// mistakes takes out of an outcome what is told of broken hooks that decide nothing, which
// is the same at every event.
func mistakes(out *engine.Outcome) (lines []string) {
	for i := range out.Steps {
		s := &out.Steps[i]
		if s.Fault == nil || s.Hook.Broken == "" || s.Verdict == nil {
			continue
		}
		for _, n := range s.Verdict.Notice {
			if at := slices.Index(out.Verdict.Notice, n); at >= 0 {
				out.Verdict.Notice = slices.Delete(slices.Clone(out.Verdict.Notice), at, at+1)
			}
			if showsMistake(s.Hook) {
				n = firstOf(errors.New(mistake(s.Hook))) + " [" + visible.Line(s.Hook.Label()) + "]. To see the line, run checkrein validate"
			}
			if !slices.Contains(lines, n) {
				lines = append(lines, n)
			}
		}
	}
	return lines
}

// closes returns what a broken hook denies, "" = nothing.
func closes(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	if h.OnFault != checkrein.FaultBlock && (h.OnFault != checkrein.FaultByRow || !row.Closed) {
		return ""
	}
	return match.Calls(h) + " is denied until " + fixer(h.From.Scope)
}

// correct returns what to do about a mistake at a place that only the administrator may
// change; "" = the person may.
func correct(from checkrein.Origin) string {
	if from.Scope != checkrein.ScopeManaged || from.File == "" {
		return ""
	}
	return "ask this machine's administrator to correct " + from.String()
}

// RemedyIn returns a message about a file of the configuration with whom to ask where the
// person may not change the file.
func (k *Kit) RemedyIn(file string, m message.Message) message.Message {
	for i := range k.config.Files {
		if f := &k.config.Files[i]; f.Path == file {
			return m.With(message.Do(correct(checkrein.Origin{Scope: f.Scope, File: f.Path})))
		}
	}
	return m
}

// nameAdministrator adds to the reason of a denial whom to ask about a managed hook that
// could not answer.
func nameAdministrator(out *engine.Outcome) {
	for i := range out.Steps {
		s := &out.Steps[i]
		if ask := correct(s.Hook.From); ask != "" && s.Fault != nil && s.Verdict != nil && s.Verdict.Decision == checkrein.Deny && out.Verdict.Decision == checkrein.Deny {
			out.Verdict.Reason += ": " + ask
			return
		}
	}
}

// fixer returns who can mend a broken file, as the end of a sentence.
func fixer(scope checkrein.Scope) string {
	if scope == checkrein.ScopeManaged {
		return "the administrator fixes it"
	}
	return "you fix it"
}
