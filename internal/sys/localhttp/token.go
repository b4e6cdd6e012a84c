package localhttp

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/random"
)

// A Token gives access to the routes that require one. The zero Token gives access to none.
type Token struct{ text string }

// minToken is the minimum length of a token that the caller chooses.
const minToken = 16

// NewToken returns a random token.
func NewToken() (Token, error) {
	var b [32]byte
	if err := random.Read(b[:]); err != nil {
		return Token{}, err
	}
	return Token{hex.EncodeToString(b[:])}, nil
}

// ParseToken returns the token text, without surrounding space. It fails if the token is too short, or
// has spaces or non-ASCII characters.
func ParseToken(text string) (Token, error) {
	text = strings.TrimSpace(text)
	if len(text) < minToken {
		return Token{}, errors.New("a token must have at least 16 characters")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Token{}, errors.New("a token must not have spaces or non-ASCII characters")
	}
	return Token{text}, nil
}

// String returns the token as clients send it.
func (t Token) String() string { return t.text }

// matches reports whether header, an Authorization header, contains t. The comparison takes constant
// time.
func (t Token) matches(header string) bool {
	kind, given, _ := strings.Cut(header, " ")
	a, b := sha256.Sum256([]byte(t.text)), sha256.Sum256([]byte(strings.TrimSpace(given)))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && strings.EqualFold(kind, "Bearer") && t.text != ""
}
