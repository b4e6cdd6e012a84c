package health

import (
	"errors"
	"fmt"
	"strings"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/approval/liveagents"
	"github.com/checkrein/checkrein/internal/approval/loosening"
	"github.com/checkrein/checkrein/internal/approval/person"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/canary"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/cli/hooks"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// unsealedMessage returns a message about the files that an older version left unsealed, and which of
// their contents count.
func unsealedMessage(names []string) message.Message {
	return message.New(fmt.Sprintf("an older version of checkrein left %s without a seal. Until you run a checkrein command yourself, in your own terminal, its approvals count, but hooks that it switched off are on, and its pause is over",
		strings.Join(names, ", ")))
}

// tamperedMessages returns a message for each file of the state directory that another program changed.
func tamperedMessages(env *console.Env, dir state.Dir) []message.Message {
	tampered, _ := dir.CheckSealed()
	var out []message.Message
	for _, err := range tampered {
		out = append(out, message.FromError(err))
	}
	book := base.Capabilities(env, dir)
	names, _ := dir.Names(capability.Folder) // without proofs there is no such directory
	for _, name := range names {
		if host, ok := strings.CutSuffix(name, ".json"); ok {
			if _, err := book.Load(host); err != nil {
				out = append(out, message.FromError(err))
			}
		}
	}
	if err := canary.CheckNote(dir); err != nil {
		out = append(out, message.FromError(err))
	}
	for _, line := range liveagents.DescribeTampering(dir) {
		out = append(out, message.New(line))
	}
	return out
}

// examineSeals adds findings to r about sealed files of the state directory that were changed or have
// no seal.
func examineSeals(env *console.Env, r *doctor.Report, dir state.Dir) {
	for _, m := range tamperedMessages(env, dir) {
		found := message.New(m.What, message.Do("find out what changed it")).With(m.Remedies...)
		r.Add("state-tampered", doctor.Finding{Message: found})
	}
	if _, unsealed := dir.CheckSealed(); len(unsealed) > 0 {
		r.Add("state-unsealed", doctor.Finding{Message: unsealedMessage(unsealed)})
	}
}

// AdoptUnsealed seals the files that an older version left unsealed, and prints what it sealed. It
// does so only if a person runs the command in their own terminal. Files that it cannot seal stay as
// they are.
func AdoptUnsealed(env *console.Env) {
	if person.CheckTerminal(env.Stdin, env.Stdout) != nil {
		return
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return
	}
	_, unsealed := dir.CheckSealed()
	if len(unsealed) == 0 || base.RequirePerson(env, base.AtTerminal) != nil {
		return
	}
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return
	}
	for _, name := range unsealed {
		text, err := adoptFile(dir, k, name)
		if err != nil {
			text = fmt.Sprintf("%s was not sealed: %v", dir.Path(name), err)
		}
		fmt.Fprintln(env.Stderr, "checkrein:", visible.EscapeLine(text))
	}
}

// adoptFile seals the file name, which an older version left unsealed, and returns a line about its
// contents. It removes the file of a pause instead.
func adoptFile(dir state.Dir, k *app.Kit, name string) (string, error) {
	did := "sealed " + dir.Path(name) + ", which an older version left without a seal: "
	switch name {
	case state.TrustFile:
		found, err := approval.ReadUnverified(dir)
		if err == nil {
			err = approval.Adopt(dir)
		}
		if err != nil {
			return "", err
		}
		text := did + term.FormatCount(len(found.Approvals), "approval")
		if found.Off {
			text += "; hooks are switched off in it: to switch them on, run checkrein hooks on"
		}
		if n := len(found.Disabled); n > 0 {
			text += "; " + term.FormatCount(n, "hook") + " disabled"
		}
		return text, nil
	case state.LoosenedFile:
		return did + "confirmed settings", loosening.Adopt(dir)
	case state.GrantsFile:
		return did + "grants", k.Grants().Adopt()
	}
	return "removed " + dir.Path(name) + ": the pause of an older version does not count", dir.RemoveSealed(name)
}

// reseal prints the approvals in files whose seal is broken or missing, and seals them again if the
// user agrees. It removes the other such files, since these can switch guards off.
func reseal(env *console.Env) error {
	if err := base.RequirePerson(env, base.AtTerminal); err != nil {
		return err
	}
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	book := ledger.Open(ledger.Options{Dir: dir, Now: env.Now})
	all, err := book.Generations()
	tampered, unsealed := dir.CheckSealed()
	if err == nil && len(tampered) == 0 && len(unsealed) == 0 && !all.AreLost() {
		fmt.Fprintln(env.Stdout, "every sealed file is as checkrein left it: nothing was changed")
		return nil
	}
	for _, err := range tampered {
		fmt.Fprintln(env.Stdout, visible.EscapeLine(err.Error()))
	}
	printApprovals(env, dir)
	fmt.Fprintln(env.Stdout, "Off switches, pauses, confirmed settings and grants in such files are discarded.")
	if !base.Confirm(env, "Are these approvals yours, and should they be sealed again?") {
		return base.AsRefusal(errors.New("nothing was changed"))
	}
	k, err := base.OpenKit(env, app.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	if err := hooks.RecordAct(k, "doctor --reseal", nil, hooks.Actor{}); err != nil {
		return base.AsRefusal(err)
	}
	if err := resealFiles(dir); err != nil {
		return base.AsFailure(err)
	}
	if err := book.AcceptGenerations(); err != nil {
		return base.AsFailure(err)
	}
	fmt.Fprintln(env.Stdout, "sealed: the approvals above count, and nothing is switched off or paused")
	return nil
}

// printApprovals prints the approvals in the file of approvals, even if its seal is broken or missing.
func printApprovals(env *console.Env, dir state.Dir) {
	found, err := approval.ReadUnverified(dir)
	switch {
	case err != nil:
		fmt.Fprintf(env.Stdout, "No approval can be read: %s. Approve your hooks again afterwards.\n", visible.EscapeLine(err.Error()))
	case found == nil || len(found.Approvals) == 0:
		fmt.Fprintf(env.Stdout, "%s has no approvals.\n", dir.Path(state.TrustFile))
	default:
		fmt.Fprintf(env.Stdout, "%s has %s:\n", dir.Path(state.TrustFile), term.FormatCount(len(found.Approvals), "approval"))
		for i := range found.Approvals {
			a := &found.Approvals[i]
			fmt.Fprintf(env.Stdout, "  %s\n    %s\n", base.HookPlace(a.Event, visible.EscapeLine(a.ID), visible.EscapeLine(a.File)), visible.EscapeLine(a.Runs))
		}
	}
}

// resealFiles seals the approvals again, and removes other files whose seal is broken or missing.
func resealFiles(dir state.Dir) error {
	for _, name := range state.SealedFiles() {
		_, unsealed, err := dir.ReadSealed(name, 8<<20)
		switch {
		case name == state.TrustFile && (unsealed || errors.Is(err, state.ErrTampered)):
			err = approval.Reseal(dir)
		case unsealed || errors.Is(err, state.ErrTampered):
			err = dir.RemoveSealed(name)
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
