package policy

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A Baseline holds the findings that a project had when it began to scan, which are allowed. It
// contains no found text, only short salted digests. Still, they can confirm a guess of a weak
// password.
//
// Only Add is safe for concurrent use.
type Baseline struct {
	salt    []byte
	mu      sync.Mutex
	entries []baselineEntry
}

// A baselineEntry is a finding in a baseline.
type baselineEntry struct{ rule, path, digest string }

const (
	maxBaseline  = 64 << 20
	baselineForm = 1
	digestSize   = 8 // bytes, enough to distinguish the findings of a file
)

// NewBaseline returns a baseline without findings. Its salt, which depends on now and project, is not
// secret. It only prevents comparing the digests of two projects.
func NewBaseline(now time.Time, project string) *Baseline {
	sum := sha256.Sum256([]byte(now.Format(time.RFC3339Nano) + "\x00" + project))
	return &Baseline{salt: sum[:16]}
}

// ReadBaseline reads a baseline from file, which [Baseline.JSON] wrote.
func ReadBaseline(file string) (*Baseline, error) {
	src, err := state.ReadRegular(file, maxBaseline)
	if err != nil {
		return nil, fmt.Errorf("reading baseline: %w", err)
	}
	return parseBaseline(file, src)
}

// parseBaseline returns the baseline in src, the content of file.
func parseBaseline(file string, src []byte) (*Baseline, error) {
	if err := rawjson.CheckObject(src); err != nil {
		return nil, fmt.Errorf("%s is not a valid baseline: %w", file, err)
	}
	if v, _ := rawjson.Get(src, "version"); string(v) != fmt.Sprint(baselineForm) {
		return nil, fmt.Errorf("%s is not a version %d baseline: write a new one with --write-baseline", file, baselineForm)
	}
	b := new(Baseline)
	salt, err := hex.DecodeString(rawjson.GetText(src, "salt"))
	if err != nil || len(salt) == 0 {
		return nil, fmt.Errorf("%s: the salt is missing or not hexadecimal: write a new baseline with --write-baseline", file)
	}
	b.salt = salt
	list, _ := rawjson.Get(src, "findings")
	rawjson.Elements(list, func(i int, val []byte) bool {
		e := baselineEntry{rawjson.GetText(val, "rule"), rawjson.GetText(val, "path"), rawjson.GetText(val, "digest")}
		if e.rule == "" || len(e.digest) != 2*digestSize {
			err = fmt.Errorf("%s: findings[%d] has no rule or digest", file, i)
			return false
		}
		b.entries = append(b.entries, e)
		return true
	})
	b.sort()
	return b, err
}

// compareEntries compares a and b by path, rule and digest.
func compareEntries(a, b baselineEntry) int {
	if c := strings.Compare(a.path, b.path); c != 0 {
		return c
	}
	if c := strings.Compare(a.rule, b.rule); c != 0 {
		return c
	}
	return strings.Compare(a.digest, b.digest)
}

// sort sorts the entries and removes duplicates.
func (b *Baseline) sort() {
	slices.SortFunc(b.entries, compareEntries)
	b.entries = slices.Compact(b.entries)
}

// newEntry returns the entry for a finding of rule in path with the found text.
func (b *Baseline) newEntry(rule, path, text string) baselineEntry {
	h := sha256.New()
	for _, s := range [...]string{string(b.salt), rule, path, text} {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	return baselineEntry{rule, path, hex.EncodeToString(h.Sum(nil)[:digestSize])}
}

// contains reports whether the baseline contains the finding of rule in path with the found text.
func (b *Baseline) contains(rule, path, text string) bool {
	_, ok := slices.BinarySearchFunc(b.entries, b.newEntry(rule, path, text), compareEntries)
	return ok
}

// Add adds the findings list in text, the content of path, except those that are allowed already.
func (b *Baseline) Add(path string, text []byte, list []Finding) {
	for i := range list {
		if f := &list[i]; f.Counts() && f.Rule != IgnoreRule {
			k := b.newEntry(f.Rule, path, string(text[f.Start:f.End]))
			b.mu.Lock()
			b.entries = append(b.entries, k)
			b.mu.Unlock()
		}
	}
}

// Len returns the number of findings.
func (b *Baseline) Len() int { b.sort(); return len(b.entries) }

// JSON returns the baseline as the content of a file, with one finding per line so that changes can be
// reviewed.
func (b *Baseline) JSON() []byte {
	b.sort()
	var out bytes.Buffer
	fmt.Fprintf(&out, "{\n  \"version\": %d,\n  \"salt\": \"%x\",\n  \"findings\": [", baselineForm, b.salt)
	for i, e := range b.entries {
		o := rawjson.Object{'{'}
		o.Text("path", e.path)
		o.Text("rule", e.rule)
		o.Text("digest", e.digest)
		o.Close()
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n    ")
		out.Write(o)
	}
	out.WriteString("\n  ]\n}\n")
	return out.Bytes()
}

// SetBaseline makes p allow the findings in b. It must be called before p is shared.
func (p *Policy) SetBaseline(b *Baseline) { p.baseline = b }
