// Package talk connects a user or a program to the runtime: with lines at a terminal, one prompt from
// the command line, lines from a pipe, or JSON.
package talk

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Options describe the input and output of a talk.
type Options struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // a user is at In and can be asked
	RawOut   bool // Out is not a terminal
	JSON     bool // every report is a line of JSON on Out
	Trace    bool // show the answer of each hook
	Prompt   string
	Session  string // the user's session; replies of other sessions are those of sub-agents
	Source   string // of session_start: startup or resume

	// Wake is ready if follow-ups came over HTTP; nil means that none can come. If it is set and there
	// is no terminal, the talk continues after the last line until a signal ends it.
	Wake <-chan struct{}

	Signals <-chan os.Signal // Ctrl-C
	Exit    func(int)        // ends the process if nothing else does

	Commands []team.Command // prompts with names
	// Command runs a command of checkrein for a slash command, such as hooks list, and prints its
	// output. ask asks the user; nil means that there is no user to ask.
	Command func(ctx context.Context, ask func(question string) bool, args ...string) int
}

// graceTime is how long the last hooks may take after a second Ctrl-C.
const graceTime = 10 * time.Second

// A Talk is one conversation. It is the runtime's [agent.UI].
type Talk struct {
	opts         Options
	screen       screen
	blocks       blockSummary
	lines        chan string
	rt           *agent.Runtime
	failed       bool
	queued       []string // slash commands for when the agent is done
	lateMessages []string // messages that came too late to steer
	resume       bool     // follow-ups may be waiting after one that failed
	grace        time.Duration

	mu          sync.Mutex
	next        chan string // receives the next line while a question is open
	inputClosed bool        // there are no more lines
}

// New returns a talk. Run starts it.
func New(opts Options) *Talk {
	return &Talk{opts: opts, lines: make(chan string), grace: graceTime,
		screen: screen{out: opts.Out, side: opts.Err, raw: opts.RawOut, trace: opts.Trace, main: opts.Session}}
}

// Report shows rep, or prints it as JSON.
func (t *Talk) Report(rep agent.Report) {
	if t.opts.JSON {
		if rep.Outcome != nil {
			rep.Verdict = rep.Outcome.JSON(false)
		}
		line, err := json.Marshal(rep)
		if err == nil {
			t.screen.mu.Lock()
			t.opts.Out.Write(append(line, '\n'))
			t.screen.mu.Unlock()
		}
		return
	}
	t.screen.report(rep)
	t.blocks.addIfBlocked(rep)
}

// errQuit ends the talk at the user's request.
var errQuit = errors.New("quit")

// Run runs the conversation to its end, ends the session, and reports whether everything succeeded.
func (t *Talk) Run(ctx context.Context, rt *agent.Runtime) bool {
	t.rt = rt
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	reason := agent.EndOther
	defer func() {
		if ctx.Err() != nil { // a signal
			reason = agent.EndOther
		}
		rt.End(context.WithoutCancel(ctx), reason)
		if !t.opts.Terminal {
			t.blocks.print(t.opts.Err)
		}
	}()
	working := t.watchSignals(stop)
	rt.Start(ctx, t.opts.Source)
	if t.opts.Terminal || t.opts.Prompt == "" {
		go t.readLines()
	}
	if t.opts.Prompt != "" {
		t.runWork(ctx, working, func(ctx context.Context) error { return rt.Prompt(ctx, t.opts.Prompt) })
	}
	lines := t.lines
	for ctx.Err() == nil {
		if len(t.lateMessages) > 0 {
			prompt := t.lateMessages[0]
			t.lateMessages = t.lateMessages[1:]
			t.runWork(ctx, working, func(ctx context.Context) error { return rt.Prompt(ctx, prompt) })
			continue
		}
		if len(t.queued) > 0 {
			line := t.queued[0]
			t.queued = t.queued[1:]
			if t.handleLine(ctx, working, line) == errQuit {
				reason = agent.EndExit
				return !t.failed
			}
			continue
		}
		if t.resume && t.opts.Wake != nil { // Wake announced all follow-ups only once
			t.runWork(ctx, working, rt.RunFollowUps)
			continue
		}
		if t.opts.Prompt != "" && t.opts.Wake == nil { // the prompt and all typed lines are answered
			return !t.failed
		}
		if t.opts.Terminal {
			fmt.Fprint(t.opts.Err, "> ")
		}
		select {
		case <-ctx.Done():
		case <-t.opts.Wake:
			t.runWork(ctx, working, rt.RunFollowUps)
		case line, ok := <-lines:
			if !ok && !t.opts.Terminal && t.opts.Wake != nil {
				lines = nil // messages may still come over HTTP
				continue
			}
			if !ok || t.handleLine(ctx, working, strings.TrimSpace(line)) == errQuit {
				reason = agent.EndExit
				return !t.failed
			}
		}
	}
	return !t.opts.Terminal && t.opts.Wake != nil && !t.failed
}

// readLines sends the lines of the input to t.lines, and closes that at the end.
func (t *Talk) readLines() {
	defer close(t.lines)
	r := bufio.NewReader(t.opts.In)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			t.lines <- strings.TrimRight(line, "\r\n")
		}
		if err != nil {
			return
		}
	}
}

// handleLine runs line, a slash command or a prompt. It returns errQuit if the talk must end.
func (t *Talk) handleLine(ctx context.Context, working chan<- context.CancelCauseFunc, line string) error {
	if line == "" {
		return nil
	}
	if strings.HasPrefix(line, "/") {
		return t.runSlash(ctx, working, line)
	}
	t.runWork(ctx, working, func(ctx context.Context) error { return t.rt.Prompt(ctx, line) })
	return nil
}

// runWork calls do with a context that Ctrl-C ends, and waits for it. At a terminal, lines typed
// meanwhile steer the agent or answer its question.
func (t *Talk) runWork(ctx context.Context, working chan<- context.CancelCauseFunc, do func(context.Context) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	working <- cancel
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	lines := t.lines
	if !t.opts.Terminal {
		lines = nil // each line is a separate prompt
	}
	for {
		select {
		case err := <-done:
			working <- nil
			cancel(nil)
			t.reportError(err)
			t.resume = err != nil && !isStopped(err)
			if err == nil || errors.Is(err, agent.ErrBlocked) { // late messages are the next prompts
				t.lateMessages = append(t.lateMessages, t.rt.TakeSteering()...)
			}
			return
		case line, ok := <-lines:
			if !ok {
				lines = nil
				t.closeInput()
				continue
			}
			t.handleWhileWorking(strings.TrimSpace(line))
		}
	}
}

// handleWhileWorking handles line, which was typed while the agent works.
func (t *Talk) handleWhileWorking(line string) {
	switch {
	case t.passAnswer(line), line == "":
	case line == "/yolo":
		t.toggleYolo()
	case strings.HasPrefix(line, "/"):
		t.queued = append(t.queued, line)
		t.screen.printNote("the agent is working: your command waits until it is done; to stop the agent, press Ctrl-C")
	default:
		if err := t.rt.Steer(line); err != nil {
			t.screen.printNote("not sent: %v", err)
		}
	}
}

// reportError reports err, the error of the work, if it is not nil.
func (t *Talk) reportError(err error) {
	switch {
	case err == nil:
	case isStopped(err):
		t.failed = true
		if !t.opts.JSON {
			t.screen.printNote("stopped")
		}
	default:
		t.failed = true
		if !errors.Is(err, agent.ErrBlocked) && !t.opts.JSON {
			t.screen.printNote("the run ended: %s", visible.EscapeText(err.Error()))
		}
	}
}

// isStopped reports whether err means that the user stopped the work, or that it was canceled.
func isStopped(err error) bool {
	return errors.Is(err, errStop) || errors.Is(err, errQuit) || errors.Is(err, context.Canceled)
}

// errStop ends a piece of work at the user's request.
var errStop = errors.New("stopped by the user")

// watchSignals handles signals. At a terminal, the first Ctrl-C stops the work. The next one, one
// while nothing runs, one without a terminal, and any other signal end the talk by calling quit. After
// a second one, the last hooks get only a grace period. Callers send the function that stops the work
// to the returned channel, and nil when the work is done.
func (t *Talk) watchSignals(quit context.CancelCauseFunc) chan<- context.CancelCauseFunc {
	working := make(chan context.CancelCauseFunc)
	go func() {
		var stop context.CancelCauseFunc
		pressed, signals := 0, t.opts.Signals
		for {
			select {
			case stop = <-working:
				if stop != nil {
					pressed = 0
				}
			case sig, ok := <-signals:
				if !ok {
					signals = nil
					continue
				}
				pressed++
				if stop != nil && pressed == 1 && t.opts.Terminal && sig == os.Interrupt {
					stop(errStop)
					continue
				}
				quit(errQuit)
				if t.opts.Exit != nil && pressed >= 2 {
					time.AfterFunc(t.grace, func() { t.opts.Exit(130) })
				}
			}
		}
	}()
	return working
}
