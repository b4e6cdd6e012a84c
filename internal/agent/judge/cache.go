package judge

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Cache keeps verdicts, so that the same question is asked once. Who can write
// its files and has not the secret can make no verdict that counts. The zero Cache
// keeps nothing.
type Cache struct {
	Dir    state.Dir
	Secret func() *state.Secret // nil, or one that returns nil: nothing is kept
	Now    func() time.Time     // nil = time.Now
}

// Folder is where verdicts lie in the state directory.
const Folder = "judged"

// keptFor is how long a verdict counts.
const keptFor = time.Hour

// kept is a verdict as it lies on disk.
type kept struct {
	Body json.RawMessage `json:"body"` // a stamped
	Sum  string          `json:"sum"`
}

type stamped struct {
	verdict
	At time.Time `json:"at"`
}

func (c *Cache) secret() *state.Secret {
	if c.Secret == nil {
		return nil
	}
	return c.Secret()
}

func (c *Cache) store() state.Store { return c.Dir.Store(Folder, keptFor, c.Now) }

func (c *Cache) now() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// name is the key of everything that a verdict depends on, "" = nothing is kept.
func (c *Cache) name(parts []string) string {
	s := c.secret()
	if s == nil {
		return ""
	}
	var all []byte
	for _, p := range parts {
		all = binary.LittleEndian.AppendUint64(all, uint64(len(p)))
		all = append(all, p...)
	}
	// Half a sum would do for a name; two of them make one that no two questions share.
	one, two := s.MAC("question", all), s.MAC("the question again", all)
	return hex.EncodeToString(one[:]) + hex.EncodeToString(two[:])
}

// get finds a verdict. What is there and was not written by us, or is too old or
// from the future, is none.
func (c *Cache) get(name string) (verdict, bool) {
	if name == "" {
		return verdict{}, false
	}
	var k kept
	if ok, err := c.store().Get(name, &k); !ok || err != nil {
		return verdict{}, false
	}
	sum, err := hex.DecodeString(k.Sum)
	if err != nil || !c.secret().Verify(name, k.Body, sum) {
		return verdict{}, false
	}
	var s stamped
	if json.Unmarshal(k.Body, &s) != nil {
		return verdict{}, false
	}
	if age := c.now().Sub(s.At); age < 0 || age >= keptFor {
		return verdict{}, false
	}
	return s.verdict, true
}

// put keeps a verdict. One that cannot be kept is asked for again.
func (c *Cache) put(name string, v verdict) {
	if name == "" {
		return
	}
	body, err := json.Marshal(stamped{v, c.now()})
	if err != nil {
		return
	}
	sum := c.secret().MAC(name, body)
	store := c.store()
	var k kept
	set := func() error {
		k = kept{body, hex.EncodeToString(sum[:])}
		return nil
	}
	if store.Update(name, &k, set) != nil {
		_ = store.Delete(name) // it was damaged
		_ = store.Update(name, &k, set)
	}
	_, _ = store.Sweep() // else the next one does
}
