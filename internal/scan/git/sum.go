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

// newObjectHash begins the id of an object. The length of the expected id determines the hash
// function.
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

// matches reports whether everything that was read has the expected id.
func (s *objectHash) matches() bool {
	var room [sha256.Size]byte
	return hex.EncodeToString(s.Sum(room[:0])) == s.id
}

// A verifyingReader reads the rest of an object, and at its end verifies the object's id.
type verifyingReader struct {
	body *io.LimitedReader
	sum  *objectHash
}

func (c *verifyingReader) Read(b []byte) (int, error) {
	n, err := c.body.Read(b)
	c.sum.Write(b[:n])
	if err == io.EOF && c.body.N <= 0 && !c.sum.matches() {
		err = ErrMismatch
	}
	return n, err
}
