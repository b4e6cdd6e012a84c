package rawjson

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A generator writes random documents with few different keys, so that duplicates, also in other
// spellings, are common. Random changes of bytes hardly ever produce those.
type generator struct {
	*rand.Rand
	out bytes.Buffer
}

func (g *generator) pick(of ...string) {
	g.out.WriteString(of[g.IntN(len(of))])
}

func (g *generator) space() {
	if g.IntN(4) == 0 {
		g.pick(" ", "\n", "\t ", "\r\n")
	}
}

func (g *generator) key() {
	g.pick(`"a"`, `"A"`, `"\u0061"`, `"b"`, `"bb"`, `"\u0062b"`, `""`, `"\""`, `"\u0022"`, `"é"`, `"\u00e9"`)
}

func (g *generator) value(depth int) {
	g.space()
	switch n := g.IntN(10); {
	case depth > 0 && n < 3:
		g.object(depth - 1)
	case depth > 0 && n < 5:
		g.list('[', ']', func() { g.value(depth - 1) })
	default:
		g.pick("null", "true", "false", "0", "-0", "1.0", "1e999", `"x"`, `"\u0078"`, `"]}\","`, `"\\"`)
	}
	g.space()
}

func (g *generator) object(depth int) {
	g.list('{', '}', func() {
		g.space()
		g.key()
		g.space()
		g.out.WriteByte(':')
		g.value(depth)
	})
}

func (g *generator) list(opener, closer byte, item func()) {
	g.out.WriteByte(opener)
	g.space()
	for i, n := 0, g.IntN(7); i < n; i++ {
		if i > 0 {
			g.out.WriteByte(',')
		}
		item()
	}
	g.out.WriteByte(closer)
}

func (g *generator) take() []byte {
	defer g.out.Reset()
	return bytes.Clone(g.out.Bytes())
}

func TestGenerated(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 3000 {
		g.object(3)
		obj := g.take()
		g.object(1)
		patch := g.take()
		g.value(4)
		val := g.take()
		for _, b := range [][]byte{obj, patch, val} {
			if err := Check(b); err != nil {
				t.Fatalf("Check(%q) = %v", b, err)
			}
			verifyDedup(t, b)
			verifyCompact(t, b)
			verifyElements(t, b)
		}
		verifyMembers(t, obj, "b")
		verifyPatch(t, obj, patch)
		verifyEqual(t, obj, patch)
		verifyEqual(t, patch, patch)
	}
}
