package kit

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/engine"
)

// tell adds to an outcome what the person must know beside the verdict: what is
// wrong with this machine, which hooks did not run for want of approval, which
// approved gates are gone, how many hooks wait for approval when the agent is done,
// which hosts do not call us any more, and what the host was seen not to do. Each thing is said once a session.
func (k *Kit) tell(ev *checkrein.Event, out *engine.Outcome, v *view, shadow string) {
	k.told.Do(func() { out.Verdict.Notice = append(out.Verdict.Notice, k.notes...) })
	out.Verdict.Notice = append(out.Verdict.Notice, k.news(ev, k.Misread())...)
	if k.standing.foreign {
		out.Verdict.Notice = append(out.Verdict.Notice, k.strange(ev)...)
		return
	}
	var ill []string
	if said := k.trouble.Swap(nil); said != nil {
		ill = []string{*said}
	}
	news := k.news(ev, slices.Concat(mistakes(out), k.brokenFolders(), notRun(out.Steps), v.gone, k.guardNews(shadow), k.waiting(ev, v), ill, doubtNews(ev, out)))
	out.Verdict.Notice = append(out.Verdict.Notice, news...)
	out.Verdict.Notice = append(out.Verdict.Notice, k.unwired(ev)...)
	out.Verdict.Notice = append(out.Verdict.Notice, k.unproven(ev)...)
	out.Verdict.Notice = append(out.Verdict.Notice, k.sumUp(ev)...)
}

// news is [memory.news] for the session of an event.
func (k *Kit) news(ev *checkrein.Event, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return k.memory.news(toldKey(ev), lines)
}

// toldKey names a session for [memory.news]; "" = it has no name.
func toldKey(ev *checkrein.Event) string {
	if ev.Session.ID == "" {
		return ""
	}
	return sessionKey(ev)
}

// fewHooks is how many hooks of a file are named one by one.
const fewHooks = 3

// notRun says which hooks were skipped because nobody approved them; many of
// one file in one line.
func notRun(steps []engine.Step) []string {
	var files []string
	var byFile map[string][]*engine.Step // none of them mostly
	for i := range steps {
		s := &steps[i]
		if s.Skipped == "" || s.Hook.Off != "" || !s.Unapproved {
			continue
		}
		file := s.Hook.From.File
		if folders(s.Hook.Dialect) { // a file each: their directory stands for them
			file = filepath.Dir(filepath.Dir(file))
		}
		if byFile == nil {
			byFile = map[string][]*engine.Step{}
		}
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], s)
	}
	var out []string
	for _, file := range files {
		list := byFile[file]
		if len(list) > fewHooks {
			out = append(out, fmt.Sprintf("%d hooks in %s did not run because they are not approved. To see them, run checkrein hooks list. To approve them, run checkrein hooks approve --all", len(list), file))
			continue
		}
		for _, s := range list {
			if s.Hook.Broken != "" {
				out = append(out, fmt.Sprintf("hook %q in %s is broken and not approved, so it is ignored: %s", s.Hook.Label(), s.Hook.From, firstOf(errors.New(s.Hook.Broken))))
				continue
			}
			out = append(out, fmt.Sprintf("hook %q did not run: %s", s.Hook.Label(), s.Skipped))
		}
	}
	return out
}

// news returns those of the given lines that the person has not been told in
// this session, and notes that they are now. Without a session id everything is
// news.
func (m *memory) news(id string, lines []string) []string {
	if id == "" || len(lines) == 0 {
		return lines
	}
	key := "told\x00" + id
	var s session
	if ok, _ := m.store.Get(key, &s); ok {
		lines = slices.DeleteFunc(lines, func(l string) bool { return slices.Contains(s.Told, l) })
	}
	if len(lines) == 0 {
		return nil
	}
	if m.frozen {
		return lines
	}
	_ = m.store.Update(key, &s, func() error { // else it is said again
		s.Told = append(s.Told, lines...)
		s.Told = s.Told[max(0, len(s.Told)-maxTold):]
		return nil
	})
	return lines
}

// maxTold bounds what is remembered of one session.
const maxTold = 200
