package base

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
)

// A syncBuffer is a buffer that one goroutine can write while another reads it.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
	return s.text.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Long work shows its progress, and nothing of the line is left at the end.
func TestProgressAppearsAndIsRemoved(t *testing.T) {
	t.Parallel()
	w := &syncBuffer{news: make(chan struct{}, 1)}
	p := &Progress{w: w, what: "verifying", begun: time.Now(), stop: make(chan struct{})}
	p.Set(43, 100)
	go p.run(0, time.Millisecond)
	<-w.news
	p.Clear()
	p.End()
	p.End()
	said := w.String()
	if !strings.HasPrefix(said, "\rverifying: 43%\x1b[K") || !strings.HasSuffix(said, "\r\x1b[K") {
		t.Errorf("%q", said)
	}
	p.print()
	if w.String() != said {
		t.Errorf("it goes on after its end: %q", w.String())
	}
	soon := &syncBuffer{}
	p = &Progress{w: soon, what: "verifying", begun: time.Now(), stop: make(chan struct{})}
	p.End()
	p.run(0, time.Millisecond) // as for work that ends before the delay
	if soon.String() != "" {
		t.Errorf("what is soon done shows %q", soon.String())
	}
	none := NewProgress(&console.Env{}, "no one") // stderr is not a terminal
	none.Set(1, 2)
	none.Clear()
	none.End()
}
