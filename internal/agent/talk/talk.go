// Package talk is how a person or a program talks with the runtime: plain lines
// at a terminal, one prompt from the command line, lines from a pipe, or JSON.
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

// Options say who talks.
type Options struct {
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // a person sits at In, and can be asked
	RawOut   bool // Out is no terminal
	JSON     bool // every report is a line of JSON on Out
	Trace    bool // tell what each hook said
	Prompt   string
	Session  string // the person's: replies of others are the agents' own
	Source   string // of session_start: startup or resume

	// Wake is set if follow-ups came from elsewhere; nil = none do. Without a terminal
	// the talk then goes on when there are no more lines, until a signal ends it.
	Wake <-chan struct{}

	Signals <-chan os.Signal // Ctrl-C
	Exit    func(int)        // ends the process at once, when nothing else does

	Commands []team.Command // prompts with names
	// Command runs a command of checkrein's for a slash command, such as hooks
	// list, and prints what it says. Ask asks the person; nil = nobody can be asked.
	Command func(ctx context.Context, ask func(question string) bool, args ...string) int
}

// graceTime is how long the last hooks may take when the person will not wait.
const graceTime = 10 * time.Second

// A Talk is one conversation. It is the runtime's [agent.UI].
type Talk struct {
	opts    Options
	screen  screen
	blocks  summary
	lines   chan string
	rt      *agent.Runtime
	failed  bool
	later   []string // lines for when the agent is done
	unheard []string // messages that came too late to steer
	resume  bool     // follow-ups may wait behind one that did not end well
	grace   time.Duration

	mu   sync.Mutex
	next chan string // where the next line goes, when a question is open
	gone bool        // no more lines will come
}

// New returns a talk. Run begins it.
func New(opts Options) *Talk {
	return &Talk{opts: opts, lines: make(chan string), grace: graceTime,
		screen: screen{out: opts.Out, side: opts.Err, raw: opts.RawOut, trace: opts.Trace, main: opts.Session}}
}

// Report shows what happened.
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
	t.blocks.add(rep)
}

// errQuit ends the talk because the person wants it.
var errQuit = errors.New("quit")

// Run talks until there is nothing more to say and returns whether everything
// went well. The session is ended, whatever happens.
func (t *Talk) Run(ctx context.Context, rt *agent.Runtime) bool {
	t.rt = rt
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	reason := agent.EndOther
	defer func() {
		if ctx.Err() != nil { // a signal, whatever else was said
			reason = agent.EndOther
		}
		rt.End(context.WithoutCancel(ctx), reason)
		if !t.opts.Terminal {
			t.blocks.print(t.opts.Err)
		}
	}()
	working := t.watch(stop)
	rt.Start(ctx, t.opts.Source)
	if t.opts.Terminal || t.opts.Prompt == "" {
		go t.read()
	}
	if t.opts.Prompt != "" {
		t.work(ctx, working, func(ctx context.Context) error { return rt.Prompt(ctx, t.opts.Prompt) })
	}
	lines := t.lines
	for ctx.Err() == nil {
		if len(t.unheard) > 0 {
			prompt := t.unheard[0]
			t.unheard = t.unheard[1:]
			t.work(ctx, working, func(ctx context.Context) error { return rt.Prompt(ctx, prompt) })
			continue
		}
		if len(t.later) > 0 {
			line := t.later[0]
			t.later = t.later[1:]
			if t.take(ctx, working, line) == errQuit {
				reason = agent.EndExit
				return !t.failed
			}
			continue
		}
		if t.resume && t.opts.Wake != nil { // which told of all of them once
			t.work(ctx, working, rt.Resume)
			continue
		}
		if t.opts.Prompt != "" && t.opts.Wake == nil { // it is answered, and so is what was typed meanwhile
			return !t.failed
		}
		if t.opts.Terminal {
			fmt.Fprint(t.opts.Err, "> ")
		}
		select {
		case <-ctx.Done():
		case <-t.opts.Wake:
			t.work(ctx, working, rt.Resume)
		case line, ok := <-lines:
			if !ok && !t.opts.Terminal && t.opts.Wake != nil {
				lines = nil // others may still say something
				continue
			}
			if !ok || t.take(ctx, working, strings.TrimSpace(line)) == errQuit {
				reason = agent.EndExit
				return !t.failed
			}
		}
	}
	return !t.opts.Terminal && t.opts.Wake != nil && !t.failed
}

// read hands lines on, until there are no more.
func (t *Talk) read() {
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

// take does what a line says.
func (t *Talk) take(ctx context.Context, working chan<- context.CancelCauseFunc, line string) error {
	if line == "" {
		return nil
	}
	if strings.HasPrefix(line, "/") {
		return t.slash(ctx, working, line)
	}
	t.work(ctx, working, func(ctx context.Context) error { return t.rt.Prompt(ctx, line) })
	return nil
}

// work does something that Ctrl-C ends. At a terminal, what the person types
// meanwhile steers the agent, or answers its question.
func (t *Talk) work(ctx context.Context, working chan<- context.CancelCauseFunc, do func(context.Context) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	working <- cancel
	done := make(chan error, 1)
	go func() { done <- do(ctx) }()
	lines := t.lines
	if !t.opts.Terminal {
		lines = nil // each is a prompt of its own
	}
	for {
		select {
		case err := <-done:
			working <- nil
			cancel(nil)
			t.ended(err)
			t.resume = err != nil && !stopped(err)
			if err == nil || errors.Is(err, agent.ErrBlocked) { // what came after its last look is the next prompt
				t.unheard = append(t.unheard, t.rt.TakeSteering()...)
			}
			return
		case line, ok := <-lines:
			if !ok {
				lines = nil
				t.leave()
				continue
			}
			t.meanwhile(strings.TrimSpace(line))
		}
	}
}

// meanwhile takes a line while the agent works.
func (t *Talk) meanwhile(line string) {
	switch {
	case t.answers(line), line == "":
	case line == "/yolo":
		t.yolo()
	case strings.HasPrefix(line, "/"):
		t.later = append(t.later, line)
		t.screen.say("the agent is working: your message waits until it is done; to stop it, press Ctrl-C")
	default:
		if err := t.rt.Steer(line); err != nil {
			t.screen.say("not sent: %v", err)
		}
	}
}

// ended reports how a piece of work ended, if it did not end well.
func (t *Talk) ended(err error) {
	switch {
	case err == nil:
	case stopped(err):
		t.failed = true
		if !t.opts.JSON {
			t.screen.say("stopped")
		}
	default:
		t.failed = true
		if !errors.Is(err, agent.ErrBlocked) && !t.opts.JSON {
			t.screen.say("the run ended: %s", visible.Text(err.Error()))
		}
	}
}

// stopped reports whether somebody ended the work.
func stopped(err error) bool {
	return errors.Is(err, errStop) || errors.Is(err, errQuit) || errors.Is(err, context.Canceled)
}

// errStop ends a piece of work because the person wants it.
var errStop = errors.New("stopped by the user")

// watch listens to Ctrl-C: at a terminal the first one stops the work. The next
// one, or one while nothing is done, or one where nobody could go on, ends the
// talk, and after that only its last hooks have some time left. Whoever ends the
// process politely does not mean the work alone.
func (t *Talk) watch(quit context.CancelCauseFunc) chan<- context.CancelCauseFunc {
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
