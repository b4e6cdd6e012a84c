package secret

import (
	"strings"
	"sync"
)

// A cleanTexts holds short texts in which a search found nothing, each with the name of its value. What
// such a search finds depends on both alone, so that a process that redacts the same names and replies
// for many events searches each once. It is bounded, and safe for concurrent use.
type cleanTexts struct {
	mu           sync.RWMutex
	newer, older map[namedText]struct{}
}

type namedText struct{ name, text string }

const (
	maxCleanText  = 256  // bytes of a text and its name
	maxCleanTexts = 4096 // texts in each half
)

// cleanNames holds texts that [Redactor.MaskName] leaves unchanged, and cleanValues values of JSON without
// findings at the strict level.
var cleanNames, cleanValues cleanTexts

// has reports whether the text was added.
func (c *cleanTexts) has(name, text string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	_, ok := c.newer[namedText{name, text}]
	if !ok {
		_, ok = c.older[namedText{name, text}]
	}
	return ok
}

// add adds a text, and drops older ones if there are too many.
func (c *cleanTexts) add(name, text string) {
	if len(name)+len(text) > maxCleanText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newer == nil || len(c.newer) >= maxCleanTexts {
		c.newer, c.older = map[namedText]struct{}{}, c.newer
	}
	c.newer[namedText{strings.Clone(name), strings.Clone(text)}] = struct{}{}
}
