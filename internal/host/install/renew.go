package install

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// This file renews entries in the files of hosts that run only what the person has
// trusted, and say nothing about the rest. There an entry that runs stays until the
// one that is to follow it runs too. Codex knows entries by their places besides, so
// nothing moves there: an empty group keeps the place of one that went.

// renew puts the entry of an event behind older ones that run, and takes those away
// once it runs itself. Not done = none runs, so what is there may be replaced.
func (f *JSONForm) renew(doc *jsonDoc, events *jsonObject, list *hujson.Array, w Entry) (changed, done bool) {
	a := f.ages(list, w)
	switch {
	case a.newRuns:
		kept := false
		f.filterOwn(list, func(in *hujson.Array, i int, group *hujson.Value) bool {
			e := f.readEntry(w.Event, list, in, i, group)
			switch {
			case e.same(&w) && f.Runs(e) && !kept:
				kept = true
				return true
			case i+1 < len(in.Elements): // someone's hook in its group would move
				return true
			}
			changed = true
			return false
		})
		return changed, true
	case a.oldRuns && a.new:
		return false, true
	case a.oldRuns:
		doc.append(list, events.depth+1, f.listElement(EncodeObject(f.Hook(w))))
		return true, true
	}
	return false, false
}

// ages describes what there is of an event: the entry that is wanted, older ones, and
// which of them run.
type ages struct{ new, newRuns, old, oldRuns bool }

func (f *JSONForm) ages(list *hujson.Array, w Entry) (a ages) {
	f.filterOwn(list, func(in *hujson.Array, i int, group *hujson.Value) bool {
		e := f.readEntry(w.Event, list, in, i, group)
		a.add(&e, &w, f.Runs)
		return true
	})
	return a
}

func (a *ages) add(e, want *Entry, runs func(Entry) bool) {
	switch {
	case e.same(want):
		a.new, a.newRuns = true, a.newRuns || runs(*e)
	default:
		a.old, a.oldRuns = true, a.oldRuns || runs(*e)
	}
}

// same reports whether an entry is as it is wanted.
func (e *Entry) same(want *Entry) bool { return e.Command == want.Command && e.Timeout == want.Timeout }

// placeMark is the matcher of a group that stands for one that we took away, so
// that those behind it keep their places. It has no hook.
const placeMark = "checkrein-keeps-this-place"

func emptyPlace() hujson.ValueTrimmed {
	v, err := hujson.Parse([]byte(`{"matcher": "` + placeMark + `", "hooks": []}`))
	if err != nil {
		panic(err) // we made it
	}
	return v.Value
}

// dropPlaces removes the groups that only keep places.
func dropPlaces(list *hujson.Array) bool {
	before := len(list.Elements)
	for i := 0; i < len(list.Elements); i++ {
		if stringMember(&list.Elements[i], "matcher") == placeMark {
			removeElement(list, i)
			i--
		}
	}
	return len(list.Elements) != before
}

// A trusting form is one of a host that runs what the person has trusted; nil = it
// runs any.
type trusting interface {
	Form
	running() func(Entry) bool
}

func (f *JSONForm) running() func(Entry) bool { return f.Runs }

// pending are the events of a text whose older entries run until the person trusts
// the new ones, and those whose older ones run although the new ones do.
func pending(f trusting, src []byte, want []Entry) (waits, spare []string) {
	have, err := f.Find(src)
	if err != nil {
		return nil, nil
	}
	for _, w := range want {
		var a ages
		for _, e := range have {
			if e.Event == w.Event {
				a.add(&e, &w, f.running())
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

// sayRenewal reports what became of older entries in a file.
func (p *Plan) sayRenewal(f File, before, after []byte) {
	form, ok := f.Form.(trusting)
	if !ok || form.running() == nil {
		return
	}
	if waits, _ := pending(form, after, f.Want); len(waits) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("the older lines that you trusted stay active until you trust the new ones (%s): %s, then run checkrein install %s again to remove the older ones. Until then, both run, and every event is recorded twice", strings.Join(waits, ", "), f.Trust, p.Host))
	}
	if _, spare := pending(form, before, f.Want); len(spare) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("you have trusted the new lines, so the older ones will be removed (%s)", strings.Join(spare, ", ")))
	}
}
