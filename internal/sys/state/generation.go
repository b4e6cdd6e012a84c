package state

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Generation is the record that the ledger has of a sealed file.
type Generation struct {
	N        uint64 // grows with each write; it is a time in microseconds, so that it grows even after records were lost
	Gone     bool   // the file may be missing
	Lost     bool   // N is the newest generation that is still recorded; newer ones may have been lost
	Unsealed string // digest of the unsealed file of an older build that a person has yet to adopt
}

// String returns the form of g that [ParseGeneration] parses.
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

// ParseGeneration parses text, the result of [Generation.String]. It reports false if text has another
// form.
func ParseGeneration(text string) (Generation, bool) {
	if digest, ok := strings.CutPrefix(text, "~"); ok {
		return Generation{Unsealed: digest}, digest != ""
	}
	digits, gone := strings.CutSuffix(text, "-")
	digits, lost := strings.CutSuffix(digits, "?")
	n, err := strconv.ParseUint(digits, 10, 64)
	return Generation{N: n, Gone: gone, Lost: lost}, err == nil
}

// Generations holds the generations of all sealed files as one string: NoGenerations or
// LostGenerations, then " NAME=GENERATION" for each file. "" means that no build that seals files has
// written to the ledger.
type Generations string

// The first byte of [Generations].
const (
	NoGenerations   Generations = "." // a file without a generation was never sealed
	LostGenerations Generations = "!" // generations were lost, so a file without one may have had one
)

// ParseGenerations returns text as Generations. It reports false if text has another form.
func ParseGenerations(text string) (Generations, bool) {
	g := Generations(text)
	if sign := g.head(); sign != NoGenerations && sign != LostGenerations {
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

// head returns the first byte of g, NoGenerations or LostGenerations, or "" if g is empty.
func (g Generations) head() Generations { return g[:min(len(g), 1)] }

// AreLost reports whether generations were lost.
func (g Generations) AreLost() bool { return g.head() == LostGenerations }

// MarkLost returns g as LostGenerations, with each of its generations marked as Lost.
func (g Generations) MarkLost() Generations {
	out := LostGenerations
	for _, item := range strings.Fields(string(g[min(len(g), 1):])) {
		name, text, _ := strings.Cut(item, "=")
		one, _ := ParseGeneration(text)
		out = out.With(name, Generation{N: one.N, Lost: true})
	}
	return out
}

// MarkComplete returns g as NoGenerations, which means that no generations were lost.
func (g Generations) MarkComplete() Generations { return NoGenerations + g[min(len(g), 1):] }

// Lookup returns the generation of the file name. It reports false if there is none.
func (g Generations) Lookup(name string) (Generation, bool) {
	_, rest, ok := strings.Cut(string(g), " "+name+"=")
	if !ok {
		return Generation{}, false
	}
	text, _, _ := strings.Cut(rest, " ")
	return ParseGeneration(text)
}

// With returns g with one as the generation of the file name.
func (g Generations) With(name string, one Generation) Generations {
	if g == "" {
		g = NoGenerations
	}
	out := string(g.head())
	for _, item := range strings.Fields(string(g[1:])) {
		if !strings.HasPrefix(item, name+"=") {
			out += " " + item
		}
	}
	return Generations(out + " " + name + "=" + one.String())
}

// MergeLatest returns, for each file in g and other, the newer of its generations. Generations are
// lost if those of g or other are.
func (g Generations) MergeLatest(other Generations) Generations {
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
	out := g.head()
	for _, item := range strings.Fields(string(g[min(len(g), 1):])) {
		if !strings.HasSuffix(item, "=0-") {
			out += Generations(" " + item)
		}
	}
	return out
}

// IsBehind reports whether others has a newer generation of a file than g, or a file that g lacks.
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

// UnsealedGenerations returns the generations for a directory to which only builds that do not seal
// files have written.
func (d Dir) UnsealedGenerations() Generations {
	out := NoGenerations
	for _, name := range SealedFiles() {
		if data, err := d.Read(name, maxSealed); err == nil {
			out = out.With(name, Generation{Unsealed: unsealedDigest(data)})
		}
	}
	return out
}

// unsealedDigest returns the digest of data, the content of an unsealed file.
func unsealedDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
