package agent

import (
	"errors"
	"slices"
	"sync"
)

const (
	maxSteering  = 5
	maxFollowups = 20
)

// A queue holds messages that wait for the agent.
type queue struct {
	mu   sync.Mutex
	list []string
	max  int
}

var errFull = errors.New("too many messages are already waiting")

func (q *queue) push(text string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= q.max {
		return errFull
	}
	q.list = append(q.list, text)
	return nil
}

// all takes everything.
func (q *queue) all() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.list
	q.list = nil
	return out
}

// next takes the oldest.
func (q *queue) next() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return "", false
	}
	text := q.list[0]
	q.list = slices.Delete(q.list, 0, 1)
	return text, true
}
