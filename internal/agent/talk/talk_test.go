package talk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent"
	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/team"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// An output collects what was printed.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (x *output) Write(p []byte) (int, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.buf.Write(p)
}

func (x *output) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.buf.String()
}

// A person talks with a runtime whose model the test controls.
type person struct {
	t         *testing.T
	opts      Options
	out, side output
	keys      *io.PipeWriter
	signals   chan os.Signal
	done      chan bool
	answer    func(ctx context.Context, said string) model.Answer // of the model, to what was said last
	yolo      bool
	atEnd     func() // when the first turn is over

	mu     sync.Mutex
	events []string
	ran    []string // tools that ran
}

// record adds an entry to a list.
func (p *person) record(list *[]string, what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, what)
}

func (p *person) recorded(list *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(*list)
}

// startTalk starts a talk. Without a terminal, In has all input.
func startTalk(t *testing.T, opts Options, set func(*person)) *person {
	t.Helper()
	p := &person{t: t, opts: opts, signals: make(chan os.Signal, 4), done: make(chan bool, 1)}
	p.answer = func(_ context.Context, said string) model.Answer { return model.Answer{Text: "heard: " + said} }
	if set != nil {
		set(p)
	}
	p.opts.Out, p.opts.Err, p.opts.Signals, p.opts.RawOut, p.opts.Session = &p.out, &p.side, p.signals, true, "s1"
	if p.opts.In == nil {
		p.opts.In, p.keys = io.Pipe()
	}
	tk := New(p.opts)
	tk.grace = 10 * time.Millisecond
	dir := t.TempDir()
	hook := checkrein.HandlerType{Name: "note", Traits: func(*checkrein.Hook) checkrein.Traits { return checkrein.Traits{} },
		New: func(checkrein.Hook) (checkrein.Handler, error) {
			return checkrein.HandlerFunc(func(_ context.Context, ev checkrein.Event) (checkrein.Answer, error) {
				p.record(&p.events, strings.TrimSpace(ev.Kind.String()+" "+strings.Trim(string(ev.Detail("reason")), `"`)))
				if f := p.atEnd; f != nil && ev.Kind == checkrein.TurnEnd {
					p.atEnd = nil
					f()
				}
				return checkrein.Answer{}, nil
			}), nil
		}}
	rt, err := agent.New(agent.Options{
		Team: &team.Team{Agents: []team.Agent{{Name: "root", Model: "m"}}}, Session: "s1", Dir: dir, UI: tk, Interactive: p.opts.Terminal, Yolo: p.yolo,
		Model: func(*team.Agent) (model.Model, error) { return p, nil },
		Tools: func(*team.Agent) ([]tool.Tool, error) {
			return []tool.Tool{{Definition: model.Definition{Name: "shell"}, Category: "shell", Run: p.runTool}}, nil
		},
		Hooks: func(name string) (*app.Kit, error) {
			var hooks []checkrein.Hook
			for _, row := range checkrein.Contracts() {
				if row.Kind == checkrein.SessionEnd || row.Kind == checkrein.TurnEnd || row.Kind == checkrein.UserSteeringMessagesSubmit || row.Kind == checkrein.SessionStart {
					hooks = append(hooks, checkrein.Hook{ID: "note", On: row.Kind, Run: "note", Dialect: "native", Priority: hookfile.DefaultPriority, From: checkrein.Origin{Scope: checkrein.ScopeUser, File: "test"}})
				}
			}
			return app.Open(app.Options{Dir: dir, Agent: name, Hooks: hooks, Handlers: []checkrein.HandlerType{hook}, State: filepath.Join(dir, "state"), Managed: app.NoManaged, Environ: []string{"HOME=" + dir, "PATH=/usr/bin:/bin"}})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- tk.Run(context.Background(), rt) }()
	return p
}

func (p *person) runTool(_ context.Context, in json.RawMessage) (string, error) {
	p.record(&p.ran, string(in))
	return "ran", nil
}

// ID and the like make a model of the person.
func (p *person) ID() string               { return "test/m" }
func (p *person) ContextLimit() int        { return 0 }
func (p *person) Endpoint() model.Endpoint { return model.Endpoint{} }

func (p *person) Call(ctx context.Context, req model.Request, _ func(string)) (model.Answer, error) {
	last := req.Messages[len(req.Messages)-1]
	a := p.answer(ctx, last.Content)
	return a, ctx.Err()
}

// typeLines writes lines.
func (p *person) typeLines(lines ...string) {
	p.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(p.keys, l+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// waitForText waits until a text was printed.
func (p *person) waitForText(x *output, want string) {
	p.t.Helper()
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(x.String(), want); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			p.t.Fatalf("no %q in\n%s", want, x.String())
		}
	}
}

// waitForEnd waits for the end and returns the result.
func (p *person) waitForEnd() bool {
	p.t.Helper()
	select {
	case ok := <-p.done:
		return ok
	case <-time.After(5 * time.Minute):
		p.t.Fatalf("it does not end:\n%s", p.side.String())
		return false
	}
}

// callOnce returns a model that runs a command once.
func callOnce(command string) func(context.Context, string) model.Answer {
	asked := false
	return func(_ context.Context, said string) model.Answer {
		if asked {
			return model.Answer{Text: "I got: " + said}
		}
		asked = true
		args, _ := json.Marshal(map[string]string{"cmd": command})
		return model.Answer{ToolCalls: []model.ToolCall{{ID: "c1", Type: "function", Function: model.Function{Name: "shell", Arguments: string(args)}}}}
	}
}

// From a pipe each line is a prompt or a command; failures are in the exit code.
func TestPipe(t *testing.T) {
	t.Parallel()
	commands := []team.Command{{Name: "fix", Prompt: "Fix it"}}
	for _, tt := range []struct {
		in        string
		ok        bool
		out, side string // what is printed there, in order
	}{
		{"one\n\ntwo", true, "heard: one|heard: two", ""},
		{"/fix now\n", true, "heard: Fix it now", ""},
		{"hi\n/cost\n", true, "heard: hi", "model calls: 1, input tokens: 0, output tokens: 0, cost: $0.0000 or more"},
		{"/yolo\n/yolo\n", true, "", "auto-approval is on|auto-approval is off"},
		{"/goal rest\n", true, "heard: Your goal: rest", "the goal is reached: rest"},
		{"/goal\n", false, "", "/goal TEXT"},
		{"hi\n/compact\n", true, "heard: hi", "nothing to compact: the conversation has only the latest messages"},
		{"hi\nyou\n/compact\n", true, "heard: hi|heard: you", "the conversation was compacted (manual)"},
		{"hi\n/clear\nyou\n", true, "heard: hi|heard: you", "the conversation was forgotten"},
		{"/undo\n", true, "", "command: snapshots undo"},
		{"/snapshots\n", true, "", "command: snapshots list"},
		{"/hooks off x\n", true, "", "command: hooks off x"},
		{"/hooks bad\n", false, "", "command: hooks bad"},
		{"/help\n", true, "", "/hooks|/undo|/goal TEXT|/yolo|/cost|/fix"},
		{"/hepl\n", false, "", `unknown command /hepl, did you mean "help"?`},
		{"/xyzzy\x1b\n", false, "", `unknown command /xyzzy\x1b: for a list, type /help`},
		{"/exit\nnever\n", true, "", ""},
		{"/quit\nnever\n", true, "", ""},
		{"", true, "", ""},
	} {
		t.Run(strings.ReplaceAll(tt.in, "\n", " "), func(t *testing.T) {
			t.Parallel()
			p := startTalk(t, Options{In: strings.NewReader(tt.in), Commands: commands}, func(p *person) {
				p.opts.Command = func(_ context.Context, _ func(string) bool, args ...string) int {
					fmt.Fprintln(&p.side, "command:", strings.Join(args, " "))
					if slices.Contains(args, "bad") {
						return 1
					}
					return 0
				}
			})
			if ok := p.waitForEnd(); ok != tt.ok {
				t.Errorf("ended well: %v", ok)
			}
			for _, x := range []struct{ got, want string }{{p.out.String(), tt.out}, {p.side.String(), tt.side}} {
				rest := x.got
				for w := range strings.SplitSeq(x.want, "|") {
					_, after, ok := strings.Cut(rest, w)
					if !ok {
						t.Errorf("no %q in\n%s", w, x.got)
					}
					rest = after
				}
			}
			if strings.Contains(p.out.String(), "never") {
				t.Error("it went on")
			}
			if ev := p.recorded(&p.events); ev[0] != "session_start" || ev[len(ev)-1] != "session_end prompt_input_exit" {
				t.Errorf("events %v", ev)
			}
		})
	}
}

// The help names every command of the table.
func TestHelpIsComplete(t *testing.T) {
	t.Parallel()
	p := startTalk(t, Options{In: strings.NewReader("/help\n")}, nil)
	p.waitForEnd()
	for _, s := range slashCommands() {
		if !strings.Contains(p.side.String(), "/"+s.name) {
			t.Errorf("/%s is not there", s.name)
		}
	}
	for _, name := range strings.Fields("hooks clear compact undo snapshots goal yolo cost help") {
		if !slices.ContainsFunc(slashCommands(), func(s slashCommand) bool { return s.name == name }) {
			t.Errorf("there is no /%s", name)
		}
	}
}

// The question shows what is known of the call, and each answer is accepted.
func TestConfirm(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer string
		ran    bool
		told   string // what the model hears
	}{
		{"y", true, "I got: ran"}, {"YES", true, "I got: ran"}, {"a", true, "I got: ran"}, {"e", true, "I got: ran"},
		{"n", false, "the user rejected the call"}, {"", false, "the user rejected the call"},
		{"not on a Friday", false, "the user rejected the call: not on a Friday"},
	} {
		t.Run("answer "+tt.answer, func(t *testing.T) {
			t.Parallel()
			p := startTalk(t, Options{Terminal: true}, func(p *person) { p.answer = callOnce("rm -rf build\x1b") })
			p.typeLines("go")
			p.waitForText(&p.side, "allow? ")
			p.typeLines(tt.answer)
			p.waitForText(&p.out, tt.told)
			p.typeLines("/exit")
			if !p.waitForEnd() || (len(p.recorded(&p.ran)) == 1) != tt.ran {
				t.Errorf("ran %v", p.ran)
			}
			for _, want := range []string{"? root wants to call shell  [destructive, blast radius: ", `  │ rm -rf build\x1b`, `a = always (shell:cmd=rm -rf build\x1b)`} {
				if !strings.Contains(p.side.String(), want) {
					t.Errorf("no %q in\n%s", want, p.side.String())
				}
			}
		})
	}
}

// When the input is closed, an open question ends, and so does the talk.
func TestConfirmAtEnd(t *testing.T) {
	t.Parallel()
	p := startTalk(t, Options{Terminal: true}, func(p *person) { p.answer = callOnce("ls") })
	p.typeLines("go")
	p.waitForText(&p.side, "allow? ")
	p.keys.Close()
	p.waitForEnd()
	if len(p.recorded(&p.ran)) != 0 || !strings.Contains(p.side.String(), "the input was closed") {
		t.Errorf("ran %v\n%s", p.ran, p.side.String())
	}
	if ev := p.recorded(&p.events); ev[len(ev)-1] != "session_end prompt_input_exit" {
		t.Errorf("events %v", ev)
	}
}

// Lines that come while the agent works steer it; commands wait.
func TestSteering(t *testing.T) {
	t.Parallel()
	begun, goOn := make(chan string, 9), make(chan bool)
	p := startTalk(t, Options{Terminal: true}, func(p *person) {
		p.answer = func(_ context.Context, said string) model.Answer {
			begun <- said
			<-goOn
			return model.Answer{Text: "heard: " + said}
		}
	})
	p.typeLines("go")
	<-begun
	p.typeLines("look left", "/cost", "/yolo", "and right")
	p.waitForText(&p.side, "the agent is working: your command waits until it is done")
	p.waitForText(&p.side, "auto-approval is on")
	p.typeLines("")
	goOn <- true
	if said := <-begun; said != "look left\nand right" {
		t.Errorf("it heard %q", said)
	}
	for i := range 6 { // one more than may wait
		p.typeLines(fmt.Sprint("more ", i))
	}
	p.waitForText(&p.side, "not sent: too many messages are already waiting")
	close(goOn)
	p.waitForText(&p.out, "heard: more 0")
	p.waitForText(&p.side, "model calls: 3")
	p.typeLines("/exit")
	if !p.waitForEnd() || !slices.Contains(p.recorded(&p.events), "user_steering_messages_submit") {
		t.Errorf("events %v", p.events)
	}
}

// A line that comes too late to steer is the next prompt.
func TestTooLateToSteer(t *testing.T) {
	t.Parallel()
	var p *person
	p = startTalk(t, Options{Terminal: true}, func(q *person) { q.atEnd = func() { p.typeLines("one more thing", "") } }) // the second is read when the first was taken
	p.typeLines("go")
	p.waitForText(&p.out, "heard: one more thing")
	p.typeLines("/exit")
	if !p.waitForEnd() {
		t.Error("it failed")
	}
}

// A single prompt is answered without reading the input.
func TestOneShot(t *testing.T) {
	t.Parallel()
	p := startTalk(t, Options{Prompt: "hello", In: strings.NewReader("never\n")}, nil)
	if !p.waitForEnd() || p.out.String() != "heard: hello\n" || p.side.String() != "" {
		t.Errorf("%q %q", p.out.String(), p.side.String())
	}
}
