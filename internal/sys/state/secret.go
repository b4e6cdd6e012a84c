package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// A Secret vouches for a store of things that were made from others and are kept
// to save time: who can write the files of the store and has not the secret can
// make nothing in it that counts. It is derived from the state's key, one for
// each store.
type Secret [sha256.Size]byte

// SumSize is the length of what a Secret puts beside a thing.
const SumSize = 16

// Sum vouches for a thing of that name in the store.
func (s *Secret) Sum(name string, body []byte) [SumSize]byte {
	mac := hmac.New(sha256.New, s[:])
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(name)))
	mac.Write(n[:])
	mac.Write([]byte(name))
	mac.Write(body)
	var all [sha256.Size]byte
	return [SumSize]byte(mac.Sum(all[:0]))
}

// Vouches reports whether sum is that of a thing of that name.
func (s *Secret) Vouches(name string, body, sum []byte) bool {
	want := s.Sum(name, body)
	return hmac.Equal(sum, want[:])
}
