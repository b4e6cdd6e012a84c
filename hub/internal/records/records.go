// Package records takes the records that machines upload: it verifies that they continue the chain of
// their ledger, and stores them. The hub is the witness of the ledgers, since what it has cannot be
// changed or shortened on a machine without a break that it sees.
package records

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/checkrein/checkrein/hub/internal/store"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/fleet/protocol"
)

// Members of what is known of a batch without reading it.
const (
	metaSeq     = "Checkrein-Seq"     // of the last record
	metaHash    = "Checkrein-Hash"    // of the last record
	metaKey     = "Checkrein-Key"     // the ledger's public key
	metaMarks   = "Checkrein-Marks"   // ends of earlier batches, in JSON
	metaSummary = "Checkrein-Summary" // a [Summary]
)

// Book takes records. It is safe for concurrent use.
type Book struct {
	store *store.Store
	// Added is called for each batch that was stored, if it is set.
	Added func(machine string, s *Summary)

	mu      sync.Mutex
	ledgers map[[2]string]*chain
	buffers sync.Pool
}

// A chain is what is known of one ledger.
type chain struct {
	mu       sync.Mutex
	known    bool
	head     protocol.Head
	marks    []mark
	key      string // the public key of the ledger
	sequence uint64 // of the last batch in the store
}

// NewBook returns a book whose records are in s.
func NewBook(s *store.Store) *Book {
	return &Book{store: s, ledgers: map[[2]string]*chain{}, buffers: sync.Pool{New: func() any { return new([]byte) }}}
}

// ledgerID matches the ids of ledgers, which are parts of subjects.
var ledgerID = regexp.MustCompile(`^[0-9a-f]{8,64}$`)

// chain returns what is known of a ledger, locked.
func (b *Book) chain(ctx context.Context, machine, ledger string) (*chain, error) {
	if !ledgerID.MatchString(ledger) {
		return nil, &protocol.Refusal{Status: 400, Why: fmt.Sprintf("%q is not the id of a ledger", ledger)}
	}
	b.mu.Lock()
	c := b.ledgers[[2]string{machine, ledger}]
	if c == nil {
		c = &chain{head: protocol.Head{Ledger: ledger}}
		b.ledgers[[2]string{machine, ledger}] = c
	}
	b.mu.Unlock()
	c.mu.Lock()
	if c.known {
		return c, nil
	}
	if err := c.load(ctx, b.store, machine); err != nil {
		c.mu.Unlock()
		return nil, err
	}
	return c, nil
}

// load reads the end of the chain from the store.
func (c *chain) load(ctx context.Context, s *store.Store, machine string) error {
	last, err := s.LastBatch(ctx, machine, c.head.Ledger)
	if err != nil {
		return fmt.Errorf("reading the end of ledger %s: %w", c.head.Ledger, err)
	}
	c.head, c.marks, c.key, c.sequence = protocol.Head{Ledger: c.head.Ledger}, nil, "", 0
	if last != nil {
		var ok bool
		c.head.Seq, err = strconv.ParseUint(last.Meta[metaSeq], 10, 64)
		c.head.Hash, ok = ledger.ParseHash(last.Meta[metaHash])
		if err != nil || !ok || json.Unmarshal([]byte(last.Meta[metaMarks]), &c.marks) != nil {
			return fmt.Errorf("the last batch of ledger %s in the store was not written by a hub", c.head.Ledger)
		}
		c.key, c.sequence = last.Meta[metaKey], last.Sequence
	}
	c.known = true
	return nil
}

// Ends returns what the store has of a ledger.
func (b *Book) Ends(ctx context.Context, machine, ledger string) (protocol.Ends, error) {
	c, err := b.chain(ctx, machine, ledger)
	if err != nil {
		return protocol.Ends{}, err
	}
	defer c.mu.Unlock()
	ends := protocol.Ends{Head: c.head}
	for _, m := range c.marks {
		ends.Earlier = append(ends.Earlier, m.Head)
	}
	return ends, nil
}

// Add verifies and stores the batch in body, as a machine sent it. When it returns without an error,
// the records are durable. A batch that was stored before changes nothing.
func (b *Book) Add(ctx context.Context, machine string, body []byte) (protocol.Head, error) {
	buf := b.buffers.Get().(*[]byte)
	defer b.buffers.Put(buf)
	text, err := protocol.Decompress((*buf)[:0], body)
	if err != nil {
		return protocol.Head{}, &protocol.Refusal{Status: 400, Why: err.Error()}
	}
	*buf = text
	header, lines, err := protocol.ParseBatchHeader(text)
	if err != nil {
		return protocol.Head{}, &protocol.Refusal{Status: 400, Why: err.Error()}
	}
	c, err := b.chain(ctx, machine, header.Ledger)
	if err != nil {
		return protocol.Head{}, err
	}
	defer c.mu.Unlock()
	from := protocol.Head{Ledger: header.Ledger, Seq: header.After, Hash: header.Hash}
	sum := newSummary(&header, c)
	head, err := protocol.CheckBatch(lines, from, sum.visitor(header.Key))
	switch {
	case err != nil:
		return protocol.Head{}, &protocol.Refusal{Status: 422, Why: err.Error()}
	case head == c.head:
		return head, nil // its answer did not reach the machine
	case from != c.head && header.Break == "":
		return protocol.Head{}, &protocol.Refusal{Status: 409, Why: fmt.Sprintf("%v: the batch follows record %d, but the hub has record %d", protocol.ErrNotNext, from.Seq, c.head.Seq)}
	case from == c.head:
		sum.Break = ""
	}
	marks := c.marksAfter(head)
	meta, err := sum.meta(head, header.Key, marks)
	if err != nil {
		return protocol.Head{}, err
	}
	c.sequence, err = b.store.AddBatch(ctx, &store.Batch{Machine: machine, Ledger: header.Ledger, Body: body, Meta: meta}, c.sequence)
	if err != nil {
		c.known = false // it may have been stored all the same
		if errors.Is(err, store.ErrConflict) {
			return protocol.Head{}, &protocol.Refusal{Status: 409, Why: err.Error()}
		}
		return protocol.Head{}, fmt.Errorf("storing the records: %w", err)
	}
	c.head, c.marks, c.key = head, marks, header.Key
	if b.Added != nil {
		b.Added(machine, sum)
	}
	return head, nil
}

// A mark is the end of the batch with this number of a ledger.
type mark struct {
	Batch int `json:"batch"`
	protocol.Head
}

// marksAfter returns the marks to keep after the batch that ends at head: of the batches whose numbers
// a power of two divides, and no higher one, the newest. A few marks therefore reach far back, and
// there is one at most half as far from the end as any batch.
func (c *chain) marksAfter(head protocol.Head) []mark {
	number := 1
	if len(c.marks) > 0 {
		number = c.marks[0].Batch + 1
	}
	out := []mark{{number, head}}
	for _, m := range c.marks {
		if !slices.ContainsFunc(out, func(o mark) bool { return bits.TrailingZeros(uint(o.Batch)) == bits.TrailingZeros(uint(m.Batch)) }) {
			out = append(out, m)
		}
	}
	return out
}

// meta returns what is known of a batch that ends at head.
func (s *Summary) meta(head protocol.Head, key string, marks []mark) (map[string]string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	ends, err := json.Marshal(marks)
	if err != nil {
		return nil, err
	}
	return map[string]string{metaMarks: string(ends), metaSeq: strconv.FormatUint(head.Seq, 10), metaHash: head.Hash.String(), metaKey: key, metaSummary: string(text)}, nil
}

// A Stored is a batch as stored, with its records.
type Stored struct {
	*store.Batch
	Summary *Summary
	Lines   []byte // of the batch, without its header; nil if only summaries are read
}

// Each calls fn for each batch that r chooses and that is stored now, oldest first, until it returns
// false.
func (b *Book) Each(ctx context.Context, r store.Range, fn func(*Stored) bool) (err error) {
	each := b.store.Each(ctx, r, func(batch *store.Batch) bool {
		var s *Stored
		if s, err = open(batch, !r.Summaries); err != nil {
			return false
		}
		return fn(s)
	})
	return errors.Join(each, err)
}

// EachBefore calls fn for each batch that r chooses and that comes before a sequence, newest first, until
// it returns false. 0 is the end.
func (b *Book) EachBefore(ctx context.Context, r store.Range, before uint64, fn func(*Stored) bool) (err error) {
	each := b.store.EachBefore(ctx, r, before, func(batch *store.Batch) bool {
		var s *Stored
		if s, err = open(batch, true); err != nil {
			return false
		}
		return fn(s)
	})
	return errors.Join(each, err)
}

// Follow calls fn for each batch, also those that will be stored, oldest first, until ctx is done. name
// is the name of the reader, whose place is kept. A batch for which fn returns an error comes again.
func (b *Book) Follow(ctx context.Context, name string, fn func(*Stored) error) error {
	return b.store.Follow(ctx, name, func(batch *store.Batch) error {
		s, err := open(batch, true)
		if err != nil {
			return err
		}
		return fn(s)
	})
}

// open returns batch with its summary and, if lines is set, its lines.
func open(batch *store.Batch, lines bool) (*Stored, error) {
	s := &Stored{Batch: batch, Summary: &Summary{}}
	if err := json.Unmarshal([]byte(batch.Meta[metaSummary]), s.Summary); err != nil {
		return nil, fmt.Errorf("reading batch %d: %w", batch.Sequence, err)
	}
	if !lines {
		return s, nil
	}
	text, err := protocol.Decompress(nil, batch.Body)
	if err == nil {
		_, s.Lines, err = protocol.ParseBatchHeader(text)
	}
	if err != nil {
		return nil, fmt.Errorf("reading batch %d: %w", batch.Sequence, err)
	}
	return s, nil
}

// parseKey parses a ledger's public key in hex.
func parseKey(text string) (key seal.PublicKey, ok bool) {
	raw, err := hex.DecodeString(text)
	return key, err == nil && copy(key[:], raw) == len(raw) && len(raw) == len(key)
}
