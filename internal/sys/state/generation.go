package state

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Generation is what the ledger records about a sealed file.
type Generation struct {
	N        uint64 // grows with each write; microseconds of a clock, so that it grows even after records were lost
	Gone     bool   // the file may be missing
	Lost     bool   // N is the newest recorded generation that is left; newer ones may have been lost
	Unsealed string // digest of an older build's unsealed file that a person has yet to adopt
}

// String returns the text that [ParseGeneration] parses.
func (g Generation) String() string {
	switch {
	case g.Unsealed != "":
		return "~" + g.Unsealed
	case g.Lost:
		return strconv.FormatUint(g.N, 10) + "?"
	case g.Gone:
		return strconv.FormatUint(g.N, 10) + "-"
	}
	return strconv.FormatUint(g.N, 10)
}

// ParseGeneration parses the result of [Generation.String].
func ParseGeneration(text string) (Generation, bool) {
	if digest, ok := strings.CutPrefix(text, "~"); ok {
		return Generation{Unsealed: digest}, digest != ""
	}
	digits, gone := strings.CutSuffix(text, "-")
	digits, lost := strings.CutSuffix(digits, "?")
	n, err := strconv.ParseUint(digits, 10, 64)
	return Generation{N: n, Gone: gone, Lost: lost}, err == nil
}

// Generations holds the generations of all sealed files as one text: a sign, then " NAME=GENERATION"
// for each file. "" means that no build that seals files has written to the ledger.
type Generations string

// The signs that [Generations] begin with.
const (
	NoGenerations   Generations = "." // a file without a generation was never sealed
	LostGenerations Generations = "!" // generations were lost: a file without one may have had one
)

// ParseGenerations returns text as Generations if it has their form.
func ParseGenerations(text string) (Generations, bool) {
	g := Generations(text)
	if sign := g.sign(); sign != NoGenerations && sign != LostGenerations {
		return "", false
	}
	for _, item := range strings.Fields(text[1:]) {
		name, one, _ := strings.Cut(item, "=")
		if _, ok := ParseGeneration(one); !ok || checkName(name) != nil {
			return "", false
		}
	}
	return g, true
}

// sign returns the first byte, NoGenerations or LostGenerations; "" if g is empty.
func (g Generations) sign() Generations { return g[:min(len(g), 1)] }

// AreLost reports whether generations were lost.
func (g Generations) AreLost() bool { return g.sign() == LostGenerations }

// MarkLost returns g with the sign and the mark at each file that newer generations may have been
// lost.
func (g Generations) MarkLost() Generations {
	out := LostGenerations
	for _, item := range strings.Fields(string(g[min(len(g), 1):])) {
		name, text, _ := strings.Cut(item, "=")
		one, _ := ParseGeneration(text)
		out = out.With(name, Generation{N: one.N, Lost: true})
	}
	return out
}

// MarkComplete returns g with the sign that no generations were lost.
func (g Generations) MarkComplete() Generations { return NoGenerations + g[min(len(g), 1):] }

// Lookup returns the generation of the named file.
func (g Generations) Lookup(name string) (Generation, bool) {
	_, rest, ok := strings.Cut(string(g), " "+name+"=")
	if !ok {
		return Generation{}, false
	}
	text, _, _ := strings.Cut(rest, " ")
	return ParseGeneration(text)
}

// With returns g with the generation of the named file replaced by one.
func (g Generations) With(name string, one Generation) Generations {
	if g == "" {
		g = NoGenerations
	}
	out := string(g.sign())
	for _, item := range strings.Fields(string(g[1:])) {
		if !strings.HasPrefix(item, name+"=") {
			out += " " + item
		}
	}
	return Generations(out + " " + name + "=" + one.String())
}

// Latest returns the newer generation of each file in g and other.
func (g Generations) Latest(other Generations) Generations {
	if g == "" || other == "" {
		return g + other
	}
	out := g
	if other.AreLost() {
		out = LostGenerations + g[1:]
	}
	for _, item := range strings.Fields(string(other[1:])) {
		name, text, _ := strings.Cut(item, "=")
		one, _ := ParseGeneration(text)
		if have, ok := out.Lookup(name); !ok || have.N < one.N {
			out = out.With(name, one)
		}
	}
	return out
}

// OnlyWritten returns g without the files that were never written.
func (g Generations) OnlyWritten() Generations {
	out := g.sign()
	for _, item := range strings.Fields(string(g[min(len(g), 1):])) {
		if !strings.HasSuffix(item, "=0-") {
			out += Generations(" " + item)
		}
	}
	return out
}

// IsBehind reports whether others has a newer generation of a file, or a file that g lacks.
func (g Generations) IsBehind(others Generations) bool {
	for _, item := range strings.Fields(string(others[min(len(others), 1):])) {
		name, text, _ := strings.Cut(item, "=")
		one, _ := ParseGeneration(text)
		if have, ok := g.Lookup(name); !ok || have.N < one.N {
			return true
		}
	}
	return false
}

// UnsealedGenerations returns the generations of a directory to which only older builds have written.
func (d Dir) UnsealedGenerations() Generations {
	out := NoGenerations
	for _, name := range SealedFiles() {
		if data, err := d.Read(name, maxSealed); err == nil {
			out = out.With(name, Generation{Unsealed: digestOf(data)})
		}
	}
	return out
}

// digestOf returns the digest of an unsealed file.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
