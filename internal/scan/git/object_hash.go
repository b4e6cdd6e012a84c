package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
)

// An objectHash computes the id of an object while it is read.
type objectHash struct {
	hash.Hash
	id string
}

// newObjectHash returns the hash of an object of the given type and size, before its content is
// written. The length of id, the expected id, determines the hash function.
func newObjectHash(id, kind string, size int64) *objectHash {
	s := &objectHash{id: id}
	if len(id) == 2*sha256.Size {
		s.Hash = sha256.New()
	} else {
		s.Hash = sha1.New()
	}
	var room [64]byte
	s.Write(append(strconv.AppendInt(append(append(room[:0], kind...), ' '), size, 10), 0))
	return s
}

// matches reports whether the content that was written has the expected id.
func (s *objectHash) matches() bool {
	var room [sha256.Size]byte
	return hex.EncodeToString(s.Sum(room[:0])) == s.id
}

// A verifyingReader reads the rest of an object and verifies the id of the object at its end.
type verifyingReader struct {
	body *io.LimitedReader
	sum  *objectHash
}

// Read implements [io.Reader]. It returns ErrMismatch in place of io.EOF if the id does not match.
func (c *verifyingReader) Read(b []byte) (int, error) {
	n, err := c.body.Read(b)
	c.sum.Write(b[:n])
	if err == io.EOF && c.body.N <= 0 && !c.sum.matches() {
		err = ErrMismatch
	}
	return n, err
}
