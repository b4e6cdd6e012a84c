package judge

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Cache stores verdicts, so that the same question is asked only once. A process that can write its
// files but does not have the secret cannot forge a verdict. The zero Cache stores nothing.
type Cache struct {
	Dir    state.Dir
	Secret func() *state.Secret // nil, or returns nil = nothing is stored
	Now    func() time.Time     // nil = time.Now
}

// Folder is the directory of verdicts in the state directory.
const Folder = "judged"

// maxAge is how long a verdict counts.
const maxAge = time.Hour

// A sealedVerdict is a verdict as it is stored on disk.
type sealedVerdict struct {
	Body json.RawMessage `json:"body"` // a timedVerdict
	Sum  string          `json:"sum"`  // the MAC of Body
}

type timedVerdict struct {
	verdict
	At time.Time `json:"at"`
}

// secret returns the secret, or nil if nothing is stored.
func (c *Cache) secret() *state.Secret {
	if c.Secret == nil {
		return nil
	}
	return c.Secret()
}

func (c *Cache) store() state.Store { return c.Dir.OpenStore(Folder, maxAge, c.Now) }

func (c *Cache) currentTime() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// entryName returns the name under which a verdict is stored that depends on parts. It returns "" if
// nothing is stored.
func (c *Cache) entryName(parts []string) string {
	s := c.secret()
	if s == nil {
		return ""
	}
	var all []byte
	for _, p := range parts {
		all = binary.LittleEndian.AppendUint64(all, uint64(len(p)))
		all = append(all, p...)
	}
	// The store requires long names, so a name consists of two MACs.
	one, two := s.MAC("question", all), s.MAC("the question again", all)
	return hex.EncodeToString(one[:]) + hex.EncodeToString(two[:])
}

// get returns the verdict stored under name. It reports false if there is none, or if the file was not
// written by checkrein or is too old or from the future.
func (c *Cache) get(name string) (verdict, bool) {
	if name == "" {
		return verdict{}, false
	}
	var k sealedVerdict
	if ok, err := c.store().Get(name, &k); !ok || err != nil {
		return verdict{}, false
	}
	sum, err := hex.DecodeString(k.Sum)
	if err != nil || !c.secret().Verify(name, k.Body, sum) {
		return verdict{}, false
	}
	var s timedVerdict
	if json.Unmarshal(k.Body, &s) != nil {
		return verdict{}, false
	}
	if age := c.currentTime().Sub(s.At); age < 0 || age >= maxAge {
		return verdict{}, false
	}
	return s.verdict, true
}

// put stores v under name. It ignores errors, since the question is then asked again next time.
func (c *Cache) put(name string, v verdict) {
	if name == "" {
		return
	}
	body, err := json.Marshal(timedVerdict{v, c.currentTime()})
	if err != nil {
		return
	}
	sum := c.secret().MAC(name, body)
	store := c.store()
	var k sealedVerdict
	set := func() error {
		k = sealedVerdict{body, hex.EncodeToString(sum[:])}
		return nil
	}
	if store.Update(name, &k, set) != nil {
		_ = store.Delete(name) // the file was damaged
		_ = store.Update(name, &k, set)
	}
	_, _ = store.Sweep() // if it fails, the next put sweeps
}
