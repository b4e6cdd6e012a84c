package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/fleet/machine"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
	"github.com/checkrein/checkrein/internal/text/visible"
	"github.com/spf13/cobra"
)

// passAnswers runs fleet-answer as the account user, or as this account if own is set.
func passAnswers(ctx context.Context, env *console.Env, own bool, user string, answers []protocol.SignedAnswer) (p protocol.Pending, err error) {
	input, err := json.Marshal(answers)
	if err != nil {
		return p, err
	}
	cmd := exec.CommandContext(ctx, env.Program, "fleet-answer")
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.WaitDelay = env.Environ, "/", bytes.NewReader(input), time.Second
	if !own {
		who, err := findAccount(user)
		if err != nil {
			return p, err
		}
		cmd.Env, cmd.Dir = base.AccountEnviron(env, who.Home), who.Home
		base.RunAs(cmd, who.UID, who.GID)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return p, err
	}
	err = json.NewDecoder(io.LimitReader(out, protocol.MaxPendingBody)).Decode(&p)
	if err != nil {
		_ = cmd.Process.Kill()
	}
	return p, errors.Join(cmd.Wait(), err)
}

// findAccount returns the account of this machine with this name.
func findAccount(name string) (*machine.Account, error) {
	list, err := machine.Accounts()
	for i := range list {
		if list[i].Name == name {
			return &list[i], err
		}
	}
	return nil, errors.Join(err, fmt.Errorf("no account %s has used checkrein", name))
}

// AnswerCommand returns the fleet-answer command, which takes answers of approvers for this account and
// prints what waits. It needs no ticket: what it prints is no secret, and answers are signed.
func AnswerCommand(env *console.Env) *cobra.Command {
	return &cobra.Command{
		Use: "fleet-answer", Short: "Take answers of a fleet's approvers, for fleet-agent", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			var answers []protocol.SignedAnswer
			if err := json.NewDecoder(env.Stdin).Decode(&answers); err != nil {
				return base.AsFailure(err)
			}
			desk, err := approvals.New(approvals.Options{Person: base.PersonName(), Now: env.Now, Open: func(dir string) (*app.Kit, error) {
				return base.OpenKit(env, app.Options{Dir: dir, FilesByPlace: true, ReadOnly: true})
			}})
			if err != nil {
				return base.AsFailure(err)
			}
			out := protocol.Pending{Approvals: []grant.Approval{}}
			for i := range answers {
				taken := protocol.Taken{ID: answers[i].ID}
				f, err := ownFleet(env)
				if err == nil {
					_, err = desk.AnswerFleet(f, &answers[i])
				}
				if err != nil {
					taken.Why = err.Error()
				}
				out.Taken = append(out.Taken, taken)
			}
			list, err := desk.List()
			if err != nil {
				return base.AsFailure(err)
			}
			for _, a := range list[:min(len(list), protocol.MaxPending)] {
				out.Approvals = append(out.Approvals, *a)
			}
			return base.AsFailure(json.NewEncoder(env.Stdout).Encode(&out))
		},
	}
}

// ownFleet returns the fleet whose approvers may answer for this account: the one that root joined or, if
// there is none, that of the account.
func ownFleet(env *console.Env) (*approvals.Fleet, error) {
	e, err := machine.Read(dir(env, false))
	own := errors.Is(err, machine.ErrNotEnrolled)
	if own {
		e, err = machine.Read(dir(env, true))
	}
	if err != nil {
		return nil, err
	}
	key, err := e.HubKey()
	return &approvals.Fleet{Machine: e.Machine, Key: key, Advisory: own || e.Advisory}, err
}

// approvalsCommand returns the fleet approvals command.
func approvalsCommand(env *console.Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "approvals", Short: "List the blocked calls on all machines that wait for an answer",
		Long: `List the blocked calls on all machines that wait for an answer, with what they would do and the agent's
reason. Bundles with "approvals": true in bundle.json let machines send them.`,
		Args: cobra.NoArgs,
		RunE: withLogin(env, func(ctx context.Context, l *login, _ []string) error {
			list, err := listApprovals(ctx, l)
			if err != nil {
				return err
			}
			if asJSON {
				return base.PrintJSON(env, list)
			}
			printApprovals(env, list)
			return nil
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, including calls that have an answer")
	return cmd
}

func listApprovals(ctx context.Context, l *login) (list []protocol.Approval, err error) {
	return list, l.call(ctx, http.MethodGet, protocol.PathApprovals, nil, &list)
}

// printApprovals prints the approvals that take an answer. Their texts come from machines.
func printApprovals(env *console.Env, list []protocol.Approval) {
	w := tabwriter.NewWriter(env.Stdout, 0, 0, 2, ' ', 0)
	row := func(name string, texts ...string) {
		if text := strings.Join(texts, " "); strings.TrimSpace(text) != "" {
			fmt.Fprintf(w, "  %s\t%s\n", name, visible.EscapeLine(text))
		}
	}
	open := 0
	for i := range list {
		a := &list[i]
		if !a.IsOpen() {
			continue
		}
		open++
		c := &a.Call
		fmt.Fprintf(w, "%s\t%s\n", a.ID, visible.EscapeLine(fmt.Sprintf("%s of %s, %s, %s", c.Host, a.User, a.Name, c.Blocked.In(base.Zone(env)).Format(time.DateTime))))
		row("call", c.Call)
		for line := range strings.Lines(c.Whole) {
			row("in full", strings.TrimSpace(line))
		}
		row("in", c.Dir)
		row("agent says", c.Stated)
		for _, r := range c.Why {
			row("blocked", base.OneLine(r.Reason), "["+r.Rule+"]")
		}
		for _, e := range c.Effects {
			row("does", e.Kind, "("+e.Impact+")", strings.Join(append(e.Paths, e.Hosts...), " "), e.On)
		}
		if a.Given != nil {
			row("answered", a.Given.Decision, "by "+a.Given.By+", which did not count:", a.Given.Why)
		}
	}
	w.Flush()
	if open == 0 {
		fmt.Fprintln(env.Stdout, "No call waits for an answer.")
	}
}

// answerCommand returns the fleet approve or the fleet deny command.
func answerCommand(env *console.Env, decision string) *cobra.Command {
	in := protocol.NewAnswer{Decision: decision}
	cmd := &cobra.Command{
		Use: "approve ID", Short: "Allow a blocked call on a machine once", Args: cobra.ExactArgs(1),
		Long: `Allow a call that fleet approvals lists, once and in its session. The hub signs your answer for that
machine and call; an agent that waits continues, and otherwise its next try passes.`,
	}
	if decision == grant.AnswerDeny {
		cmd.Use, cmd.Short, cmd.Args = "deny ID [WORDS...]", "Deny a blocked call on a machine, with words for the agent", cobra.MinimumNArgs(1)
		cmd.Long = `Deny a call that fleet approvals lists, with your words for the agent. For a day, the same call is denied
again.`
	} else {
		cmd.Flags().BoolVar(&in.Programs, "programs", false, "also lift decisions of programs, which may know more than checkrein")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in.Words = strings.Join(args[1:], " ")
		l, err := readLogin(env)
		if err != nil {
			return err
		}
		return answer(cmd.Context(), env, l, args[0], in)
	}
	return cmd
}

// takenWithin is how long the commands wait for the machine to take an answer.
const takenWithin = 10 * time.Second

// answer answers the approval id, and waits for what becomes of that on its machine.
func answer(ctx context.Context, env *console.Env, l *login, id string, in protocol.NewAnswer) error {
	find := func() (*protocol.Approval, error) {
		list, err := listApprovals(ctx, l)
		for i := range list {
			if list[i].ID == id {
				return &list[i], err
			}
		}
		return nil, errors.Join(err, base.AsRefusal(fmt.Errorf("no call with the number %s waits for an answer: checkrein fleet approvals lists those that do", visible.EscapeLine(id))))
	}
	a, err := find()
	if err != nil {
		return err
	}
	in.Digest = a.Call.Digest
	if err := l.call(ctx, http.MethodPost, protocol.PathApprovals+"/"+id, in, nil); err != nil {
		return err
	}
	for end := time.Now().Add(takenWithin); time.Now().Before(end) && err == nil; time.Sleep(100 * time.Millisecond) {
		switch a, err = find(); {
		case err != nil || a.Given == nil || a.Given.Taken.IsZero():
		case a.Given.Why != "":
			return base.AsRefusal(fmt.Errorf("the answer does not count on the machine: %s", visible.EscapeLine(a.Given.Why)))
		default:
			fmt.Fprintf(env.Stdout, "The machine has taken the answer: %s.\n", in.Decision)
			return nil
		}
	}
	fmt.Fprintln(env.Stdout, "The answer is on its way. The machine has not taken it yet, and may be offline.")
	return err
}
