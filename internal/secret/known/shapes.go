package known

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"slices"
)

// minLetters is the minimum number of letters and digits of a value, and of each of its forms.
const minLetters = 8

// letters maps letters and digits to themselves in lower case, and all other bytes to 0.
var letters = [256]byte{
	'0': '0', '1': '1', '2': '2', '3': '3', '4': '4', '5': '5', '6': '6', '7': '7', '8': '8', '9': '9',
	'a': 'a', 'b': 'b', 'c': 'c', 'd': 'd', 'e': 'e', 'f': 'f', 'g': 'g', 'h': 'h', 'i': 'i', 'j': 'j', 'k': 'k', 'l': 'l', 'm': 'm',
	'n': 'n', 'o': 'o', 'p': 'p', 'q': 'q', 'r': 'r', 's': 's', 't': 't', 'u': 'u', 'v': 'v', 'w': 'w', 'x': 'x', 'y': 'y', 'z': 'z',
	'A': 'a', 'B': 'b', 'C': 'c', 'D': 'd', 'E': 'e', 'F': 'f', 'G': 'g', 'H': 'h', 'I': 'i', 'J': 'j', 'K': 'k', 'L': 'l', 'M': 'm',
	'N': 'n', 'O': 'o', 'P': 'p', 'Q': 'q', 'R': 'r', 'S': 's', 'T': 't', 'U': 'u', 'V': 'v', 'W': 'w', 'X': 'x', 'Y': 'y', 'Z': 'z',
}

// appendLetters appends the letters and digits of text to dst, in lower case.
func appendLetters(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := letters[text[i]]; c != 0 {
			dst = append(dst, c)
		}
	}
	return dst
}

// A form is one way to write a value, with letters and digits alone.
type form struct {
	first         uint64 // the first letters of the text
	text          string
	value         int
	before, after int  // characters of the view beside the text that hold further bits of the value
	plain         bool // it is the value itself
}

// appendForms appends the forms of text, which is the value number i.
func appendForms(dst []form, i int, text string) []form {
	add := func(s string, f form) {
		b := appendLetters(nil, s)
		if len(b) < minLetters {
			return
		}
		f.value, f.text, f.first = i, string(b), binary.BigEndian.Uint64(b)
		dst = append(dst, f)
		if f.plain { // the views show the other forms backwards
			slices.Reverse(b)
			dst = append(dst, form{value: i, text: string(b), first: binary.BigEndian.Uint64(b)})
		}
	}
	add(text, form{plain: true})
	add(rotate(text), form{})
	raw := []byte(text)
	add(hex.EncodeToString(raw), form{})
	for at := range 2 { // dumps of 16-bit words show the second byte first
		pairs := slices.Clone(raw[at : at+(len(raw)-at)/2*2])
		for k := 0; k < len(pairs); k += 2 {
			pairs[k], pairs[k+1] = pairs[k+1], pairs[k]
		}
		if len(pairs) >= minLetters-2 {
			add(hex.EncodeToString(pairs), form{before: 4 * at, after: 4 * ((len(raw) - at) % 2)})
		}
	}
	// The encoding depends on where in a group the value starts. Characters at its ends that depend on
	// other text too are left out of the form.
	for at := range 3 {
		code := base64.RawStdEncoding.EncodeToString(append(make([]byte, at), raw...))
		end := (at + len(raw)) * 8
		add(code[(at*8+5)/6:end/6], form{before: min(at, 1), after: min(end%6, 1)})
	}
	for at := range 5 {
		code := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(append(make([]byte, at), raw...))
		end := (at + len(raw)) * 8
		add(code[(at*8+4)/5:end/5], form{before: min(at, 1), after: min(end%5, 1)})
	}
	return dst
}

// rotate returns text with each letter 13 places further in the alphabet.
func rotate(text string) string {
	b := []byte(text)
	for i, c := range b {
		if low := c | 0x20; low >= 'a' && low <= 'z' {
			b[i] = c - low + 'a' + (low-'a'+13)%26
		}
	}
	return string(b)
}
