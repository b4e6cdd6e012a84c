package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// errForged is the error about a file that differs from what an older build wrote.
var errForged = errors.New("it was changed or damaged after checkrein wrote it")

// write keeps a value in a sealed file. What a grant is made of can be read in the file
// of its block, so that without the seal whoever writes a file could grant.
func (s *Store) write(name string, v any, loosens bool) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.Dir.WriteSealed(name, body, loosens)
}

// read is the other way round. Older reports that a build without generations wrote it.
func (s *Store) read(name string, limit int64, v any) (older bool, err error) {
	data, older, err := s.Dir.ReadSealed(name, limit)
	if err != nil {
		return false, err
	}
	if older {
		if data, err = s.olderBody(name, data); err != nil {
			return true, err
		}
	}
	return older, json.Unmarshal(data, v)
}

// olderBody returns the body of a file that a build without generations sealed.
func (s *Store) olderBody(name string, data []byte) ([]byte, error) {
	var f struct {
		Seal string          `json:"seal"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if s.Key == nil {
		return nil, errForged
	}
	key, err := s.Key()
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(name + "\x00"))
	mac.Write(f.Body)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(f.Seal)) {
		return nil, errForged
	}
	return f.Body, nil
}
