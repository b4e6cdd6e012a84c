package app

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/engine"
)

// addNotices adds notices to the outcome of t: problems of this machine, hooks that did not run
// because they are not approved, approved gates that are gone, how many hooks wait for approval at the
// end of a turn, hosts that no longer call checkrein, and what the host was seen to ignore. Each is
// shown once per session.
func (k *Kit) addNotices(t *turn) {
	ev, out, told := &t.event, &t.out, t.told
	add := func(lines []string) { out.Verdict.Notice = append(out.Verdict.Notice, lines...) }
	k.notesOnce.Do(func() { add(k.notes) })
	add(k.settleSaves(out))
	add(k.reportWalls(t))
	add(k.memory.takeUnseen(told, k.Anomalies()))
	if k.standing.foreign {
		add(k.foreignNotice(ev.Host, told))
		return
	}
	var ill []string
	if said := k.grantError.Swap(nil); said != nil {
		ill = []string{*said}
	}
	add(k.memory.takeUnseen(told, slices.Concat(takeMistakeNotices(out), k.brokenFolderNotices(), unapprovedNotices(out.Steps), t.view.notices, k.guardNotices(t.shadow.notice()), k.pendingNotice(ev.Kind, t.view), ill, doubtNotices(ev.Host, out.Doubted))))
	add(k.wiringNotices(ev.Kind, ev.Host, told))
	add(k.proofNotices(ev.Kind, ev.Host, told))
	add(k.sessionSummary(ev))
}

// pendingNotice returns, at the end of a turn or session, a notice with the number of the project's
// hooks that wait for approval. Agents may write hooks, and none of them runs before it is approved.
func (k *Kit) pendingNotice(on checkrein.Kind, v *view) []string {
	if on != checkrein.Stop && on != checkrein.SessionEnd {
		return nil
	}
	seen := map[checkrein.Origin]bool{}
	name := ""
	for i := range v.hooks {
		h := &v.hooks[i]
		if h.From.Scope != checkrein.ScopeProject || !h.From.Approval || h.Off != "" || h.Broken != "" || seen[h.From] {
			continue
		}
		if is, _, _ := (approvalChecker{k, v.approvals}).check(h); is.State != engine.Approved {
			seen[h.From], name = true, h.Label()
		}
	}
	switch n := len(seen); n {
	case 0:
		return nil
	case 1:
		return []string{"1 hook in this project is waiting for approval; to approve it, run " + approval.RemedyCommand("approve", name)}
	default:
		return []string{fmt.Sprintf("%d hooks in this project are waiting for approval. To see them, run checkrein hooks list. To approve them, run checkrein hooks approve --all", n)}
	}
}

// maxNamedHooks is how many hooks of a file notices name one by one.
const maxNamedHooks = 3

// unapprovedNotices returns notices about hooks that were skipped because they are not approved. If a
// file has many of them, it returns one notice for the file.
func unapprovedNotices(steps []engine.Step) []string {
	var files []string
	byFile := map[string][]*engine.Step{}
	for i := range steps {
		s := &steps[i]
		if s.Skipped == "" || s.Hook.Off != "" || !s.Unapproved {
			continue
		}
		file := s.Hook.From.File
		if hasHookFolders(s.Hook.Dialect) { // each hook has its own file, so group them by directory
			file = filepath.Dir(filepath.Dir(file))
		}
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], s)
	}
	var out []string
	for _, file := range files {
		list := byFile[file]
		if len(list) > maxNamedHooks {
			out = append(out, fmt.Sprintf("%d hooks in %s did not run because they are not approved. To see them, run checkrein hooks list. To approve them, run checkrein hooks approve --all", len(list), file))
			continue
		}
		for _, s := range list {
			if s.Hook.Broken != "" {
				out = append(out, fmt.Sprintf("hook %q in %s is broken and not approved, so it is ignored: %s", s.Hook.Label(), s.Hook.From, firstErrorLine(errors.New(s.Hook.Broken))))
				continue
			}
			out = append(out, fmt.Sprintf("hook %q did not run: %s", s.Hook.Label(), s.Skipped))
		}
	}
	return out
}
