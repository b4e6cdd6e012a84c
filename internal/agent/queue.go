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

// push adds text. It returns errFull if the queue is full.
func (q *queue) push(text string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= q.max {
		return errFull
	}
	q.list = append(q.list, text)
	return nil
}

// takeAll removes and returns all messages.
func (q *queue) takeAll() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := q.list
	q.list = nil
	return out
}

// takeNext removes and returns the oldest message. It reports false if there is none.
func (q *queue) takeNext() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return "", false
	}
	text := q.list[0]
	q.list = slices.Delete(q.list, 0, 1)
	return text, true
}
