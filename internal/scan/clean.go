package scan

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Clean remembers contents in which nothing was found, by git's id of the
// content, the program and the policy, so that the next scan need not read them.
// It is a set of digests in two files: when the newer is full it becomes the
// older, and what is asked for again moves up. A nil Clean remembers nothing.
//
// What is in it is not looked at, so a file counts only with the sum of the store's
// secret. The digests are made with the secret too.
//
// Its methods but Save may be called by two goroutines, of which one only calls
// Has and the other only Add.
type Clean struct {
	dir    state.Dir
	name   string
	secret *state.Secret
	salt   [sha256.Size]byte
	stored [2][]byte // sorted keys, the newer file first
	fresh  []cleanKey
	reused []cleanKey // known from the older file
	told   string
}

type cleanKey [16]byte

// CleanFolder is the memory's place in the state directory.
const CleanFolder = "scan"

const (
	cleanMagic = "checkrein clean 1\n" // then the sum of the rest; files of older builds have neither
	cleanHead  = len(cleanMagic) + state.SumSize
	cleanKeep  = 16     // files of all policies and builds together
	cleanMost  = 100000 // keys of a file
	cleanSize  = int64(cleanHead + 2*cleanMost*len(cleanKey{}))
)

// OpenClean opens what a build of the program remembers of a policy. Without a
// build, a place or a key of the state it is nil.
func OpenClean(dir state.Dir, build string, p *policy.Policy) *Clean {
	if build == "" || dir == (state.Dir{}) {
		return nil
	}
	book := ledger.Open(ledger.Options{Dir: dir})
	_, err := book.Key() // which it makes: most scans come before the first record
	if err != nil {
		return nil
	}
	secret, err := book.Secret(ledger.LabelClean)
	if err != nil {
		return nil
	}
	what := []byte(build + "\x00" + p.Digest())
	file := sha256.Sum256(what)
	c := &Clean{dir: dir, secret: secret, name: CleanFolder + "/" + hex.EncodeToString(file[:8])}
	mac := hmac.New(sha256.New, secret[:])
	mac.Write(what)
	mac.Sum(c.salt[:0])
	for i := range c.stored {
		c.stored[i], err = readClean(dir, secret, c.file(i))
		if errors.Is(err, state.ErrPlace) {
			c.told = err.Error() + "; until then nothing is cached there"
		} else if err != nil {
			_ = dir.Remove(c.file(i)) // or it is written over
			c.told = fmt.Sprintf("the cache of clean files was changed or damaged, so it was not used (%v)", err)
			_ = book.AppendDerived(CleanFolder, c.told) // the person hears of it in any case
		}
	}
	return c
}

// Told says what the person must know of the memory; "" = nothing.
func (c *Clean) Told() string {
	if c == nil {
		return ""
	}
	return c.told
}

func (c *Clean) file(i int) string { return c.name + [...]string{"-new", "-old"}[i] }

// readClean reads the keys of a file. A file that is not there, or of an older build, has
// none.
func readClean(dir state.Dir, secret *state.Secret, name string) ([]byte, error) {
	data, err := dir.Read(name, cleanSize)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !bytes.HasPrefix(data, []byte(cleanMagic)):
		return nil, nil
	case err != nil:
		return nil, err
	case len(data) < cleanHead || !secret.Vouches(name, data[cleanHead:], data[len(cleanMagic):cleanHead]):
		return nil, fmt.Errorf("%s: its contents were changed", dir.Path(name))
	}
	return data[cleanHead:], nil
}

// write keeps sorted keys in a file with their sum.
func (c *Clean) write(i int, keys []byte) error {
	sum := c.secret.Sum(c.file(i), keys)
	data := append(append(append(make([]byte, 0, cleanHead+len(keys)), cleanMagic...), sum[:]...), keys...)
	return c.dir.Write(c.file(i), data)
}

// CheckClean returns which files of the memory are not as they were written. Remove
// removes them.
func CheckClean(dir state.Dir, secret *state.Secret, remove bool) ([]string, error) {
	names, err := dir.Names(CleanFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	slices.Sort(names)
	var found []string
	for _, base := range names {
		name := CleanFolder + "/" + base
		_, err := readClean(dir, secret, name)
		if err == nil {
			continue
		}
		found = append(found, err.Error())
		if remove {
			if err := dir.Remove(name); err != nil {
				return found, err
			}
		}
	}
	return found, err
}

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
		if err := c.write(1, c.stored[0]); err != nil {
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
	if err := c.write(0, data); err != nil {
		return err
	}
	return c.dir.Prune(CleanFolder, cleanKeep)
}
