package hooks

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/checkrein/checkrein/kit"
)

// An Approver is how hooks get approved: all is shown, the person is asked, and then
// what is sound is approved and the rest is named. The commands hooks approve and run
// both go this way.
type Approver struct {
	Env        *console.Env
	Kit        *kit.Kit
	dryRun     bool
	full       bool // show all of it, however long
	cannotTell bool // approve also what cannot be told
	By         Actor

	of     *kit.Review
	Items  []kit.Reviewed
	unseen []string // what was not shown of them
	Also   []int    // items that cannot be told and that the person said yes to
}

// Review reads what would be approved.
func (a *Approver) Review(pick func(*checkrein.Hook) bool) (err error) {
	if a.of, err = a.Kit.Review(pick); err == nil {
		a.Items = a.of.Items()
	}
	return err
}

// sound are the items of which it can be told which files they run.
func (a *Approver) sound() []int {
	return a.those(func(it *kit.Reviewed) bool { return len(it.Unsure) == 0 })
}

// Unsure are the other ones.
func (a *Approver) Unsure() []int {
	return a.those(func(it *kit.Reviewed) bool { return len(it.Unsure) > 0 })
}

func (a *Approver) those(is func(*kit.Reviewed) bool) []int {
	var out []int
	for i := range a.Items {
		if is(&a.Items[i]) {
			out = append(out, i)
		}
	}
	return out
}

// Show shows everything that would be approved.
func (a *Approver) Show(w io.Writer) {
	show := showing{full: a.full, zone: base.Zone(a.Env), paint: base.Screen(a.Env, w)}
	for _, i := range slices.Concat(a.sound(), a.Unsure()) {
		it := &a.Items[i]
		head := "to approve "
		switch {
		case len(it.Unsure) > 0:
			head = "cannot verify "
		case a.dryRun:
			head = "would approve "
		}
		fmt.Fprintln(&show, head, placeOf(a.Kit, it))
		show.item(a.Kit, it)
	}
	a.unseen = show.hidden
	_, _ = io.WriteString(w, show.String())
}

// ShownAs is how a question names what was shown, and what was not.
func (a *Approver) ShownAs(as string) string {
	if len(a.unseen) == 0 {
		return as
	}
	return "not shown in full (" + strings.Join(a.unseen, ", ") + ")"
}

// placeOf is one line that says which hook of a review is meant.
func placeOf(k *kit.Kit, it *kit.Reviewed) string {
	return base.HookPlace(it.Approval.Event, it.Approval.ID, k.FileOf(it.Hook))
}

// Ask asks for what is sound in one question, and for each of what cannot be told in
// one of its own. It reports whether there is anything to approve.
func (a *Approver) Ask(ask func(string) bool, question string) bool {
	yes := len(a.sound()) == 0
	if !yes && !ask(question) {
		return false
	}
	any := !yes
	for _, i := range a.Unsure() {
		it := &a.Items[i]
		if ask(fmt.Sprintf("%s: checkrein cannot tell which files it runs, so it would not notice changes to them. Approve it anyway?", base.HookPlace(it.Approval.Event, it.Approval.ID, a.Kit.FileOf(it.Hook)))) {
			a.Also, any = append(a.Also, i), true
		}
	}
	a.cannotTell = false // each was asked for
	return any || len(a.Unsure()) == 0
}

// Approve approves what is sound, and what cannot be told as far as it was asked for.
// It is on record before it is done.
func (a *Approver) Approve() ([]kit.Approval, error) {
	yes := func(it *kit.Reviewed) bool {
		return len(it.Unsure) == 0 || a.cannotTell || slices.ContainsFunc(a.Also, func(i int) bool { return sameApproval(a.Items[i].Approval, it.Approval) })
	}
	var chosen []kit.Approval
	for i := range a.Items {
		if it := &a.Items[i]; yes(it) {
			chosen = append(chosen, it.Approval)
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	if err := RecordAct(a.Kit, "hooks approve", chosen, a.By); err != nil {
		return nil, err
	}
	return a.of.Approve(yes)
}

// A Actor is who gives a command about hooks. The zero giver is a person.
type Actor struct {
	Left   bool   // an agent, since the person left it to agents
	Caller string // how it came, if not by a command
}

// RecordAct puts on record what somebody did about hooks.
func RecordAct(k *kit.Kit, act string, about []kit.Approval, by Actor) error {
	why := ""
	if by.Left {
		why = "an agent ran the command, as self_approve allows"
	}
	var files, hooks []string
	for _, a := range about {
		if f := ownFile(k, a.File); !slices.Contains(files, f) {
			files = append(files, f)
		}
		hooks = append(hooks, a.Event+" "+a.ID)
	}
	if _, err := k.Acted(kit.Act{Act: act, Call: strings.Join(files, ", "), Rules: hooks, By: base.PersonName(), Why: why, Caller: by.Caller}); err != nil {
		return fmt.Errorf("this action cannot be recorded in the ledger: %w", err)
	}
	return nil
}

// Unapproved names what was not approved, with what to do; nil = nothing was left out.
func (a *Approver) Unapproved(done int) error {
	var lines []string
	for _, err := range a.of.Unsound() {
		lines = append(lines, visible.Text(err.Error()))
	}
	for _, i := range a.Unsure() {
		if it := &a.Items[i]; !a.cannotTell && !slices.Contains(a.Also, i) {
			lines = append(lines, fmt.Sprintf("%s: checkrein cannot tell which files it runs: %s (review it, then run %s)", visible.Line(it.Hook.From.String()), visible.Line(strings.Join(it.Unsure, "; ")),
				a.Kit.Remedy("approve --cannot-tell", it.Hook)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	err := errors.New(base.Amount(len(lines), "hook") + " not approved:\n  " + strings.Join(lines, "\n  "))
	if done == 0 {
		return base.Refused(err)
	}
	return &base.Exit{Code: console.Finding, Err: err}
}
