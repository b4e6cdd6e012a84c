package app

import (
	"fmt"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Limits on the number of a project's hooks that wait for approval. Each of them delays every
// call of a host, while a user who reviews them has more time.
const (
	maxWaitingCalled = 256  // if a host called this process
	maxWaiting       = 5000 // if the user runs a command
)

// effectiveHooks returns the hooks that count under the approvals in store, and notices about those
// that do not.
//
// If a project's file is broken, only the gates that were approved in it are closed, on their events
// and tools. If the approvals cannot be read, known is false, and a broken file closes every gate.
func (k *Kit) effectiveHooks(store *approval.Store, known bool) (hooks []checkrein.Hook, gone []string) {
	hooks, gone = k.config.Hooks, k.tooLargeNotices()
	if !known {
		return hooks, gone
	}
	hooks, many := k.dropWaiting(store, hooks, len(gone) > 0)
	hooks = keepApprovedGates(store, hooks)
	hooks, torn := k.standInForBroken(store, hooks)
	return hooks, slices.Concat(gone, many, torn)
}

// tooLargeNotices returns notices about files of the project that are too large or too many to read.
func (k *Kit) tooLargeNotices() []string {
	var over []error
	for i := range k.config.Files {
		if err := k.config.Files[i].OverLimit; err != nil {
			over = append(over, err)
		}
	}
	switch len(over) {
	case 0:
		return nil
	case 1:
		return []string{over[0].Error()}
	}
	return []string{fmt.Sprintf("%v; there are more problems: run checkrein hooks list", over[0])}
}

// dropWaiting returns hooks without those that wait for approval if these are too many, with a notice.
// incomplete means that not all files were read, so that there are too many in any case.
func (k *Kit) dropWaiting(store *approval.Store, hooks []checkrein.Hook, incomplete bool) ([]checkrein.Hook, []string) {
	most := maxWaiting
	if k.called {
		most = maxWaitingCalled
	}
	asked := 0
	for i := range hooks {
		if needsProjectApproval(&hooks[i]) {
			asked++
		}
	}
	if asked == 0 || asked <= most && !incomplete {
		return hooks, nil
	}
	waits := func(h checkrein.Hook) bool {
		if !needsProjectApproval(&h) {
			return false
		}
		state, _ := store.StateByDefinition(&h)
		return state == approval.Unapproved
	}
	kept := withoutHooks(hooks, waits)
	n := len(hooks) - len(kept)
	if n <= most && !incomplete {
		return hooks, nil
	}
	if incomplete {
		return kept, nil
	}
	return kept, []string{fmt.Sprintf("%d hooks in this project are not approved; the first is in %s. checkrein considers at most %d such hooks, so it ignores all of them (remove some, or run checkrein hooks approve NAME for those that you need; approved hooks still run)",
		n, hooks[slices.IndexFunc(hooks, waits)].From.File, most)}
}

// needsProjectApproval reports whether h came with the project and needs approval.
func needsProjectApproval(h *checkrein.Hook) bool {
	return h.From.Scope == checkrein.ScopeProject && h.From.Approval
}

// keepApprovedGates returns hooks with stand-ins for approved gates that were edited to match other
// tools, or that are broken now. A stand-in faults on the tools that the gate was approved for, so
// that it stays closed.
func keepApprovedGates(store *approval.Store, hooks []checkrein.Hook) []checkrein.Hook {
	out, cloned := hooks, false
	if store.IsEmpty() {
		return out
	}
	for i := range hooks {
		h := &hooks[i]
		if !needsProjectApproval(h) {
			continue
		}
		state, a := store.StateByDefinition(h)
		if state != approval.Changed || a.Tools == nil || h.Broken == "" && h.Match == a.Tools.Match && h.MatchWords == a.Tools.MatchesWords() {
			continue
		}
		if !cloned {
			out, cloned = slices.Clone(hooks), true // the originals belong to the configuration
		}
		if h.Broken == "" {
			stand := standIn(a, "changed since it was approved: its definition changed")
			stand.OnFault = a.Tools.OnFault
			out = append(out, stand)
			continue
		}
		out[i] = standIn(a, "changed since it was approved, and is broken now: "+h.Broken)
	}
	return out
}

// standIn returns a hook that faults, because of why, on the event and tools of the approved hook a.
func standIn(a *approval.Approval, why string) checkrein.Hook {
	h := checkrein.Hook{
		ID: a.ID, Match: a.Tools.Match, MatchWords: a.Tools.MatchesWords(), Dialect: a.Tools.Dialect, Exact: grammar.IsExact(a.Tools.Dialect), Priority: hookfile.MaxPriority,
		From: checkrein.Origin{Scope: checkrein.ScopeProject, File: a.File, Agent: a.Agent}, OnFault: checkrein.FaultWarn,
		Broken: why + " (restore the file, or run " + approval.RemedyCommand("revoke", a.ID) + " to continue without it)",
	}
	if native, is := strings.CutPrefix(a.Event, "native:"); is {
		h.On, h.Event = checkrein.Other, native
	} else {
		h.On, _ = hookfile.KindOf(a.Event)
	}
	if a.Gate {
		h.OnFault = checkrein.FaultBlock
	}
	return h
}

// standInForBroken replaces the hooks of the project's broken files with stand-ins for those that were
// approved, and returns notices about them.
func (k *Kit) standInForBroken(store *approval.Store, hooks []checkrein.Hook) ([]checkrein.Hook, []string) {
	var torn []approval.UnreadableFile
	var why []error
	var read []string
	for i := range k.config.Files {
		f := &k.config.Files[i]
		if f.Lost == nil {
			read = append(read, f.Path)
		}
		if f.Scope == checkrein.ScopeProject && f.Err != nil && f.OverLimit == nil {
			torn, why = append(torn, approval.UnreadableFile{Path: f.Path, Lost: f.Lost != nil}), append(why, f.Err)
		}
	}
	if len(torn) == 0 {
		return hooks, nil
	}
	held, by := store.ApprovalsOfUnreadable(torn, read)
	var whole []string // files with an approval whose tools are unknown, which stay closed for all tools
	var stands []checkrein.Hook
	for i := range held {
		a, at := &held[i], by[i]
		if a.Tools == nil {
			whole = append(whole, torn[at].Path)
			continue
		}
		stands = append(stands, standIn(a, torn[at].Path+" cannot be read: "+firstErrorLine(why[at])))
	}
	lost := func(h checkrein.Hook) bool {
		return standsForUnreadFile(&h) && h.From.Scope == checkrein.ScopeProject && !slices.Contains(whole, h.From.File)
	}
	hooks = append(slices.DeleteFunc(slices.Clone(hooks), lost), stands...)
	var gone []string
	for _, s := range stands[:min(len(stands), maxNamedHooks)] {
		gone = append(gone, fmt.Sprintf("hook %q on %s was approved but cannot run: %s", s.ID, s.On, s.Broken))
	}
	var idle []error
	for i := range torn {
		switch {
		case !torn[i].Lost || slices.Contains(by, i):
		case hasApprovedHook(store, hooks, torn[i].Path):
			gone = append(gone, "a part of this file cannot be read and is ignored; the approved hooks in the rest of it still run: "+firstErrorLine(why[i]))
		default:
			idle = append(idle, why[i])
		}
	}
	return hooks, append(gone, idleFileNotices(idle)...)
}

// hasApprovedHook reports whether one of hooks is in file, came with the project, and was approved in
// this or another form.
func hasApprovedHook(store *approval.Store, hooks []checkrein.Hook, file string) bool {
	return slices.ContainsFunc(hooks, func(h checkrein.Hook) bool {
		if h.From.File != file || !needsProjectApproval(&h) {
			return false
		}
		state, _ := store.StateByDefinition(&h)
		return state != approval.Unapproved
	})
}

// idleFileNotices returns notices about broken files in which no hook was ever approved, so that they
// close no gate.
func idleFileNotices(why []error) []string {
	const because = "the configuration cannot be read, and its hooks are ignored because none was ever approved: "
	var out []string
	for _, err := range why {
		out = append(out, because+firstErrorLine(err))
	}
	if len(out) > maxNamedHooks {
		return []string{fmt.Sprintf("%d files in this project cannot be read; none of their hooks was ever approved, so they are ignored; the first error: %s", len(why), firstErrorLine(why[0]))}
	}
	return out
}

// maxErrorLine is how many bytes of an error about a project's file are shown, since the author of the
// file is not trusted.
const maxErrorLine = 400

// firstErrorLine returns the first line of err, shortened and without secrets if it is long, and how
// many more lines follow.
func firstErrorLine(err error) string {
	line, rest, _ := strings.Cut(err.Error(), "\n")
	if more := strings.Count(rest, "\n"); rest != "" {
		line += fmt.Sprintf(" (and %d more: run checkrein validate)", more+1)
	}
	if len(line) > maxErrorLine { // redact first, because part of a secret would not be found
		line = clip(secret.Redactor{}.MaskText(line), maxErrorLine)
	}
	return visible.EscapeLine(line)
}
