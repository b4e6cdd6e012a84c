package base

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
)

// A Progress shows at a terminal that something takes long, and how much of it is done. It appears
// after a while and is removed at the end. The nil Progress shows nothing.
type Progress struct {
	w     io.Writer
	what  string
	begun time.Time

	mu          sync.Mutex
	done, total int64 // if total is 0, the amount is unknown
	shown       bool
	stop        chan struct{}
}

const (
	progressDelay    = 700 * time.Millisecond // shorter work shows no progress
	progressInterval = 200 * time.Millisecond
)

// NewProgress starts to show the progress of what, if stderr is a terminal; otherwise it returns nil.
// The caller must call End.
func NewProgress(env *console.Env, what string) *Progress {
	if !IsTerminal(env.Stderr) {
		return nil
	}
	p := &Progress{w: env.Stderr, what: what, begun: time.Now(), stop: make(chan struct{})}
	go p.run(progressDelay, progressInterval)
	return p
}

// run prints the line after first, and then every again, until End is called.
func (p *Progress) run(first, again time.Duration) {
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
func (p *Progress) print() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.stop:
		return // End has removed the line
	default:
	}
	p.shown = true
	if p.total > 0 {
		fmt.Fprintf(p.w, "\r%s: %d%%\x1b[K", p.what, min(100, 100*p.done/p.total))
		return
	}
	fmt.Fprintf(p.w, "\r%s: %d s\x1b[K", p.what, int(time.Since(p.begun).Seconds()))
}

// Set sets how much of the work is done. It is shown with the next update.
func (p *Progress) Set(done, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.done, p.total = done, total
	p.mu.Unlock()
}

// Describe replaces the description of the work.
func (p *Progress) Describe(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.what = what
	p.mu.Unlock()
}

// Clear removes the line so that other text can be printed. The line appears again later.
func (p *Progress) Clear() {
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

// End removes the line for good. It may be called more than once.
func (p *Progress) End() {
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
