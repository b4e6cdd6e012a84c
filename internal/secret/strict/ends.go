package strict

import (
	"unicode/utf8"
	"unsafe"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/secret/rules"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Head returns the first n bytes of a value as a text, masked. What was searched as
// JSON before is not searched again.
func (c Redactor) Head(val []byte, n int) string {
	if n >= len(val) || !c.Memory.Searched(val) {
		return c.Text(validText(val[:min(n, len(val))]))
	}
	w := c.known(val)
	w.room = n
	w.out = make([]byte, 0, n+len(secret.Marker))
	w.value(false)
	return viewed(w.out)
}

// Tail is Head for the last n bytes.
func (c Redactor) Tail(val []byte, n int) string {
	if n >= len(val) || !c.Memory.Searched(val) {
		return c.Text(validText(val[max(0, len(val)-n):]))
	}
	w := c.known(val)
	w.from = max(0, len(w.s)-n)
	w.out = make([]byte, 0, n+len(secret.Marker))
	w.value(false)
	return viewed(w.out)
}

// known takes out of JSON what the finder knows, which takes no search, for a walk
// through a part of what remains. It sees texts as they are meant: as they are spelt,
// every end of a line looks like a word that somebody hides.
func (c Redactor) known(val []byte) walker {
	known := secret.Cleaner{Want: rules.Secrets, Memory: c.Memory}
	val, _ = known.JSON(val)
	return walker{c: c, level: asSearched, s: viewed(val), nesting: nesting, spaces: true}
}

// viewed is a text that lies where the bytes do, which are long, and which nobody
// changes any more.
func viewed(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// validText returns b with what is no UTF-8 replaced.
func validText(b []byte) string {
	if s := string(b); utf8.ValidString(s) {
		return s
	}
	return string([]rune(string(b)))
}

// part returns of a string that ends at hand what the walk shall write of it, as it is
// spelt and decoded. A part has no quote where it is cut.
func (w *walker) part(raw string) (string, string) {
	start := w.i - len(raw)
	switch {
	case w.i <= w.from && len(raw) > 256:
		return raw, "" // it is not written, and too long for a name
	case start < w.from && w.i > w.from:
		raw = raw[spelling(raw, w.from-start):]
		w.bare = true
		return raw, rawjson.Unescape(raw[:len(raw)-1])
	case w.room > 0 && len(w.out)+len(raw) > w.room:
		raw = raw[:spelling(raw, max(1, w.room-len(w.out)))]
		w.cut = true
		return raw, rawjson.Unescape(raw[1:])
	}
	return raw, rawjson.Unescape(raw[1 : len(raw)-1])
}

// beginsEscape reports whether the backslash at i is the first of an escape: those
// right before it come in pairs.
func beginsEscape(raw string, i int) bool {
	k := i
	for k > 1 && raw[k-1] == '\\' {
		k--
	}
	return (i-k)&1 == 0
}

// spelling returns the last place up to k where the string raw can be cut: not in an
// escape, nor in a character.
func spelling(raw string, k int) int {
	for i := max(1, k-5); i < k; i++ { // where an escape may begin that goes on at k
		if raw[i] != '\\' || !beginsEscape(raw, i) {
			continue
		}
		size := 2
		if raw[i+1] == 'u' {
			size = 6
		}
		if i+size > k {
			return i
		}
	}
	for k > 1 && !utf8.RuneStart(raw[k]) {
		k--
	}
	return k
}
