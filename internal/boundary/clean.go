package boundary

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/checkrein/checkrein/internal/policy"
	"github.com/checkrein/checkrein/internal/state"
)

// A Clean remembers contents in which nothing was found, by git's id of the
// content, the program and the policy, so that the next scan need not read them.
// It is a set of digests in two files: when the newer is full it becomes the
// older, and what is asked for again moves up. A nil Clean remembers nothing.
//
// Its methods but Save may be called by two goroutines, of which one only calls
// Has and the other only Add.
type Clean struct {
	dir    state.Dir
	name   string
	salt   [sha256.Size]byte
	stored [2][]byte // sorted keys, the newer file first
	fresh  []cleanKey
	reused []cleanKey // known from the older file
}

type cleanKey [16]byte

const (
	cleanSub  = "scan"
	cleanKeep = 16     // files of all policies and builds together
	cleanMost = 100000 // keys of a file
)

// OpenClean opens what a build of the program remembers of a policy. Without a
// build or a place it is nil.
func OpenClean(dir state.Dir, build string, p *policy.Policy) *Clean {
	if build == "" || dir == (state.Dir{}) {
		return nil
	}
	c := &Clean{dir: dir, salt: sha256.Sum256([]byte(build + "\x00" + p.Digest()))}
	c.name = cleanSub + "/" + hex.EncodeToString(c.salt[:8])
	for i := range c.stored {
		data, err := dir.Read(c.file(i), cleanMost*2*int64(len(cleanKey{})))
		if err == nil && len(data)%len(cleanKey{}) == 0 {
			c.stored[i] = data // a damaged one is out of order, and then only misses
		}
	}
	return c
}

func (c *Clean) file(i int) string { return c.name + [...]string{"-new", "-old"}[i] }

// key is that of a content for the rules that apply to its path.
func (c *Clean) key(p *policy.Policy, it *Item) cleanKey {
	kind := "file"
	if it.Message {
		kind = "message"
	}
	var b [256]byte
	text := append(append(append(b[:0], c.salt[:]...), it.Object...), ' ')
	text = append(append(text, kind...), ' ')
	sum := sha256.Sum256(append(text, p.Scope(it.Path)...))
	return cleanKey(sum[:len(cleanKey{})])
}

// Has reports whether a content is known to be clean.
func (c *Clean) Has(p *policy.Policy, it *Item) bool {
	if c == nil || it.Object == "" || len(c.stored[0])+len(c.stored[1]) == 0 {
		return false
	}
	k := c.key(p, it)
	if hasKey(c.stored[0], k) {
		return true
	}
	if !hasKey(c.stored[1], k) {
		return false
	}
	c.reused = append(c.reused, k)
	return true
}

func hasKey(keys []byte, k cleanKey) bool {
	lo, hi := 0, len(keys)/len(k)
	for lo < hi {
		mid := (lo + hi) / 2
		switch bytes.Compare(keys[mid*len(k):(mid+1)*len(k)], k[:]) {
		case 0:
			return true
		case -1:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false
}

// Add notes that nothing was found in a content.
func (c *Clean) Add(p *policy.Policy, it *Item) {
	if c != nil && it.Object != "" {
		c.fresh = append(c.fresh, c.key(p, it))
	}
}

// Save writes down what was added. A memory that cannot be written costs time
// only, so nobody needs to act on its error.
func (c *Clean) Save() error {
	if c == nil || len(c.fresh)+len(c.reused) == 0 {
		return nil
	}
	keys := append(c.fresh, c.reused...)
	keys = keys[:min(len(keys), cleanMost)]
	if len(keys)+len(c.stored[0])/len(cleanKey{}) > cleanMost {
		if err := c.dir.Write(c.file(1), c.stored[0]); err != nil {
			return err
		}
		c.stored[0] = nil
	}
	for k := range slices.Chunk(c.stored[0], len(cleanKey{})) {
		keys = append(keys, cleanKey(k))
	}
	slices.SortFunc(keys, func(a, b cleanKey) int { return bytes.Compare(a[:], b[:]) })
	keys = slices.Compact(keys)
	data := make([]byte, 0, len(keys)*len(cleanKey{}))
	for _, k := range keys {
		data = append(data, k[:]...)
	}
	if err := c.dir.Write(c.file(0), data); err != nil {
		return err
	}
	return c.dir.Prune(cleanSub, cleanKeep)
}
