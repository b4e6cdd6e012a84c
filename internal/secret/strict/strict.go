// Package strict masks secrets in what is written down: records, the log, notices. What
// the finder knows goes first. Beyond that it goes by shape alone and masks rather too much
// than too little: values of names like "password", credentials in headers and
// addresses, and long random strings. What an audit needs to tell things apart stays:
// paths, commit hashes, UUIDs, image digests.
//
// It runs within every call of the hot program: there is no table to build, a text
// without a finding is read once and not copied, and time is linear in the text whatever
// it holds.
package strict

import (
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/rules"
)

// A Redactor masks secrets in what is written down. Its results never hold what looks
// like a secret to it, and masking them again changes nothing. It is safe for
// concurrent use.
type Redactor struct {
	Memory *secret.Memory // of what was searched before; nil = nothing was
}

// rounds is how often a text is masked until nothing changes. One round is
// mostly enough, since its findings are not found again; where a replacement
// makes neighbours suspicious it takes more. A text that needs so many was made
// to, and is masked whole.
const rounds = 8

// How a text is masked, of which memory tells the results apart.
const (
	asText uint8 = iota
	asName
	asSearched // as a text in which nothing is left that the finder knows
)

// Text returns s with each suspicious span replaced by Marker, and s itself
// when there is none. It keeps valid UTF-8 valid.
func (c Redactor) Text(s string) string { return c.masked(s, asText) }

// Name is Text for ids, paths and other names that records are joined by: long
// random strings stay, and only what has the shape of a known secret goes.
func (c Redactor) Name(s string) string { return c.masked(s, asName) }

func (c Redactor) masked(s string, level uint8) string {
	return c.Memory.Masked(s, level, func() string { return masked(s, level, c.Memory) })
}

func masked(s string, level uint8, memory *secret.Memory) string {
	known := secret.Cleaner{Want: rules.Secrets, Memory: memory}
	name := level == asName
	if name {
		known.Keep = func(rule, _ string) bool { return rules.Guesses(rule) }
	}
	for i := range rounds {
		out := s
		if !name { // by which records are joined
			out = memory.Hide(s)
		}
		if i > 0 || level != asSearched {
			out, _ = known.Text(out)
		}
		sc := scanner{s: out, name: name}
		sc.run()
		if sc.out != nil {
			out = string(append(sc.out, out[sc.done:]...))
		}
		if out == s {
			if out = maskSpelt(s, name, &known); out == s {
				return s
			}
		}
		s = out
	}
	return secret.Marker
}
