package scan

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestBinarySecretAcrossBlocks checks that a token in a long binary file is found wherever blocks end.
func TestBinarySecretAcrossBlocks(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 3*block)
	for i := range noise {
		noise[i] = byte(r.Uint32()) | 0x80
		if i%4 == 0 {
			noise[i] = 1 + noise[i]&7
		}
	}
	copy(noise, "\x7fELF\x02\x01\x01\x00\x00\x00")
	for _, wide := range []bool{false, true} {
		secret := testToken()
		if wide {
			secret = string(encodeUTF16(secret, little, false))
		}
		for _, at := range []int{100, block - 10, block - seam/2 - 5, block + 1, 2*block - 3, 3*block - len(secret) - 1} {
			file := bytes.Clone(noise)
			file[at-1] = 1
			copy(file[at:], secret)
			file[at+len(secret)] = 2
			out := scanStreamed(t, bytes.NewReader(file))
			if out.form != isPieces || len(out.found) != 1 || out.found[0].Start != at || out.found[0].End < at+len(secret)-1 {
				t.Errorf("wide %v at %d: %+v", wide, at, out)
			}
		}
	}
}

func TestTextWithNULs(t *testing.T) {
	t.Parallel()
	prose := "An ordinary sentence of some length stands here. "
	for name, test := range map[string]struct {
		data string
		want bool
	}{
		"six":            {"\x00\x00\x00\x00\x00\x00" + prose, true},
		"between words":  {strings.ReplaceAll(prose, " ", "\x00"), true},
		"UTF-32":         {strings.Join(strings.Split(prose, ""), "\x00\x00\x00"), true},
		"padded":         {prose + strings.Repeat("\x00", 100), true},
		"zeros":          {strings.Repeat("\x00", 5000), false},
		"a program":      {"\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 64), false},
		"names, then no": {strings.Repeat(prose+"\x00", 400) + strings.Repeat("\x01\x02\x03\xff", 20000), false},
		"compressed":     {string(compressedData()), false},
	} {
		if got := !isBinary([]byte(test.data)); got != test.want {
			t.Errorf("%s: text %v", name, got)
		}
	}
}
