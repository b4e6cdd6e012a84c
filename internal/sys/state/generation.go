package state

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A Generation is what the ledger has of a sealed file.
type Generation struct {
	N        uint64 // grows with each write; the microseconds of a clock, so that it does after a loss, too
	Gone     bool   // it may be missing
	Lost     bool   // N is the newest that is left: there may have been newer ones
	Unsealed string // digest of an older build's unsealed file that a person has yet to adopt
}

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

// ParseGeneration reads what String writes.
func ParseGeneration(text string) (Generation, bool) {
	if digest, ok := strings.CutPrefix(text, "~"); ok {
		return Generation{Unsealed: digest}, digest != ""
	}
	digits, gone := strings.CutSuffix(text, "-")
	digits, lost := strings.CutSuffix(digits, "?")
	n, err := strconv.ParseUint(digits, 10, 64)
	return Generation{N: n, Gone: gone, Lost: lost}, err == nil
}

// Generations are those of all sealed files in one text: a sign, then " NAME=GENERATION"
// for each file. "" means that no build that seals files has written to the ledger.
type Generations string

// The signs.
const (
	NoGenerations   Generations = "." // a file without a generation was never sealed
	LostGenerations Generations = "!" // generations were lost: a file without one may have had one
)

// ParseGenerations checks a text.
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

func (g Generations) sign() Generations { return g[:min(len(g), 1)] }

// AreLost reports whether generations were lost.
func (g Generations) AreLost() bool { return g.sign() == LostGenerations }

// MarkLost returns what is left of the generations once newer ones may have been lost.
func (g Generations) MarkLost() Generations {
	out := LostGenerations
	for _, item := range strings.Fields(string(g[min(len(g), 1):])) {
		name, text, _ := strings.Cut(item, "=")
		one, _ := ParseGeneration(text)
		out = out.With(name, Generation{N: one.N, Lost: true})
	}
	return out
}

// MarkFound returns the generations with the sign that there are no others.
func (g Generations) MarkFound() Generations { return NoGenerations + g[min(len(g), 1):] }

// Of returns the generation of a file.
func (g Generations) Of(name string) (Generation, bool) {
	_, rest, ok := strings.Cut(string(g), " "+name+"=")
	if !ok {
		return Generation{}, false
	}
	text, _, _ := strings.Cut(rest, " ")
	return ParseGeneration(text)
}

// With returns the generations with another one for a file.
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

// Latest returns the newer generation of each file.
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
		if have, ok := out.Of(name); !ok || have.N < one.N {
			out = out.With(name, one)
		}
	}
	return out
}

// OnlyWritten returns the generations without those of files that were never written.
func (g Generations) OnlyWritten() Generations {
	out := g.sign()
	for _, item := range strings.Fields(string(g[min(len(g), 1):])) {
		if !strings.HasSuffix(item, "=0-") {
			out += Generations(" " + item)
		}
	}
	return out
}

// IsBehind reports whether a file has a newer generation in others, or one only there.
func (g Generations) IsBehind(others Generations) bool {
	for _, item := range strings.Fields(string(others[min(len(others), 1):])) {
		name, text, _ := strings.Cut(item, "=")
		one, _ := ParseGeneration(text)
		if have, ok := g.Of(name); !ok || have.N < one.N {
			return true
		}
	}
	return false
}

// UnsealedGenerations are those of a directory that only older builds have written to.
func (d Dir) UnsealedGenerations() Generations {
	out := NoGenerations
	for _, name := range SealedFiles() {
		if data, err := d.Read(name, maxSealed); err == nil {
			out = out.With(name, Generation{Unsealed: digestOf(data)})
		}
	}
	return out
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
