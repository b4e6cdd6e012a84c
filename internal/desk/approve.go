package desk

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/rawjson"
	"github.com/checkrein/checkrein/internal/trust"
	"github.com/checkrein/checkrein/kit"
	"github.com/spf13/cobra"
)

// A target is what a command line names: a hook, or with --all all hooks that
// fit.
type target struct {
	event string // "" = any
	name  string
	any   bool // whatever its name
	all   bool // however many
}

// readTarget reads [EVENT] COMMAND|ID.
func readTarget(args []string, all bool) (target, error) {
	switch len(args) {
	case 0:
		if all {
			return target{any: true, all: true}, nil
		}
	case 1:
		return target{name: args[0], all: all}, nil
	case 2:
		kind, ok := checkrein.KindOf(args[0])
		if ok {
			return target{event: kind.String(), name: args[1], all: all}, nil
		}
		if strings.HasPrefix(args[0], "native:") {
			return target{event: args[0], name: args[1], all: all}, nil
		}
		return target{}, fmt.Errorf("unknown event %q", args[0])
	}
	return target{}, errors.New("name one hook: [EVENT] COMMAND|ID, or --all")
}

// is reports whether the command line means the hook with this id. What was
// printed of the id is as good as the id itself.
func (t target) is(event, id, shows string) bool {
	return (t.event == "" || t.event == event) &&
		(t.any || t.name == id || t.name == trust.VisibleLine(id) || strings.TrimSpace(t.name) == strings.TrimSpace(shows) ||
			t.name == strings.TrimPrefix(shows, "POST ")) // an address is approved by itself
}

func (t target) isHook(h *checkrein.Hook) bool {
	event, shows := trust.EventOf(h), kit.Shows(h)
	return t.is(event, h.ID, shows) || t.is(event, h.Label(), shows)
}

// one refuses when the command line means several: a person who names one hook
// must not decide about others.
func (t target) one(places []string) error {
	if t.all || len(places) < 2 {
		return nil
	}
	return refused(fmt.Errorf("%d hooks are called that: name the EVENT, or the file with -c FILE, or say --all to mean all of them\n  %s",
		len(places), strings.Join(places, "\n  ")))
}

// refused is exit code 4. The error may quote files.
func refused(err error) error {
	if text := err.Error(); trust.Visible(text) != text {
		err = errors.New(trust.Visible(text))
	}
	return &exit{code: console.Refused, err: err}
}

// approveFlags are what the command line of approve asks for.
type approveFlags struct {
	projectFlags
	all, dryRun, full bool
}

func approveCommand(env *console.Env) *cobra.Command {
	var f approveFlags
	cmd := &cobra.Command{
		Use: "approve [-c FILE] (--all | [--all] [EVENT] COMMAND|ID)", Short: "Let hooks that came with a project run, exactly as they are now",
		Long: `Let hooks that came with a project run, exactly as they are now. The approval covers
the hook's definition and all files that its command names, unless output is only
redirected to them. When any of these changes, the hook does not run until it is
approved again.

What is approved is shown: all of it the first time, and after that what changed since the
last approval. --dry-run shows it and approves nothing. The bytes that are shown are the
bytes that are approved, also when a file changes meanwhile.

An agent cannot approve: the command is refused below a running agent host, unless
self_approve: true stands in your own checkrein.yaml.`,
		Example: `  checkrein hooks approve --dry-run --all   # look first
  checkrein hooks approve --all
  checkrein hooks approve ./scripts/validate.sh
  checkrein hooks approve pre_tool_use no-force-push
  checkrein hooks approve native:FileChanged format
  checkrein hooks approve -- '-a name that begins with a dash'`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := readTarget(args, f.all)
			if err != nil {
				return err
			}
			if !f.dryRun {
				if err := byPerson(env, byHandOrLeft); err != nil {
					return err
				}
			}
			k, err := f.open(env)
			if err != nil {
				return err
			}
			return approve(env, k, t, &f)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "every hook that needs approval, or every one that is called so")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "show what would be approved, approve nothing")
	cmd.Flags().BoolVar(&f.full, "full", false, "show all of it, however long")
	return cmd
}

func approve(env *console.Env, k *kit.Kit, t target, f *approveFlags) error {
	var places []string
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; k.NeedsApproval(h) && !isFile(h) && t.isHook(h) {
			places = append(places, place(trust.EventOf(h), h.Label(), h.From.String()))
		}
	}
	if err := t.one(places); err != nil {
		return err
	}
	review, err := k.Review(t.isHook)
	if err != nil {
		return refused(err)
	}
	if err := errors.Join(review.Unsound()...); err != nil {
		return refused(err)
	}
	items := review.Items()
	if len(items) == 0 {
		return refused(errors.New("no such hook needs approval: checkrein hooks list shows what there is"))
	}
	done := "would approve "
	if !f.dryRun {
		if _, err := review.Approve(nil); err != nil {
			return refused(err)
		}
		done = "approved "
	}
	show := showing{full: f.full, zone: zone(env)}
	for i := range items {
		it := &items[i]
		fmt.Fprintln(&show, done, place(it.Approval.Event, it.Approval.ID, it.Approval.File))
		show.item(k.Root(), it)
	}
	io.WriteString(env.Stdout, show.String())
	if f.dryRun {
		fmt.Fprintln(env.Stdout, "nothing was approved (--dry-run)")
	}
	if !k.On() {
		fmt.Fprintln(env.Stderr, "hooks are off: switch them on with: checkrein hooks on")
	}
	return nil
}

// leaves says what an http hook sends beside the event, and where it may.
func leaves(h *checkrein.Hook) []string {
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
		out = append(out, "may call addresses of this machine and its network")
	}
	return out
}

// place is one line that says which hook is meant.
func place(event, id, where string) string {
	return trust.VisibleLine(event) + "  " + trust.VisibleLine(id) + "  " + trust.VisibleLine(where)
}

func revokeCommand(env *console.Env) *cobra.Command {
	var at projectFlags
	var all bool
	cmd := &cobra.Command{
		Use: "revoke [-c FILE] (--all | [--all] [EVENT] COMMAND|ID)", Short: "Take an approval of this project back",
		Example: `  checkrein hooks revoke no-force-push
  checkrein hooks revoke -c config/shell_hooks.yaml no-force-push`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			t, err := readTarget(args, all)
			if err != nil {
				return err
			}
			if err := byPerson(env, byHand); err != nil {
				return err
			}
			k, err := at.open(env)
			if err != nil {
				return err
			}
			return revoke(env, k, t, absolute(env, at.files))
		},
	}
	at.register(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "every approval of this project, or of every hook that is called so")
	return cmd
}

// revoke takes approvals back: of the given files, else of this project's, and
// never another's.
func revoke(env *console.Env, k *kit.Kit, t target, files []string) error {
	ours := ourFiles(k, files)
	var found []kit.Approval
	_, err := k.Revoke(func(a kit.Approval) bool {
		if ours(a.File) && t.is(a.Event, a.ID, a.Shows) {
			found = append(found, a)
		}
		return false // first look, then act
	})
	if err != nil {
		return refused(err)
	}
	var places []string
	for _, a := range found {
		places = append(places, place(a.Event, a.ID, whereIs(k, a)))
	}
	if err := t.one(places); err != nil {
		return err
	}
	done, err := k.Revoke(func(a kit.Approval) bool {
		return slices.ContainsFunc(found, func(b kit.Approval) bool { return sameApproval(a, b) })
	})
	if err != nil {
		return refused(err)
	}
	if len(done) == 0 {
		return refused(errors.New("no such approval in this project: checkrein hooks list shows what there is"))
	}
	for _, a := range done {
		fmt.Fprintln(env.Stdout, "revoked ", place(a.Event, a.ID, a.File))
	}
	return nil
}

// ourFiles tells the files whose approvals are this project's to revoke.
func ourFiles(k *kit.Kit, given []string) func(file string) bool {
	if len(given) == 0 {
		for _, f := range k.Files() {
			given = append(given, f.Path)
		}
		root := trust.Real(k.Root())
		return func(file string) bool {
			return k.Root() != "" && trust.Within(root, file) || isOneOf(k, file, given)
		}
	}
	return func(file string) bool { return isOneOf(k, file, given) }
}

func isOneOf(k *kit.Kit, file string, files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return trust.FileName(k.Root(), f) == file })
}

// whereIs says where an approved hook stands, with the line if it is there now.
func whereIs(k *kit.Kit, a kit.Approval) string {
	hooks := k.Hooks()
	for i := range hooks {
		if h := &hooks[i]; h.ID == a.ID && trust.EventOf(h) == a.Event && trust.FileName(k.Root(), h.From.File) == a.File {
			return h.From.String()
		}
	}
	return a.File
}

func sameApproval(a, b kit.Approval) bool {
	return a.File == b.File && a.Event == b.Event && a.ID == b.ID && a.Shows == b.Shows && a.At.Equal(b.At)
}
