package conduct

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/builtin"
	"github.com/checkrein/checkrein/internal/sys/environ"
)

const (
	gateOutput = 4096 // maximum length of a check's output, from its end
	gateLines  = 2000
	gateReply  = 100 << 10 // maximum length of the reply in a variable, since systems limit these

	replyVariable = "CHECKREIN_RESPONSE"
)

// gateScript passes the reply to the check on stdin, and prints the end of its output followed by its
// exit code, so that a failed check can be distinguished from one that could not run.
const gateScript = `{ printf %s "$` + replyVariable + `" | ( unset ` + replyVariable + `; exec "$@" ) 2>&1; printf '\n%d' "$?"; } | tail -c 4200`

// A qualityGate is a command that must succeed. A single element is a shell command; several are a
// program and its arguments.
type qualityGate []string

// NewQualityGate returns the builtin that keeps the agent working until a command succeeds, such as
// tests, a linter, or a check of the reply, which the command gets on stdin.
func NewQualityGate(args []string) (builtin.Func, error) {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return nil, errors.New(`needs the command that must pass, such as args: ["make test"]`)
	}
	return qualityGate(args).checkTurnEnd, nil
}

// checkTurnEnd runs the command and denies the end of the turn if it fails.
func (g qualityGate) checkTurnEnd(ctx context.Context, call builtin.Call) (checkrein.Verdict, error) {
	if !checkrein.ContractOf(call.Event.Kind).Can(checkrein.CanDeny) || call.Machine.Run == nil {
		return checkrein.Verdict{}, nil
	}
	out, code, err := g.runCheck(ctx, &call)
	out = strings.TrimSpace(out)
	switch {
	case err != nil:
		return checkrein.Verdict{}, fmt.Errorf("the check %q could not run: %w", g.shortCommand(), err)
	case code == 0:
		return checkrein.Verdict{}, nil
	case code == 126 || code == 127: // the check could not run, which is not the agent's fault
		return checkrein.Verdict{}, fmt.Errorf("the check %q could not run: %s", g.shortCommand(), out)
	case out == "":
		out = "it printed nothing"
	}
	why := fmt.Sprintf("the check `%s` must pass, but exited with %d", strings.ReplaceAll(g.shortCommand(), ": ", ":"), code)
	return builtin.SetRule(checkrein.Verdict{Decision: checkrein.Deny, Reason: "[quality] " + builtin.BlockedReason(why, out)}, "quality_gate/check", why), nil
}

// shortCommand returns the command on one line, shortened to maxQuote bytes.
func (g qualityGate) shortCommand() string {
	return strings.TrimSuffix(builtin.Truncate(strings.Join(strings.Fields(strings.Join(g, " ")), " "), maxQuote), "\n... (truncated)")
}

// runCheck runs the check and returns the end of its output and its exit code.
func (g qualityGate) runCheck(ctx context.Context, call *builtin.Call) (tail string, exitCode int, err error) {
	reply := finalReply(&call.Event)
	reply = strings.ReplaceAll(strings.TrimSuffix(builtin.Truncate(reply, gateReply), "\n... (truncated)"), "\x00", "")
	env := environ.Overlay(call.Environ, []environ.Var{{Name: replyVariable, Value: reply}})
	if runtime.GOOS == "windows" {
		argv := []string(g)
		if len(g) == 1 {
			argv = []string{"cmd", "/C", g[0]}
		}
		out, err := call.Machine.Run(ctx, call.Dir, env, argv...)
		if err != nil && ctx.Err() == nil {
			return outputEnd(builtin.ValidUTF8(out)), 1, nil // a program that did not start cannot be distinguished
		}
		return outputEnd(builtin.ValidUTF8(out)), 0, err
	}
	argv := []string{"/bin/sh", "-c", gateScript, "check"}
	if len(g) == 1 {
		argv = append(argv, "/bin/sh", "-c")
	}
	out, err := call.Machine.Run(ctx, call.Dir, env, append(argv, g...)...)
	if err != nil {
		return "", 0, err
	}
	text := builtin.ValidUTF8(out)
	at := strings.LastIndexByte(text, '\n')
	code, err := strconv.Atoi(text[at+1:])
	if err != nil || at < 0 {
		return "", 0, errors.New("its exit code is unknown")
	}
	return outputEnd(text[:at]), code, nil
}

// outputEnd returns the end of the output s, in whole lines if it is shortened.
func outputEnd(s string) string { return builtin.Tail(s, gateOutput, gateLines) }
