package secretguard

import (
	"encoding/json"
	"hash/maphash"
	"sync"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	fewMessages = 8       // so short a conversation is looked through as one
	maxCleared  = 1 << 14 // messages that are remembered; then it begins anew
)

// cleared remembers which messages of a conversation held nothing that had to be
// taken out, so that a long one is not looked through anew for each call of the
// model. Only an agent's own process lives long enough to gain from it.
type cleared struct {
	mu   sync.Mutex
	seed maphash.Seed
	seen map[uint64]struct{}
}

func (k *cleared) knows(message []byte) (sum uint64, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.seen == nil || len(k.seen) > maxCleared {
		k.seed, k.seen = maphash.MakeSeed(), map[uint64]struct{}{}
	}
	sum = maphash.Bytes(k.seed, message)
	_, known = k.seen[sum]
	return sum, known
}

func (k *cleared) add(sum uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen[sum] = struct{}{}
}

// messages takes out of a conversation what c wants, message by message.
func (k *cleared) messages(c *secret.Cleaner, list json.RawMessage) (json.RawMessage, int) {
	n := 0
	rawjson.Elements(list, func(int, []byte) bool { n++; return n <= fewMessages })
	if k == nil || rawjson.Kind(list) != '[' || n <= fewMessages {
		return CleanKeeping(c, list, true)
	}
	out := append(make([]byte, 0, len(list)+64), '[')
	found := 0
	rawjson.Elements(list, func(i int, message []byte) bool {
		if i > 0 {
			out = append(out, ',')
		}
		sum, known := k.knows(message)
		if !known {
			var n int
			if message, n = CleanKeeping(c, message, true); n == 0 {
				k.add(sum)
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
