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

// waits is a model that says nothing until it is stopped.
func waits(begun chan<- string) func(context.Context, string) model.Answer {
	return func(ctx context.Context, said string) model.Answer {
		begun <- said
		<-ctx.Done()
		return model.Answer{}
	}
}

// Ctrl-C stops the work; the person goes on. The next one, when nothing is done,
// ends the session, and its hooks hear of it.
func TestCtrlC(t *testing.T) {
	t.Parallel()
	begun := make(chan string, 9)
	p := start(t, Options{Terminal: true}, func(p *person) { p.answer = waits(begun) })
	p.types("go")
	<-begun
	p.signals <- os.Interrupt
	p.sees(&p.side, "stopped")
	p.types("again")
	<-begun
	p.signals <- os.Interrupt
	for strings.Count(p.side.String(), "stopped") < 2 {
		time.Sleep(time.Millisecond)
	}
	p.signals <- os.Interrupt
	if p.ends() {
		t.Error("it ended well")
	}
	want := []string{"session_start", "turn_end canceled", "turn_end canceled", "session_end other"}
	if ev := p.noted(&p.events); !slices.Equal(ev, want) {
		t.Errorf("events %v", ev)
	}
}

// Where nobody can go on, the first one ends it; and so does a polite end of the
// process, wherever.
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
			p := start(t, tt.opts, func(p *person) { p.answer = waits(begun) })
			<-begun
			p.signals <- tt.sig
			if p.ends() || len(begun) != 0 {
				t.Error("it went on")
			}
			want := []string{"session_start", "turn_end canceled", "session_end other"}
			if ev := p.noted(&p.events); !slices.Equal(ev, want) {
				t.Errorf("events %v", ev)
			}
		})
	}
}

// What does not stop when it should is left behind after a while.
func TestCtrlCTwiceAlwaysEnds(t *testing.T) {
	t.Parallel()
	begun, exited := make(chan string, 1), make(chan int, 1)
	release := make(chan bool)
	p := start(t, Options{Terminal: true, Exit: func(code int) { exited <- code }}, func(p *person) {
		p.answer = func(context.Context, string) model.Answer {
			begun <- ""
			<-release // deaf
			return model.Answer{}
		}
	})
	p.types("go")
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
	p.ends()
}

// A channel of signals that ends is no signal.
func TestSignalsEnd(t *testing.T) {
	t.Parallel()
	p := start(t, Options{Terminal: true}, nil)
	close(p.signals)
	p.types("hello")
	p.sees(&p.out, "heard: hello")
	p.types("/exit")
	if !p.ends() {
		t.Error("it failed")
	}
}
