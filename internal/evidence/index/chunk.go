package index

import (
	"encoding/binary"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A chunk's id consists of its segment and its position in it, so that ids are in
// the order of the ledger.
const pieceBits = 24

// firstChunk returns the id of the first chunk of segment.
func firstChunk(segment int) int64 { return int64(segment) << pieceBits }

// chunkSegment returns the segment of the chunk with this id.
func chunkSegment(chunk int64) int { return int(chunk >> pieceBits) }

// digestLen is how many bytes of each record's hash are stored.
const digestLen = 8

// A head is the metadata of a chunk.
type head struct {
	n int // records
	span
	end ledger.Hash // hash of its last record
}

// A span is the time range of a chunk's records.
type span struct {
	timeMin, timeMax int64 // Unix nanoseconds
}

// A chunk is filled with records, from the start or from where the index ended.
type chunk struct {
	id     int64
	before []head // heads of the earlier chunks of the segment
	n      int    // number of records
	known  int    // how many of them were indexed before
	span
	last    place
	places  []byte
	digests []byte
	terms   map[string]*bitmap // field and text → the records with that term

	// The part of the segment that was read with this chunk.
	from int64       // its start
	done int64       // end of the last record
	hash ledger.Hash // of that record
	size int64       // size of the file if the chunk is the last one; otherwise 0

	damaged  int // lines of the segment up to done that are not records
	trailing int // such lines after done

	key []byte // scratch
}

func newChunk(id int64) *chunk {
	return &chunk{id: id, terms: make(map[string]*bitmap, 128), places: make([]byte, 0, 48<<10), digests: make([]byte, 0, digestLen*chunkSize)}
}

// newSuccessor returns an empty chunk that follows c in the segment.
func (c *chunk) newSuccessor() *chunk {
	n := newChunk(c.id + 1)
	n.from, n.done, n.hash = c.done, c.done, c.hash
	n.damaged, n.trailing = c.damaged, c.trailing
	n.before = append(c.before[:len(c.before):len(c.before)], c.head())
	return n
}

func (c *chunk) head() head { return head{n: c.n, span: c.span, end: c.hash} }

// toKnown returns what the index contains about the segment once c is added.
func (c *chunk) toKnown() *known {
	k := &known{done: c.done, size: c.size, hash: c.hash, damaged: c.damaged, trailing: c.trailing, chunks: c.before}
	if c.n > 0 {
		k.chunks = append(c.before[:len(c.before):len(c.before)], c.head())
	}
	return k
}

// addEntry adds the record e to the chunk, which must not be full.
func (c *chunk) addEntry(e *ledger.Entry) {
	line := &e.Line
	p := place{seq: int64(line.Seq), time: line.Time.UnixNano(), off: e.At.Offset, len: int64(len(line.Raw))}
	if c.n == 0 {
		c.span = span{p.time, p.time}
	}
	c.timeMin, c.timeMax = min(c.timeMin, p.time), max(c.timeMax, p.time)
	c.places = p.appendDelta(c.places, &c.last)
	c.last = p
	c.digests = append(c.digests, line.Hash[:digestLen]...)
	c.addTerms(line)
	c.n++
	c.done, c.hash = e.End(), line.Hash
	c.damaged, c.trailing = c.damaged+c.trailing, 0
}

// addTerm records that the record being added has text in field f, unless text is empty.
func (c *chunk) addTerm(f field, text []byte) {
	if len(text) == 0 {
		return
	}
	c.key = append(append(c.key[:0], byte(f)), text...)
	b := c.terms[string(c.key)]
	if b == nil {
		b = new(bitmap)
		c.terms[string(c.key)] = b
	}
	b.add(c.n)
}

// A place describes where a record is, and when it was written.
type place struct {
	seq, time, off, len int64
}

// appendDelta appends p to dst, encoded as its distance from before.
func (p *place) appendDelta(dst []byte, before *place) []byte {
	dst = binary.AppendVarint(dst, p.seq-before.seq)
	dst = binary.AppendVarint(dst, p.time-before.time)
	dst = binary.AppendUvarint(dst, uint64(p.off-before.off-before.len))
	return binary.AppendUvarint(dst, uint64(p.len))
}

// decodePlaces appends the n places encoded in data to dst. It returns errDamaged if data is invalid.
func decodePlaces(dst []place, data []byte, n int) ([]place, error) {
	var last place
	for range n {
		var v [4]int64
		for i := range v {
			var size int
			if i < 2 {
				v[i], size = binary.Varint(data)
			} else {
				var u uint64
				u, size = binary.Uvarint(data)
				v[i] = int64(u)
			}
			if size <= 0 {
				return nil, errDamaged
			}
			data = data[size:]
		}
		last = place{last.seq + v[0], last.time + v[1], last.off + last.len + v[2], v[3]}
		dst = append(dst, last)
	}
	if len(data) > 0 {
		return nil, errDamaged
	}
	return dst, nil
}

// toHit returns p, a place in this chunk, as a Hit.
func (p *place) toHit(chunk int64) Hit {
	return Hit{Seq: uint64(p.seq), Time: time.Unix(0, p.time).UTC(), Segment: chunkSegment(chunk), Offset: p.off, Len: int(p.len)}
}
