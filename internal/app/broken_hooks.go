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

// brokenFolderNotices returns a line for each broken hook folder of the person or the administrator,
// with the calls that it denies: it may be a guard that the person relies on.
func (k *Kit) brokenFolderNotices() []string {
	var out []string
	for i := range k.config.Files {
		f := &k.config.Files[i]
		if f.Err == nil || f.Scope == checkrein.ScopeProject || !hasHookFolders(f.Dialect) {
			continue
		}
		closed := ""
		for j := range k.config.Hooks {
			if h := &k.config.Hooks[j]; h.From.File == f.Path && h.Broken != "" && closed == "" {
				closed = deniedByBroken(h)
			}
		}
		whose := "one of your hooks"
		if f.Scope == checkrein.ScopeManaged {
			whose = "one of the administrator's hooks"
		}
		if closed == "" {
			closed = "it blocks nothing until " + fixer(f.Scope)
		}
		out = append(out, whose+" is broken and does not run: "+firstLine(f.Err)+"; "+closed)
	}
	return out
}

// describeMistake returns why a broken hook does not run, for people.
func describeMistake(h *checkrein.Hook) string {
	if h.From.Line == 0 || standsForUnreadFile(h) {
		return h.Broken // it names the file
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

// standsForUnreadFile reports whether a hook stands for a file that could not be read.
func standsForUnreadFile(h *checkrein.Hook) bool { return h.ID == config.LostID && h.Run == "" }

// validateShows reports whether `checkrein validate` shows what is wrong with a hook: its file has a
// mistake, and it does not stand for an approved hook.
func validateShows(h *checkrein.Hook) bool {
	return h.Broken != "" && (h.From.Line > 0 || standsForUnreadFile(h))
}

// takeMistakeNotices removes the notices about broken hooks that decide nothing from an outcome and
// returns them, shortened. They are the same at every event.
func takeMistakeNotices(out *engine.Outcome) (lines []string) {
	for i := range out.Steps {
		s := &out.Steps[i]
		if s.Fault == nil || s.Hook.Broken == "" || s.Verdict == nil {
			continue
		}
		for _, n := range s.Verdict.Notice {
			if at := slices.Index(out.Verdict.Notice, n); at >= 0 {
				out.Verdict.Notice = slices.Delete(slices.Clone(out.Verdict.Notice), at, at+1)
			}
			if validateShows(s.Hook) {
				n = firstLine(errors.New(describeMistake(s.Hook))) + " [" + visible.EscapeLine(s.Hook.Label()) + "]. To see the line, run checkrein validate"
			}
			if !slices.Contains(lines, n) {
				lines = append(lines, n)
			}
		}
	}
	return lines
}

// deniedByBroken returns which calls a broken hook denies, and until when, or "" if it denies none.
func deniedByBroken(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	if h.OnFault != checkrein.FaultBlock && (h.OnFault != checkrein.FaultByRow || !row.Closed) {
		return ""
	}
	return match.DescribeCalls(h) + " is denied until " + fixer(h.From.Scope)
}

// askAdministrator returns the remedy for a mistake in a managed file, which only the administrator
// may change, or "" if the person may change the file.
func askAdministrator(from checkrein.Origin) string {
	if from.Scope != checkrein.ScopeManaged || from.File == "" {
		return ""
	}
	return "ask this machine's administrator to correct " + from.String()
}

// WithAdministrator returns a message about a configuration file, with the remedy to ask the
// administrator if the person may not change the file.
func (k *Kit) WithAdministrator(file string, m message.Message) message.Message {
	for i := range k.config.Files {
		if f := &k.config.Files[i]; f.Path == file {
			return m.With(message.Do(askAdministrator(checkrein.Origin{Scope: f.Scope, File: f.Path})))
		}
	}
	return m
}

// nameAdministrator adds to the reason of a denial, if a managed hook could not answer, that the
// administrator must correct it.
func nameAdministrator(out *engine.Outcome) {
	for i := range out.Steps {
		s := &out.Steps[i]
		if ask := askAdministrator(s.Hook.From); ask != "" && s.Fault != nil && s.Verdict != nil && s.Verdict.Decision == checkrein.Deny && out.Verdict.Decision == checkrein.Deny {
			out.Verdict.Reason += ": " + ask
			return
		}
	}
}

// fixer returns who can fix a broken file, as the end of a sentence.
func fixer(scope checkrein.Scope) string {
	if scope == checkrein.ScopeManaged {
		return "the administrator fixes it"
	}
	return "you fix it"
}
