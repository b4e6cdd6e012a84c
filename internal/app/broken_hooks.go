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

// brokenFolderNotices returns a notice about each broken hook folder of the user or the administrator,
// with the calls that it denies, because it may be a guard that the user relies on.
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
			closed = "it blocks nothing until " + fixedBy(f.Scope)
		}
		out = append(out, whose+" is broken and does not run: "+firstErrorLine(f.Err)+"; "+closed)
	}
	return out
}

// describeMistake returns why the broken hook h does not run, for people.
func describeMistake(h *checkrein.Hook) string {
	if h.From.Line == 0 || standsForUnreadFile(h) {
		return h.Broken // the text already names the file
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

// standsForUnreadFile reports whether h stands for a file that could not be read.
func standsForUnreadFile(h *checkrein.Hook) bool { return h.ID == config.LostID && h.Run == "" }

// validateShows reports whether the validate command shows what is wrong with h, because its file has
// a mistake and h does not stand for an approved hook.
func validateShows(h *checkrein.Hook) bool {
	return h.Broken != "" && (h.From.Line > 0 || standsForUnreadFile(h))
}

// takeMistakeNotices removes notices about broken hooks from the verdict of out, and returns them
// shortened. They are the same at every event, so the caller shows them only once.
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
				n = firstErrorLine(errors.New(describeMistake(s.Hook))) + " [" + visible.EscapeLine(s.Hook.Label()) + "]. To see the line, run checkrein validate"
			}
			if !slices.Contains(lines, n) {
				lines = append(lines, n)
			}
		}
	}
	return lines
}

// deniedByBroken returns which calls are denied because h is broken, and until when, or "" if none
// are.
func deniedByBroken(h *checkrein.Hook) string {
	row := checkrein.ContractOf(h.On)
	if h.OnFault != checkrein.FaultBlock && (h.OnFault != checkrein.FaultByRow || !row.Closed) {
		return ""
	}
	return match.DescribeCalls(h) + " is denied until " + fixedBy(h.From.Scope)
}

// askAdministrator returns the remedy for a mistake in a managed file, which only the administrator
// may change, or "" if the user may change the file.
func askAdministrator(from checkrein.Origin) string {
	if from.Scope != checkrein.ScopeManaged || from.File == "" {
		return ""
	}
	if who := config.FleetAdministrator(from.File); who != "" {
		return "ask " + who + " to correct " + from.String()
	}
	return "ask this machine's administrator to correct " + from.String()
}

// WithAdministrator returns m, a message about a configuration file, with the remedy to ask the
// administrator if the user may not change the file.
func (k *Kit) WithAdministrator(file string, m message.Message) message.Message {
	for i := range k.config.Files {
		if f := &k.config.Files[i]; f.Path == file {
			return m.With(message.Do(askAdministrator(checkrein.Origin{Scope: f.Scope, File: f.Path})))
		}
	}
	return m
}

// addAdministratorRemedy adds to the reason of a denial that the administrator must correct the
// managed hook that could not answer, if there is one.
func addAdministratorRemedy(out *engine.Outcome) {
	for i := range out.Steps {
		s := &out.Steps[i]
		if ask := askAdministrator(s.Hook.From); ask != "" && s.Fault != nil && s.Verdict != nil && s.Verdict.Decision == checkrein.Deny && out.Verdict.Decision == checkrein.Deny {
			out.Verdict.Reason += ": " + ask
			return
		}
	}
}

// fixedBy returns a clause that says who must fix a broken file of this scope.
func fixedBy(scope checkrein.Scope) string {
	if scope == checkrein.ScopeManaged {
		return "the administrator fixes it"
	}
	return "you fix it"
}
