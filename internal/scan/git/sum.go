package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strconv"
)

// A sum is an object's name, made from what was read of it.
type sum struct {
	hash.Hash
	id string
}

// newSum begins the name of an object. How long the one is that it should have tells the
// repository's format.
func newSum(id, kind string, size int64) *sum {
	s := &sum{id: id}
	if len(id) == 2*sha256.Size {
		s.Hash = sha256.New()
	} else {
		s.Hash = sha1.New()
	}
	var room [64]byte
	s.Write(append(strconv.AppendInt(append(append(room[:0], kind...), ' '), size, 10), 0))
	return s
}

// same reports whether all that was read is what the object's name says.
func (s *sum) same() bool {
	var room [sha256.Size]byte
	return hex.EncodeToString(s.Sum(room[:0])) == s.id
}

// checked reads the rest of an object, and at its end says whether it is that of the name.
type checked struct {
	body *io.LimitedReader
	sum  *sum
}

func (c *checked) Read(b []byte) (int, error) {
	n, err := c.body.Read(b)
	c.sum.Write(b[:n])
	if err == io.EOF && c.body.N <= 0 && !c.sum.same() {
		err = ErrOther
	}
	return n, err
}
