package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// errForged says that somebody else wrote a file, or changed it.
var errForged = errors.New("it was changed or damaged after checkrein wrote it")

// sealed is a file of which the bytes of the body are vouched for.
type sealed struct {
	Seal string          `json:"seal"`
	Body json.RawMessage `json:"body"`
}

// mac vouches for the body of a file of that name.
func (s *Store) mac(name string, body []byte) (string, error) {
	var key []byte
	if s.Key != nil {
		var err error
		if key, err = s.Key(); err != nil {
			return "", err
		}
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(name + "\x00"))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// write keeps a value in a file with its seal. What a grant is made of can be read in
// the file of its block, so that without the seal whoever writes a file could grant.
func (s *Store) write(name string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	seal, err := s.mac(name, body)
	if err != nil {
		return err
	}
	data, err := json.Marshal(sealed{seal, body})
	if err != nil {
		return err
	}
	return s.Dir.Write(name, data)
}

// read is the other way round.
func (s *Store) read(name string, limit int64, v any) error {
	data, err := s.Dir.Read(name, limit)
	if err != nil {
		return err
	}
	var f sealed
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	seal, err := s.mac(name, f.Body)
	if err != nil {
		return err
	}
	if !hmac.Equal([]byte(seal), []byte(f.Seal)) {
		return errForged
	}
	return json.Unmarshal(f.Body, v)
}
