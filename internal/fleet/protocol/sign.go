package protocol

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MaxClockSkew limits how far the time of a request may be from the hub's. A machine whose clock is
// further off learns the hub's time from the refusal and corrects the time that it signs.
const MaxClockSkew = 5 * time.Minute

// TimeHeader is the header in which the hub tells its time, in seconds since 1970.
const TimeHeader = "Checkrein-Time"

// scheme is the authentication scheme of signed requests.
const scheme = "Checkrein-Ed25519 "

// Errors of [Authorization.Verify].
var (
	ErrSignature = errors.New("the signature of the request is not valid")
	ErrClock     = errors.New("the time of the request is too far from the hub's")
)

// MachineID returns the id of the machine with this key.
func MachineID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:8])
}

// An Authorization is the parsed Authorization header of a signed request.
type Authorization struct {
	Machine string
	Time    int64 // seconds since 1970
	Body    [sha256.Size]byte
	sig     []byte
}

// Sign adds an Authorization header to req, whose body is body. hub is the hub's id, so that a request
// to one hub means nothing to another.
func Sign(req *http.Request, body []byte, hub string, key ed25519.PrivateKey, now time.Time) {
	a := Authorization{Machine: MachineID(key.Public().(ed25519.PublicKey)), Time: now.Unix(), Body: sha256.Sum256(body)}
	a.sig = ed25519.Sign(key, a.signedText(req, hub))
	req.Header.Set("Authorization", fmt.Sprintf("%smachine=%s,time=%d,body=%x,sig=%s",
		scheme, a.Machine, a.Time, a.Body, base64.RawURLEncoding.EncodeToString(a.sig)))
}

// signedText returns the text that the signature covers.
func (a *Authorization) signedText(req *http.Request, hub string) []byte {
	return fmt.Appendf(nil, "checkrein fleet request 1\n%s\n%s\n%s\n%s\n%d\n%x\n", hub, req.Method, req.URL.RequestURI(), a.Machine, a.Time, a.Body)
}

// ParseAuthorization parses the Authorization header of req. It does not check the signature, because
// the machine's key must be looked up first.
func ParseAuthorization(req *http.Request) (*Authorization, error) {
	text, ok := strings.CutPrefix(req.Header.Get("Authorization"), scheme)
	if !ok {
		return nil, errors.New("the request is not signed by a machine")
	}
	a := &Authorization{}
	var err error
	for part := range strings.SplitSeq(text, ",") {
		name, val, _ := strings.Cut(part, "=")
		switch name {
		case "machine":
			a.Machine = val
		case "time":
			a.Time, err = strconv.ParseInt(val, 10, 64)
		case "body":
			var raw []byte
			raw, err = hex.DecodeString(val)
			if copy(a.Body[:], raw) != len(a.Body) || len(raw) != len(a.Body) {
				err = errors.New("not a digest")
			}
		case "sig":
			a.sig, err = base64.RawURLEncoding.DecodeString(val)
		default:
			err = errors.New("unknown member")
		}
		if err != nil {
			return nil, fmt.Errorf("the Authorization header is not valid: %s: %w", name, err)
		}
	}
	return a, nil
}

// Verify checks the signature of req, which a was parsed from. The caller compares the digest of the
// body, since it should not read the body of a request that is not signed.
func (a *Authorization) Verify(req *http.Request, hub string, key ed25519.PublicKey, now time.Time) error {
	if MachineID(key) != a.Machine || !ed25519.Verify(key, a.signedText(req, hub), a.sig) {
		return ErrSignature
	}
	if skew := now.Sub(time.Unix(a.Time, 0)); skew > MaxClockSkew || skew < -MaxClockSkew {
		return ErrClock
	}
	return nil
}
