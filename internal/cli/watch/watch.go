// Package watch is the command watch: what agents do, live in the terminal.
package watch

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/serve"
	"github.com/checkrein/checkrein/internal/desk/approvals"
	"github.com/checkrein/checkrein/internal/desk/feed"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/spf13/cobra"
)

// Command returns the watch command. run runs the commands that keys stand for.
func Command(env *console.Env, run serve.Program) *cobra.Command {
	all, since := false, ""
	lists, flags := map[string]*[]string{}, map[string]*bool{}
	cmd := &cobra.Command{
		Use: "watch", Short: "Show what agents do, live, and answer what was blocked",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			values := url.Values{"calls": {fmt.Sprint(!all)}}
			for name, list := range lists {
				values[name] = *list
			}
			for name, is := range flags {
				values.Set(name, fmt.Sprint(*is))
			}
			if since != "" {
				values.Set("since", since)
			}
			opts, err := feed.ParseOptions(values, env.Now())
			if err != nil {
				return err
			}
			return watch(cmd.Context(), env, run, opts)
		},
	}
	for _, p := range feed.Parameters() {
		switch {
		case p.Name == "calls":
		case p.IsFlag():
			flags[p.Name] = cmd.Flags().Bool(p.Name, false, p.About)
		default:
			lists[p.Name] = cmd.Flags().StringArray(p.Name, nil, p.About+"; repeatable")
		}
	}
	cmd.Flags().StringVar(&since, "since", "", "begin at this `TIME`, such as 2h or yesterday")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "show all events, not only calls before they run and what is remarkable")
	return cmd
}

// watch shows the rows that opts select until the user quits, or until ctx ends.
func watch(ctx context.Context, env *console.Env, run serve.Program, opts feed.Options) error {
	dir, err := base.StateDir(env)
	if err != nil {
		return err
	}
	sub, err := feed.New(dir.Path(ledger.Folder)).Subscribe(opts)
	if err != nil {
		return base.AsFailure(err)
	}
	defer sub.Close()
	out := base.Screen(env, env.Stdout)
	if !base.IsTerminal(env.Stdin) || !base.IsTerminal(env.Stdout) || base.Getenv(env)("TERM") == "dumb" {
		return printRows(ctx, sub, out, base.Zone(env))
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	s := &screen{env: env, run: run, out: out, zone: base.Zone(env), isNewest: true, ctx: ctx}
	// ctx ends with signals. A handler of their own could wait for ever to pass one on after ctx has ended.
	p := tea.NewProgram(s, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(env.Stdin), tea.WithOutput(env.Stdout), tea.WithEnvironment(env.Environ))
	go func() {
		for {
			b, err := sub.Next(ctx)
			if err != nil {
				return
			}
			p.Send(b)
		}
	}()
	if _, err := p.Run(); err != nil && ctx.Err() == nil {
		return base.AsFailure(err)
	}
	return nil
}

// printRows prints rows as lines, for programs that read them, until ctx ends or the reader does.
func printRows(ctx context.Context, sub *feed.Subscription, out *term.Screen, zone *time.Location) error {
	for {
		b, err := sub.Next(ctx)
		if err != nil {
			return nil
		}
		if b.Dropped > 0 {
			out.Line(term.T(term.Faint, term.FormatCount(b.Dropped, "event")+" left out"))
		}
		for i := range b.Rows {
			out.Line(rowSpans(zone, &b.Rows[i])...)
		}
		if err := out.Err(); err != nil {
			return err
		}
	}
}

// answerStyles has the colours of answers.
var answerStyles = map[string]term.Style{feed.Denied: term.Bad, feed.Asked: term.Warn, feed.Contained: term.Name, feed.Saved: term.Name}

// rowSpans returns the line of r.
func rowSpans(zone *time.Location, r *feed.Row) []term.Span {
	answer, handle := r.Answer, r.Handle
	if approvals.IsPolicyHandle(handle) { // with which nothing can be allowed
		handle = ""
	}
	if r.Kind != ledger.KindEvent {
		answer = "person"
	}
	pad := func(text string, width int) string {
		return text + strings.Repeat(" ", max(1, width-term.Columns(text)))
	}
	what := r.Call
	if what == "" {
		what = strings.TrimSpace(r.Event + " " + r.Tool)
	} else if r.Event != "pre_tool_use" {
		what = r.Event + ": " + what
	}
	line := []term.Span{term.T(term.Faint, r.Time.In(zone).Format(time.TimeOnly)+" "), term.T(answerStyles[answer], pad(answer, 10)), term.T(term.Faint, pad(r.Host, 9)), term.T(term.Name, pad(handle, 6)), term.P(what)}
	if r.Would != "" {
		line = append(line, term.T(term.Faint, "  (shadow: "+r.Would+")"))
	}
	if len(r.Rules) > 0 && r.Answer != feed.Passed {
		line = append(line, term.T(term.Faint, "  "+strings.Join(r.Rules, ", ")))
	}
	if r.Faults > 0 {
		line = append(line, term.T(term.Bad, "  "+term.FormatCount(r.Faults, "hook")+" failed"))
	}
	return line
}

// listPending returns the handles of the calls that wait for an answer.
func listPending(env *console.Env) map[string]bool {
	e := *env
	e.Stderr = new(strings.Builder) // notes about other files must not disturb the screen
	k, err := base.OpenKit(&e, app.Options{ReadOnly: true})
	if err != nil {
		return nil
	}
	blocks, _, _ := k.AnswerableBlocks()
	out := map[string]bool{}
	for _, b := range blocks {
		out[b.Handle] = true
	}
	return out
}

// pendingInterval is how often the handles are read again.
const pendingInterval = 2 * time.Second

// A command runs one of checkrein's commands while the screen is put aside.
type command struct {
	ctx  context.Context
	env  console.Env
	run  serve.Program
	args []string
}

// Run runs the command and waits until the user has read what it printed.
func (c *command) Run() error {
	c.env.Args = c.args
	fmt.Fprintln(c.env.Stdout, "\n$ checkrein "+strings.Join(c.args, " "))
	c.run(c.ctx, c.env)
	if !base.IsInterrupted(&c.env) {
		base.AskLine(&c.env, "\nPress Enter to go back ")
	}
	return nil
}
