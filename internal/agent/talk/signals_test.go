package talk

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
)

// waitUntilStopped returns a model that answers nothing until it is stopped.
func waitUntilStopped(begun chan<- string) func(context.Context, string) model.Answer {
	return func(ctx context.Context, said string) model.Answer {
		begun <- said
		<-ctx.Done()
		return model.Answer{}
	}
}

// Ctrl-C stops the work, and the person continues. The next one, while nothing runs, ends the session
// and runs its hooks.
func TestCtrlC(t *testing.T) {
	t.Parallel()
	begun := make(chan string, 9)
	p := startTalk(t, Options{Terminal: true}, func(p *person) { p.answer = waitUntilStopped(begun) })
	p.typeLines("go")
	<-begun
	p.signals <- os.Interrupt
	p.waitForText(&p.side, "stopped")
	p.typeLines("again")
	<-begun
	p.signals <- os.Interrupt
	for strings.Count(p.side.String(), "stopped") < 2 {
		time.Sleep(time.Millisecond)
	}
	p.signals <- os.Interrupt
	if p.waitForEnd() {
		t.Error("it ended well")
	}
	want := []string{"session_start", "turn_end canceled", "turn_end canceled", "session_end other"}
	if ev := p.recorded(&p.events); !slices.Equal(ev, want) {
		t.Errorf("events %v", ev)
	}
}

// Without a terminal the first Ctrl-C ends the talk; so does any other signal everywhere.
func TestSignalEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		opts Options
		sig  os.Signal
	}{
		{"one prompt", Options{Prompt: "go"}, os.Interrupt},
		{"pipe", Options{In: strings.NewReader("go\nnever\n")}, os.Interrupt},
		{"terminal", Options{Terminal: true, Prompt: "go"}, syscall.SIGTERM},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			begun := make(chan string, 9)
			p := startTalk(t, tt.opts, func(p *person) { p.answer = waitUntilStopped(begun) })
			<-begun
			p.signals <- tt.sig
			if p.waitForEnd() || len(begun) != 0 {
				t.Error("it went on")
			}
			want := []string{"session_start", "turn_end canceled", "session_end other"}
			if ev := p.recorded(&p.events); !slices.Equal(ev, want) {
				t.Errorf("events %v", ev)
			}
		})
	}
}

// Work that does not stop is abandoned after a grace period.
func TestCtrlCTwiceAlwaysEnds(t *testing.T) {
	t.Parallel()
	begun, exited := make(chan string, 1), make(chan int, 1)
	release := make(chan bool)
	p := startTalk(t, Options{Terminal: true, Exit: func(code int) { exited <- code }}, func(p *person) {
		p.answer = func(context.Context, string) model.Answer {
			begun <- ""
			<-release // deaf
			return model.Answer{}
		}
	})
	p.typeLines("go")
	<-begun
	p.signals <- os.Interrupt
	p.signals <- os.Interrupt
	select {
	case code := <-exited:
		if code != 130 {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(5 * time.Minute):
		t.Error("it did not end")
	}
	close(release)
	p.waitForEnd()
}

// A closed channel of signals is not a signal.
func TestClosedSignalChannel(t *testing.T) {
	t.Parallel()
	p := startTalk(t, Options{Terminal: true}, nil)
	close(p.signals)
	p.typeLines("hello")
	p.waitForText(&p.out, "heard: hello")
	p.typeLines("/exit")
	if !p.waitForEnd() {
		t.Error("it failed")
	}
}
