package state

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// A Secret authenticates the content of a store, such as a cache or the sealed files. A program that
// can write the files but does not have the secret cannot forge an item. Each store has its own
// secret, derived from the key of the state.
type Secret [sha256.Size]byte

// MACSize is the length in bytes of an authentication code.
const MACSize = 16

// MAC returns the authentication code of the item name with the content body.
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

// Verify reports whether mac is the authentication code of the item name with the content body.
func (s *Secret) Verify(name string, body, mac []byte) bool {
	want := s.MAC(name, body)
	return hmac.Equal(mac, want[:])
}
