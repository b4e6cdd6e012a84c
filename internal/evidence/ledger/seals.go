package ledger

import (
	"crypto/hmac"
	"crypto/sha256"
	"io"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// The chain of hashes shows that a record was changed, but not who wrote it, since anyone can compute a
// hash. Each record therefore has a seal, which requires the key.

// sealSize is how many bytes of an HMAC-SHA256 a record contains.
const sealSize = 16

// Seals is the key that authenticates the records of one ledger.
type Seals [32]byte

// Seals returns the key for the seals of this ledger's records.
func (k Key) Seals() *Seals {
	s := Seals(k.Derive(LabelRecords))
	return &s
}

// compute returns the seal of a record. before is the hash of what precedes the seal.
func (s *Seals) compute(before Hash) (sum [sealSize]byte) {
	full := shortMAC((*[32]byte)(s), before[:])
	copy(sum[:], full[:])
	return sum
}

const maxMacText = 1 << 10

// shortMAC returns the HMAC-SHA256 of text, which should not exceed maxMacText. It takes a third of
// the time of package hmac, which allocates two hashes first.
func shortMAC(key *[32]byte, text []byte) [sha256.Size]byte {
	var inner [sha256.BlockSize + maxMacText]byte
	var outer [sha256.BlockSize + sha256.Size]byte
	for i := range sha256.BlockSize {
		inner[i], outer[i] = 0x36, 0x5c
	}
	for i, b := range key {
		inner[i] ^= b
		outer[i] ^= b
	}
	whole := append(inner[:sha256.BlockSize], text...)
	sum := sha256.Sum256(whole)
	copy(outer[sha256.BlockSize:], sum[:])
	return sha256.Sum256(outer[:])
}

// IsValid reports whether the record l has a valid seal of this ledger.
func (s *Seals) IsValid(l *Line) bool {
	if !l.Sealed {
		return false
	}
	sum := s.compute(l.before)
	return hmac.Equal(sum[:], l.seal[:])
}

// ReadSeals returns the seals of the ledger in dir, or nil if its key cannot be read.
func ReadSeals(dir string) *Seals {
	data, err := state.ReadRegular(filepath.Join(dir, KeyFile), state.KeySize)
	if err != nil {
		return nil
	}
	key, err := ParseKey(data)
	if err != nil {
		return nil
	}
	return key.Seals()
}

// A Voucher checks whether a writer of the ledger wrote the records of one segment. If a segment
// begins with a sealed record, all of its records must be sealed.
type Voucher struct {
	seals  *Seals // nil means that there is no key: only missing seals can be detected
	sealed bool
}

// NewVoucher returns the voucher for segment. seals may be nil.
func NewVoucher(seals *Seals, segment io.ReaderAt) Voucher {
	first, ok := firstRecord(segment)
	return Voucher{seals, ok && first.Sealed}
}

// IsForged reports whether the record l is certainly not from a writer of the ledger.
func (v *Voucher) IsForged(l *Line) bool {
	if l.Sealed {
		return v.seals != nil && !v.seals.IsValid(l)
	}
	return v.sealed
}

// firstRecord returns the segment record at the beginning of segment. It reports false if there is
// none. The returned line does not share the segment's memory.
func firstRecord(segment io.ReaderAt) (Line, bool) {
	var start [4 << 10]byte // such a record is short
	n, _ := segment.ReadAt(start[:], 0)
	lines := lineBuffer{unread: start[:n]}
	raw, _ := lines.nextLine()
	line, err := ParseLine(raw)
	return line, err == nil && line.Kind == KindSegment
}
