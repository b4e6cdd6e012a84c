package grant

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
)

// errTampered means that a file sealed by an older build was changed since.
var errTampered = errors.New("it was changed or damaged after checkrein wrote it")

// writeSealed stores v in the sealed file name. Without the seal, every process that can write files
// could make grants, since a grant consists of what the file of its block contains. If loosens is set,
// the file is written only if the ledger can record it.
func (s *Store) writeSealed(name string, v any, loosens bool) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.Dir.WriteSealed(name, body, loosens)
}

// readSealed reads what writeSealed stored into v. older reports whether a build without generations
// wrote it.
func (s *Store) readSealed(name string, limit int64, v any) (older bool, err error) {
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

// olderBody returns the body in data, which is the content of the file called name as sealed by a
// build without generations. It returns errTampered if the seal does not match.
func (s *Store) olderBody(name string, data []byte) ([]byte, error) {
	var f struct {
		Seal string          `json:"seal"`
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if s.Key == nil {
		return nil, errTampered
	}
	key, err := s.Key()
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(name + "\x00"))
	mac.Write(f.Body)
	if !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(f.Seal)) {
		return nil, errTampered
	}
	return f.Body, nil
}
