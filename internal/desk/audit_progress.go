package desk

import (
	"fmt"
	"io"
	"time"

	"github.com/checkrein/checkrein/internal/console"
)

// A progress tells a person at a terminal how far something is that takes long.
// The nil progress tells nobody.
type progress struct {
	w     io.Writer
	what  string
	now   func() time.Time
	next  time.Time // when to say more
	shown bool
}

const (
	patience = 300 * time.Millisecond // nobody is told of what is done sooner
	renewal  = 100 * time.Millisecond
)

func newProgress(env *console.Env, what string) *progress {
	if !isTerminal(env.Stderr) {
		return nil
	}
	return &progress{w: env.Stderr, what: what, now: env.Now, next: env.Now().Add(patience)}
}

func (p *progress) show(done, total int64) {
	if p == nil || total <= 0 || p.now().Before(p.next) {
		return
	}
	p.next, p.shown = p.now().Add(renewal), true
	fmt.Fprintf(p.w, "\r%s: %d%%", p.what, 100*done/total)
}

// end wipes what was shown.
func (p *progress) end() {
	if p != nil && p.shown {
		fmt.Fprintf(p.w, "\r%*s\r", len(p.what)+6, "")
	}
}
