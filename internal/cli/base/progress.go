package base

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
)

// A progress shows a person at a terminal that something takes long, and how far it is. It appears
// after a while and is removed at the end. The nil progress shows nothing.
type progress struct {
	w     io.Writer
	what  string
	begun time.Time

	mu          sync.Mutex
	done, total int64 // total 0: the amount is unknown
	shown       bool
	stop        chan struct{}
}

const (
	progressDelay    = 700 * time.Millisecond // shorter work shows no progress
	progressInterval = 200 * time.Millisecond
)

// NewProgress starts a progress, if stderr is a terminal. The caller must call End.
func NewProgress(env *console.Env, what string) *progress {
	if !IsTerminal(env.Stderr) {
		return nil
	}
	p := &progress{w: env.Stderr, what: what, begun: time.Now(), stop: make(chan struct{})}
	go p.run(progressDelay, progressInterval)
	return p
}

// run prints the progress repeatedly until it ends.
func (p *progress) run(first, again time.Duration) {
	timer := time.NewTimer(first)
	defer timer.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-timer.C:
			p.print()
			timer.Reset(again)
		}
	}
}

// print writes the line over the previous one.
func (p *progress) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stop:
		return // the line is removed already
	default:
	}
	p.shown = true
	if p.total > 0 {
		fmt.Fprintf(p.w, "\r%s: %d%%\x1b[K", p.what, min(100, 100*p.done/p.total))
		return
	}
	fmt.Fprintf(p.w, "\r%s: %d s\x1b[K", p.what, int(time.Since(p.begun).Seconds()))
}

// Show sets how much is done.
func (p *progress) Show(done, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.done, p.total = done, total
	p.mu.Unlock()
}

// Describe sets what is being done.
func (p *progress) Describe(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.what = what
	p.mu.Unlock()
}

// Clear removes the line so that other text can be printed; it appears again later.
func (p *progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.shown = false
		io.WriteString(p.w, "\r\x1b[K")
	}
}

// End removes the line for good. It may be called twice.
func (p *progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	p.mu.Unlock()
	p.Clear()
}
