package hooks

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// approveFlags holds the flags of the hooks approve command.
type approveFlags struct {
	base.ProjectFlags
	all, dryRun, full, yes, cannotTell bool
}

// approveCommand returns the hooks approve command.
func approveCommand(env *console.Env) *cobra.Command {
	var f approveFlags
	cmd := &cobra.Command{
		Use: "approve [-c FILE] (--all | [--all] [EVENT] COMMAND|ID)", Short: "Approve hooks that came with a project, exactly as they are now",
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := parseTarget(args, f.all)
			if err != nil {
				return err
			}
			if !f.dryRun {
				if err := base.RequirePerson(env, base.ByHandOrLeft); err != nil {
					return err
				}
			}
			k, err := f.Open(env)
			if err != nil {
				return err
			}
			return runApprove(env, k, t, &f)
		},
	}
	f.Register(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "approve every hook that needs approval, or every one with the given name")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be approved, but approve nothing")
	cmd.Flags().BoolVar(&f.full, "full", false, "show everything in full, however long")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask for confirmation")
	cmd.Flags().BoolVar(&f.cannotTell, "cannot-tell", false, "also approve hooks for which checkrein cannot tell which files they run")
	return cmd
}

// runApprove shows the hooks that t selects, asks the user, and approves them.
func runApprove(env *console.Env, k *app.Kit, t target, f *approveFlags) error {
	picked, err := selectUnapproved(k, t)
	if err != nil {
		return err
	}
	if len(picked) == 0 {
		return explainNothingToApprove(env, k, t, f.Files)
	}
	a := Approver{Env: env, Kit: k, dryRun: f.dryRun, full: f.full, cannotTell: f.cannotTell, By: Actor{Left: !f.dryRun && base.RequirePerson(env, base.ByHand) != nil}}
	if err := a.Review(func(h *checkrein.Hook) bool { return picked[KeyOf(k, h)] }); err != nil {
		return base.AsRefusal(err)
	}
	a.Show(env.Stdout)
	if f.dryRun {
		fmt.Fprintln(env.Stdout, "nothing was approved (--dry-run)")
		return a.UnapprovedError(len(a.Items))
	}
	if ask := base.Asker(env); ask != nil && !f.yes {
		if !a.Ask(ask, "Approve "+theseHooks(len(a.verifiable()))+", "+a.ShownAs("exactly as shown")+"?") {
			return base.AsRefusal(errors.New("nothing was approved"))
		}
	}
	done, err := a.Approve()
	if err != nil {
		return base.AsRefusal(err)
	}
	for _, d := range done {
		fmt.Fprintln(env.Stdout, "approved ", base.HookPlace(d.Event, d.ID, approvalFile(k, d.File)))
	}
	if !k.IsOn() {
		fmt.Fprintln(env.Stderr, "hooks are off. To switch them on, run checkrein hooks on")
	}
	return a.UnapprovedError(len(done))
}

// theseHooks returns "this hook" if n is 1, and "these n hooks" otherwise.
func theseHooks(n int) string {
	if n == 1 {
		return "this hook"
	}
	return fmt.Sprintf("these %d hooks", n)
}

// A HookKey identifies a hook of a kit, and the same hook in a review.
type HookKey struct {
	event, id, file, agent string
	line                   int
}

// KeyOf returns the key of h, a hook of k.
func KeyOf(k *app.Kit, h *checkrein.Hook) HookKey {
	return HookKey{approval.EventName(h), h.ID, approval.RealPath(k.FileOf(h)), h.From.Agent, h.From.Line}
}

// selectUnapproved returns the keys of the hooks that t selects among those that need approval.
func selectUnapproved(k *app.Kit, t target) (map[HookKey]bool, error) {
	var list []candidate
	var keys []HookKey
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; k.NeedsApproval(h) && !standsForFile(h) {
			list, keys = append(list, hookCandidate(h)), append(keys, KeyOf(k, h))
		}
	}
	picked, err := t.pick(list)
	out := map[HookKey]bool{}
	for i, is := range picked {
		if is {
			out[keys[i]] = true
		}
	}
	return out, err
}

// explainNothingToApprove prints that no hook needs approval, and why. It returns an error if no hook
// has the name in t or a file has errors.
func explainNothingToApprove(env *console.Env, k *app.Kit, t target, files []string) error {
	hooks := k.Hooks()
	there := slices.ContainsFunc(hooks, func(h checkrein.Hook) bool {
		c := hookCandidate(&h)
		return (t.event == "" || t.event == c.event) && (t.any || t.hasID(&c) || t.hasCommand(&c))
	})
	if !t.any && !there {
		return t.unknownError("no such hook needs approval")
	}
	var own []string
	for _, f := range k.Files() {
		if f.Err != nil {
			return base.AsRefusal(fmt.Errorf("%s has errors. To see them, run checkrein validate -c %s", f.Path, f.Path))
		}
		if len(files) > 0 && f.Scope == checkrein.ScopeUser {
			own = append(own, f.Path)
		}
	}
	why := "nothing needs approval"
	if len(own) > 0 {
		why += ": " + visible.EscapeLine(strings.Join(own, ", ")) + map[bool]string{true: " is", false: " are"}[len(own) == 1] +
			" outside any repository, so these hooks are your own, and they run no file from a repository"
	}
	fmt.Fprintln(env.Stdout, why)
	return nil
}

// httpDetails returns lines about what an http hook sends in addition to the event, and whether it may
// send to local networks. It returns nil for other hooks.
func httpDetails(h *checkrein.Hook) []string {
	if h.Run != "http" {
		return nil
	}
	var out []string
	headers, _ := rawjson.Get(h.With, "headers")
	rawjson.Each(headers, func(name string, val []byte) bool {
		text, _ := rawjson.Text(val)
		out = append(out, "sends header "+name+": "+text)
		return true
	})
	if local, _ := rawjson.Get(h.With, "allow_local"); string(local) == "true" {
		out = append(out, "may send requests to this machine and its local network")
	}
	return out
}

// An Approver approves hooks: it shows everything that would be approved, asks the user, approves the
// hooks whose files are known, and lists the others. Both hooks approve and run use it.
type Approver struct {
	Env        *console.Env
	Kit        *app.Kit
	dryRun     bool
	full       bool // show everything, however long
	cannotTell bool // also approve hooks whose files are unknown
	By         Actor

	review *app.Review
	Items  []approval.Item
	unseen []string // the parts that Show did not show
	Also   []int    // indexes of items with unknown files that the user approved
}

// Review reads what would be approved for the hooks that pick selects, and sets a.Items.
func (a *Approver) Review(pick func(*checkrein.Hook) bool) (err error) {
	if a.review, err = a.Kit.Review(pick); err == nil {
		a.Items = a.review.Items
	}
	return err
}

// verifiable returns the indexes of the items for which checkrein can tell which files they run.
func (a *Approver) verifiable() []int {
	return a.indexes(func(it *approval.Item) bool { return len(it.Unsure) == 0 })
}

// Unsure returns the indexes of the items for which checkrein cannot tell which files they run.
func (a *Approver) Unsure() []int {
	return a.indexes(func(it *approval.Item) bool { return len(it.Unsure) > 0 })
}

// indexes returns the indexes of the items for which is returns true.
func (a *Approver) indexes(is func(*approval.Item) bool) []int {
	var out []int
	for i := range a.Items {
		if is(&a.Items[i]) {
			out = append(out, i)
		}
	}
	return out
}

// Show prints to w everything that would be approved, items with unknown files last.
func (a *Approver) Show(w io.Writer) {
	show := reviewText{full: a.full, zone: base.Zone(a.Env), paint: base.Screen(a.Env, w)}
	for _, i := range slices.Concat(a.verifiable(), a.Unsure()) {
		it := &a.Items[i]
		head := "to approve "
		switch {
		case len(it.Unsure) > 0:
			head = "cannot verify "
		case a.dryRun:
			head = "would approve "
		}
		fmt.Fprintln(&show, head, placeOf(a.Kit, it))
		show.addItem(a.Kit, it)
	}
	a.unseen = show.hidden
	_, _ = io.WriteString(w, show.String())
}

// ShownAs returns as if Show showed everything, or else a phrase that lists what it did not show in
// full. Questions contain the result.
func (a *Approver) ShownAs(as string) string {
	if len(a.unseen) == 0 {
		return as
	}
	return "not shown in full (" + strings.Join(a.unseen, ", ") + ")"
}

// placeOf returns a line that identifies the hook of it.
func placeOf(k *app.Kit, it *approval.Item) string {
	return base.HookPlace(it.New.Event, it.New.ID, k.FileOf(it.Hook))
}

// Ask asks one question about all verifiable items, and then one about each of the others. It reports
// whether anything is to be approved.
func (a *Approver) Ask(ask func(string) bool, question string) bool {
	yes := len(a.verifiable()) == 0
	if !yes && !ask(question) {
		return false
	}
	any := !yes
	for _, i := range a.Unsure() {
		it := &a.Items[i]
		if ask(fmt.Sprintf("%s: checkrein cannot tell which files it runs, so it would not notice changes to them. Approve it anyway?", base.HookPlace(it.New.Event, it.New.ID, a.Kit.FileOf(it.Hook)))) {
			a.Also, any = append(a.Also, i), true
		}
	}
	a.cannotTell = false // the user was asked about each of them
	return any || len(a.Unsure()) == 0
}

// Approve approves the verifiable items, and those of the others that the user agreed to, and returns
// the approvals. It records the act first, and approves nothing if that fails.
func (a *Approver) Approve() ([]approval.Approval, error) {
	yes := func(it *approval.Item) bool {
		return len(it.Unsure) == 0 || a.cannotTell || slices.ContainsFunc(a.Also, func(i int) bool { return sameApproval(a.Items[i].New, it.New) })
	}
	var chosen []approval.Approval
	for i := range a.Items {
		if it := &a.Items[i]; yes(it) {
			chosen = append(chosen, it.New)
		}
	}
	if len(chosen) == 0 {
		return nil, nil
	}
	if err := RecordAct(a.Kit, "hooks approve", chosen, a.By); err != nil {
		return nil, err
	}
	return a.review.Approve(yes)
}

// An Actor is whoever runs a command about hooks. The zero Actor is a person.
type Actor struct {
	Left   bool   // an agent, which the setting self_approve allows
	Caller string // the channel through which the request came; "" = a command was run
}

// RecordAct records act, such as "hooks approve", in the ledger, with the hooks that it is about and
// the actor.
func RecordAct(k *app.Kit, act string, about []approval.Approval, by Actor) error {
	why := ""
	if by.Left {
		why = "an agent ran the command, as self_approve allows"
	}
	var files, hooks []string
	for _, a := range about {
		if f := approvalFile(k, a.File); !slices.Contains(files, f) {
			files = append(files, f)
		}
		hooks = append(hooks, a.Event+" "+a.ID)
	}
	if _, err := k.RecordAct(app.Act{Act: act, Call: strings.Join(files, ", "), Rules: hooks, By: base.PersonName(), Why: why, Caller: by.Caller}); err != nil {
		return fmt.Errorf("this action could not be recorded in the ledger: %w", err)
	}
	return nil
}

// UnapprovedError returns an error that lists the hooks that were not approved, with remedies, or nil
// if there are none. done is the number of approved hooks.
func (a *Approver) UnapprovedError(done int) error {
	var lines []string
	for _, err := range a.review.Unsound() {
		lines = append(lines, visible.EscapeText(err.Error()))
	}
	for _, i := range a.Unsure() {
		if it := &a.Items[i]; !a.cannotTell && !slices.Contains(a.Also, i) {
			lines = append(lines, fmt.Sprintf("%s: checkrein cannot tell which files it runs: %s (review it, then run %s)", visible.EscapeLine(it.Hook.From.String()), visible.EscapeLine(strings.Join(it.Unsure, "; ")),
				a.Kit.RemedyCommand("approve --cannot-tell", it.Hook)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	err := errors.New(base.Amount(len(lines), "hook") + " not approved:\n  " + strings.Join(lines, "\n  "))
	if done == 0 {
		return base.AsRefusal(err)
	}
	return &base.Exit{Code: console.Finding, Err: err}
}
