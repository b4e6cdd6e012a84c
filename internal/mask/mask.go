// Package mask takes out of a text what looks like a secret, before the text
// is written anywhere.
//
// What package secret knows goes first. Beyond that it goes by shape alone and
// masks rather too much than too little: values of names like "password",
// credentials in headers and addresses, and long random strings. What an audit needs to
// tell things apart stays: paths, commit hashes, UUIDs, image digests.
//
// It runs within every call of the hot program: there is no table to build, a
// text without a finding is read once and not copied, and time is linear in
// the text whatever it holds.
package mask

import "github.com/checkrein/checkrein/internal/secret"

// Marker stands where something was masked.
const Marker = "[REDACTED]"

// A Redactor masks secrets. Its results never hold what looks like a secret to
// it, and masking them again changes nothing.
type Redactor interface {
	// Text returns s with each suspicious span replaced by Marker, and s itself
	// when there is none. It keeps valid UTF-8 valid.
	Text(s string) string
	// Name is Text for ids, paths and other names that records are joined by: long
	// random strings stay, and only what has the shape of a known secret goes.
	Name(s string) string
	// JSON returns val compact, with every string and key masked as a text, and
	// the strings and numbers of members whose keys name a secret masked whole.
	// A val that is not JSON is taken as a text; the result is then its string.
	JSON(val []byte) []byte
}

// Conservative is the Redactor of this package. It is safe for concurrent use.
type Conservative struct{}

var _ Redactor = Conservative{}

// rounds is how often a text is masked until nothing changes. One round is
// mostly enough, since its findings are not found again; where a replacement
// makes neighbours suspicious it takes more. A text that needs so many was made
// to, and is masked whole.
const rounds = 8

// Text implements Redactor.
func (Conservative) Text(s string) string { return masked(s, false) }

// Name implements Redactor.
func (Conservative) Name(s string) string { return masked(s, true) }

func masked(s string, name bool) string {
	known := secret.Cleaner{Want: secret.Secrets}
	if name {
		known.Keep = secret.Guesses
	}
	for range rounds {
		out, _ := known.Text(s)
		sc := scan{s: out, name: name}
		sc.run()
		if sc.out != nil {
			out = string(append(sc.out, out[sc.done:]...))
		}
		if out == s {
			if out = respelt(s, name, &known); out == s {
				return s
			}
		}
		s = out
	}
	return Marker
}
