package machine

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// A Token lets machines join a fleet. Its text is made by the hub: crf_HUB_ROOT_SECRET.
type Token struct {
	Hub    string // the hub's id
	Root   string // SHA-256 of the fleet's first root metadata, in hex
	Secret string
}

const tokenPrefix = "crf_"

// String returns the token as people pass it on.
func (t Token) String() string { return tokenPrefix + t.Hub + "_" + t.Root + "_" + t.Secret }

// ParseToken parses the text of a token.
func ParseToken(text string) (Token, error) {
	bad := errors.New("this is not a join token: copy the line with crf_ that checkrein fleet token printed")
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), tokenPrefix)
	part := strings.SplitN(rest, "_", 3)
	if !ok || len(part) != 3 {
		return Token{}, bad
	}
	t := Token{part[0], part[1], part[2]}
	root, err := hex.DecodeString(t.Root)
	hub, err2 := hex.DecodeString(t.Hub)
	_, err3 := base64.RawURLEncoding.DecodeString(t.Secret)
	if err != nil || err2 != nil || err3 != nil || len(root) != 32 || len(hub) != 8 {
		return Token{}, bad
	}
	return t, nil
}
