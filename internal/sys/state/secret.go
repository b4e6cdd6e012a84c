package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// A Secret authenticates the content of a store, such as a cache or the sealed files: a program that
// can write the files but lacks the secret cannot forge an item. Each store has its own, derived from
// the key of the state.
type Secret [sha256.Size]byte

// MACSize is the length of the authentication code of an item.
const MACSize = 16

// MAC returns the authentication code of the named item.
func (s *Secret) MAC(name string, body []byte) [MACSize]byte {
	mac := hmac.New(sha256.New, s[:])
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(name)))
	mac.Write(n[:])
	mac.Write([]byte(name))
	mac.Write(body)
	var all [sha256.Size]byte
	return [MACSize]byte(mac.Sum(all[:0]))
}

// Verify reports whether mac is the authentication code of the named item.
func (s *Secret) Verify(name string, body, mac []byte) bool {
	want := s.MAC(name, body)
	return hmac.Equal(mac, want[:])
}
