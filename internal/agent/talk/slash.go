package talk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// A slashCommand is a command that the user types after a slash.
type slashCommand struct {
	name, args, about string
	do                func(t *Talk, ctx context.Context, run runner, arg string) error
}

// A runner runs a function whose context ends with Ctrl-C.
type runner func(func(context.Context) error)

func slashCommands() []slashCommand {
	return []slashCommand{
		{"hooks", "[list|on|off|approve|revoke|doctor] …", "list the hooks and which of them may run", func(t *Talk, ctx context.Context, run runner, arg string) error {
			args := append([]string{"hooks"}, strings.Fields(arg)...)
			if !t.opts.Terminal {
				return t.runCommand(ctx, nil, args...)
			}
			run(func(ctx context.Context) error { // meanwhile the next line may be an answer
				return t.runCommand(ctx, func(question string) bool { return t.askYesNo(ctx, question) }, args...)
			})
			return nil
		}},
		{"snapshots", "", "show what the agent changed, turn by turn", func(t *Talk, ctx context.Context, _ runner, _ string) error {
			return t.runCommand(ctx, nil, "snapshots", "list")
		}},
		{"undo", "", "undo the last turn that changed files", func(t *Talk, ctx context.Context, _ runner, _ string) error {
			return t.runCommand(ctx, nil, "snapshots", "undo")
		}},
		{"goal", "TEXT", "work until the goal is reached and no hook objects", func(t *Talk, _ context.Context, run runner, arg string) error {
			if arg == "" {
				return fmt.Errorf("the goal is missing: type /goal TEXT")
			}
			run(func(ctx context.Context) error { return t.rt.PursueGoal(ctx, arg) })
			return nil
		}},
		{"compact", "", "replace the conversation with a summary", func(t *Talk, _ context.Context, run runner, _ string) error {
			run(t.rt.Compact)
			return nil
		}},
		{"clear", "", "forget the conversation", func(t *Talk, ctx context.Context, _ runner, _ string) error {
			t.rt.Clear(ctx)
			t.screen.printNote("the conversation was forgotten")
			return nil
		}},
		{"yolo", "", "approve everything that no rule denies and no gate asks for; again to stop", func(t *Talk, _ context.Context, _ runner, _ string) error {
			t.toggleYolo()
			return nil
		}},
		{"cost", "", "show model calls, tokens and cost", func(t *Talk, _ context.Context, _ runner, _ string) error {
			t.showCost()
			return nil
		}},
		{"help", "", "show this list", func(t *Talk, _ context.Context, _ runner, _ string) error {
			t.showHelp()
			return nil
		}},
		{"exit", "", "end the session", func(*Talk, context.Context, runner, string) error { return errQuit }},
	}
}

// runSlash runs the slash command in line. It returns errQuit if the command ends the talk.
func (t *Talk) runSlash(ctx context.Context, working chan<- context.CancelCauseFunc, line string) error {
	name, arg, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	arg = strings.TrimSpace(arg)
	run := func(do func(context.Context) error) { t.runWork(ctx, working, do) }
	list := slashCommands()
	if i := slices.IndexFunc(list, func(s slashCommand) bool { return s.name == name || s.name == "exit" && name == "quit" }); i >= 0 {
		err := list[i].do(t, ctx, run, arg)
		if err != nil && err != errQuit {
			t.failed = t.failed || !t.opts.Terminal
			t.screen.printNote("%s", visible.EscapeText(err.Error()))
			return nil
		}
		return err
	}
	for _, c := range t.opts.Commands {
		if c.Name == name {
			run(func(ctx context.Context) error { return t.rt.Prompt(ctx, strings.TrimSpace(c.Prompt+" "+arg)) })
			return nil
		}
	}
	var names []string
	for _, s := range list {
		names = append(names, s.name)
	}
	t.failed = t.failed || !t.opts.Terminal
	t.screen.printNote("unknown command /%s%s", visible.EscapeLine(name), suggest.HintOr(name, names, "for a list, type /help"))
	return nil
}

// runCommand runs a command of checkrein, which may ask the user with ask.
func (t *Talk) runCommand(ctx context.Context, ask func(question string) bool, args ...string) error {
	if t.opts.Command == nil {
		return fmt.Errorf("/%s is not available here", args[0])
	}
	if code := t.opts.Command(ctx, ask, args...); code != 0 && !t.opts.Terminal {
		t.failed = true
	}
	return nil
}

func (t *Talk) toggleYolo() {
	on := !t.rt.Yolo()
	t.rt.SetYolo(on)
	if on {
		t.screen.printNote("auto-approval is on: only denials and questions of gates stop a call")
		return
	}
	t.screen.printNote("auto-approval is off")
}

func (t *Talk) showCost() {
	u := t.rt.Totals()
	price := fmt.Sprintf("$%.4f", u.Cost)
	if !u.Priced {
		price += " or more: some calls have no known price"
	}
	t.screen.printNote("model calls: %d, input tokens: %d, output tokens: %d, cost: %s", u.Calls, u.Input, u.Output, price)
}

func (t *Talk) showHelp() {
	for _, s := range slashCommands() {
		t.screen.printNote("  %-12s %s", "/"+s.name, s.about)
		if s.args != "" {
			t.screen.printNote("  %-12s   /%s %s", "", s.name, s.args)
		}
	}
	for _, c := range t.opts.Commands {
		t.screen.printNote("  %-12s %s", "/"+visible.EscapeLine(c.Name), visible.EscapeLine(c.Prompt))
	}
	if t.opts.Terminal {
		t.screen.printNote("  Anything else is a message to the agent, even while it works. Ctrl-C stops the agent; pressed twice, it ends the session.")
	}
}
