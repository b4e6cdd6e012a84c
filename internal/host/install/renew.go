package install

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// This file replaces entries in the files of hosts that run only entries that the user trusted and
// silently skip the others. An entry that runs stays until its successor runs too. Codex also
// identifies entries by their positions, so none may move: an empty group takes the place of a
// removed one.

// replaceTrusted adds the entry w after older entries of its event that the host runs, and removes
// those once it runs w. It reports done = false and changes nothing if the host runs neither.
func (f *JSONForm) replaceTrusted(doc *jsonDoc, events *jsonObject, list *hujson.Array, w Entry) (changed, done bool) {
	a := f.entryStates(list, w)
	switch {
	case a.newRuns:
		kept := false
		f.filterOwn(list, func(in *hujson.Array, i int, group *hujson.Value) bool {
			e := f.readEntry(w.Event, list, in, i, group)
			switch {
			case e.matches(&w) && f.Runs(e) && !kept:
				kept = true
				return true
			case i+1 < len(in.Elements): // a later hook in its group would move
				return true
			}
			changed = true
			return false
		})
		return changed, true
	case a.oldRuns && a.new:
		return false, true
	case a.oldRuns:
		doc.appendElement(list, events.depth+1, f.listElement(EncodeObject(f.Hook(w))))
		return true, true
	}
	return false, false
}

// An entryStates value describes the entries of an event: new is set if the wanted one exists, old if
// others do, and newRuns and oldRuns if the host runs them.
type entryStates struct{ new, newRuns, old, oldRuns bool }

// entryStates returns the states of checkrein's entries in list compared with the wanted entry w.
func (f *JSONForm) entryStates(list *hujson.Array, w Entry) (a entryStates) {
	f.filterOwn(list, func(in *hujson.Array, i int, group *hujson.Value) bool {
		e := f.readEntry(w.Event, list, in, i, group)
		a.addEntry(&e, &w, f.Runs)
		return true
	})
	return a
}

// addEntry records whether e is the entry want or an older one, and whether the host runs it.
func (a *entryStates) addEntry(e, want *Entry, runs func(Entry) bool) {
	switch {
	case e.matches(want):
		a.new, a.newRuns = true, a.newRuns || runs(*e)
	default:
		a.old, a.oldRuns = true, a.oldRuns || runs(*e)
	}
}

// matches reports whether e has the command and the timeout of want.
func (e *Entry) matches(want *Entry) bool {
	return e.Command == want.Command && e.Timeout == want.Timeout
}

// placeMark is the matcher of a group without hooks that replaces a removed group, so that later
// groups keep their positions.
const placeMark = "checkrein-keeps-this-place"

// emptyGroup returns a group whose only purpose is to keep the positions of later groups.
func emptyGroup() hujson.ValueTrimmed {
	v, err := hujson.Parse([]byte(`{"matcher": "` + placeMark + `", "hooks": []}`))
	if err != nil {
		panic(err) // the text is constant
	}
	return v.Value
}

// dropEmptyGroups removes the groups that only keep positions, and reports whether there were any.
func dropEmptyGroups(list *hujson.Array) bool {
	before := len(list.Elements)
	for i := 0; i < len(list.Elements); i++ {
		if stringMember(&list.Elements[i], "matcher") == placeMark {
			removeElement(list, i)
			i--
		}
	}
	return len(list.Elements) != before
}

// A trustingForm is the form of a file of a host that runs only entries that the user trusted.
type trustingForm interface {
	Form
	// runsFunc returns a function that reports whether the host runs an entry; nil = it runs all.
	runsFunc() func(Entry) bool
}

func (f *JSONForm) runsFunc() func(Entry) bool { return f.Runs }

// renewingEvents returns the events whose older entries run until the user trusts the new ones
// (waits), and those whose older entries still run although the new ones do too (spare).
func renewingEvents(f trustingForm, src []byte, want []Entry) (waits, spare []string) {
	have, err := f.Find(src)
	if err != nil {
		return nil, nil
	}
	for _, w := range want {
		var a entryStates
		for _, e := range have {
			if e.Event == w.Event {
				a.addEntry(&e, &w, f.runsFunc())
			}
		}
		switch {
		case a.oldRuns && a.newRuns:
			spare = append(spare, w.Event)
		case a.oldRuns && a.new:
			waits = append(waits, w.Event)
		}
	}
	return waits, spare
}

// noteRenewal adds notes to p about older entries in f that stay or are removed.
func (p *Plan) noteRenewal(f File, before, after []byte) {
	form, ok := baseForm(f.Form).(trustingForm)
	if !ok || form.runsFunc() == nil {
		return
	}
	if waits, _ := renewingEvents(form, after, f.Want); len(waits) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("the older lines stay active until you trust the new ones (%s): %s, then run checkrein install %s again to remove the older ones. After you trust the new lines and before you run that, both run, and every event is recorded twice", strings.Join(waits, ", "), f.Trust, p.Host))
	}
	if _, spare := renewingEvents(form, before, f.Want); len(spare) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("you have trusted the new lines, so the older ones will be removed (%s)", strings.Join(spare, ", ")))
	}
}
