package secret

import (
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// Head implements Redactor.
func (c Strict) Head(val []byte, n int) string {
	if n >= len(val) || !c.Memory.Searched(val) {
		return c.Text(validText(val[:min(n, len(val))]))
	}
	w := c.known(val)
	w.room = n
	w.value(false)
	return string(w.out)
}

// Tail implements Redactor.
func (c Strict) Tail(val []byte, n int) string {
	if n >= len(val) || !c.Memory.Searched(val) {
		return c.Text(validText(val[max(0, len(val)-n):]))
	}
	w := c.known(val)
	w.from = max(0, len(w.s)-n)
	w.value(false)
	return string(w.out)
}

// known takes out of JSON what the finder knows, which takes no search, for a walk
// through a part of what remains. It sees texts as they are meant: as they are spelt,
// every end of a line looks like a word that somebody hides.
func (c Strict) known(val []byte) strictWalk {
	known := Cleaner{Want: Secrets, Memory: c.Memory}
	val, _ = known.JSON(val)
	return strictWalk{c: c, level: asSearched, b: val, s: string(val), nesting: strictNesting, spaces: true}
}

// validText returns b with what is no UTF-8 replaced.
func validText(b []byte) string {
	if s := string(b); utf8.ValidString(s) {
		return s
	}
	return string([]rune(string(b)))
}

// part returns of a string that ends at hand what the walk shall write of it, as it is
// spelt and decoded. A part has no quote where it is cut.
func (w *strictWalk) part(raw string) (string, string) {
	start := w.i - len(raw)
	switch {
	case w.i <= w.from && len(raw) > 256:
		return raw, "" // it is not written, and too long for a name
	case start < w.from && w.i > w.from:
		raw = raw[spelling(raw, w.from-start):]
		w.bare = true
		return raw, decoded(`"` + raw)
	case w.room > 0 && len(w.out)+len(raw) > w.room:
		raw = raw[:spelling(raw, max(1, w.room-len(w.out)))]
		w.cut = true
		return raw, decoded(raw + `"`)
	}
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, raw[1 : len(raw)-1]
	}
	text, _ := rawjson.Text(w.b[start:w.i])
	return raw, text
}

// decoded is the text of a string.
func decoded(raw string) string {
	text, _ := rawjson.Text([]byte(raw))
	return text
}

// spelling returns the last place up to k where the string raw can be cut: not in an
// escape, nor in a character.
func spelling(raw string, k int) int {
	for i := 1; ; {
		n := strings.IndexByte(raw[i:k], '\\')
		if n < 0 {
			break
		}
		size := 2
		if raw[i+n+1] == 'u' {
			size = 6
		}
		if i += n; i+size > k {
			return i
		}
		i += size
	}
	for k > 1 && !utf8.RuneStart(raw[k]) {
		k--
	}
	return k
}
