package secretguard

import (
	"encoding/json"
	"hash/maphash"
	"sync"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	fewMessages = 8       // conversations with at most this many messages are searched as a whole
	maxCleared  = 1 << 14 // number of messages at which the cache is reset
)

// A cleanCache remembers which messages of a conversation have nothing to redact, so that a long
// conversation is not searched again for each model call. It helps only in a long-running process,
// such as an embedding agent.
type cleanCache struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64]struct{}
}

// lookup returns the hash of a message, and whether the message is known to be clean.
func (k *cleanCache) lookup(message []byte) (sum uint64, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == nil || len(k.seen) > maxCleared {
		k.seed, k.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	sum = maphash.Bytes(k.seed, message)
	_, known = k.seen[sum]
	return sum, known
}

// addClean records that the message with the hash sum is clean.
func (k *cleanCache) addClean(sum uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen[sum] = struct{}{}
}

// cleanMessages applies c to each message of list that is not known to be clean. It returns the result
// and the number of findings. The receiver may be nil.
func (k *cleanCache) cleanMessages(c *secret.Cleaner, list json.RawMessage) (json.RawMessage, int) {
	n := 0
	rawjson.Elements(list, func(int, []byte) bool { n++; return n <= fewMessages })
	if k == nil || rawjson.Kind(list) != '[' || n <= fewMessages {
		return CleanJSON(c, list, true)
	}
	out := append(make([]byte, 0, len(list)+64), '[')
	found := 0
	rawjson.Elements(list, func(i int, message []byte) bool {
		if i > 0 {
			out = append(out, ',')
		}
		sum, known := k.lookup(message)
		if !known {
			var n int
			if message, n = CleanJSON(c, message, true); n == 0 {
				k.addClean(sum)
			}
			found += n
		}
		out = append(out, message...)
		return true
	})
	if found == 0 {
		return list, 0
	}
	return append(out, ']'), found
}
