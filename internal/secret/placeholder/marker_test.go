package placeholder

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawKey(t *rapid.T, name string) *Key {
	var k Key
	copy(k[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, name))
	return &k
}

func TestFind(t *testing.T) {
	t.Parallel()
	text := "a=[REDACTED:0123abcd] b=[REDACTED] c=[REDACTED:0123ABCD] d=[REDACTED:0123abc] [REDACTED:github-pat] [REDACTED[REDACTED:ffffffff]"
	var got []string
	for _, m := range FindMarkers(text) {
		got = append(got, m.ID+"="+text[m.Start:m.End])
	}
	want := "0123abcd=[REDACTED:0123abcd] =[REDACTED] ffffffff=[REDACTED:ffffffff]"
	if strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDisplayedValuesHaveSameID checks that a value has the same id however a tool displays it.
func TestDisplayedValuesHaveSameID(t *testing.T) {
	t.Parallel()
	k := Key{7}
	lines := []string{"-----BEGIN KEY-----", "MIIEowIBAAKCAQEA1234", "abcd+/0123456789wxyz", "-----END KEY-----"}
	plain := strings.Join(lines, "\n")
	for name, shown := range map[string]string{
		"numbers":    lines[0] + "\n     4→" + lines[1] + "\n     5→" + lines[2] + "\n    10→" + lines[3],
		"tabs":       lines[0] + "\n4\t" + lines[1] + "\n5\t" + lines[2] + "\n6\t" + lines[3],
		"added":      strings.Join(lines, "\n+"),
		"taken away": strings.Join(lines, "\n-"),
		"quoted":     strings.Join(lines, "\n> "),
		"escaped":    strings.Join(lines, `\n`),
		"indented":   strings.Join(lines, "\n    "),
		"windows":    strings.Join(lines, "\r\n"),
	} {
		if k.ID(shown) != k.ID(plain) {
			t.Errorf("%s: another id", name)
		}
	}
	if k.ID(`a\/b\u002bc`) != k.ID("a/b+c") {
		t.Error("escapes of JSON make another id")
	}
	if k.ID("+abc") == k.ID("abc") {
		t.Error("a sign that begins the value is part of it")
	}
}

// TestIDs checks that the id of a value is always the same, depends on the key, and reveals nothing
// about the value.
func TestIDs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[A-Za-z0-9+/_-]{12,60}`).Draw(t, "value")
		k := drawKey(t, "key")
		m := k.Marker(value)
		if m != k.Marker(value) || len(m) != len("[REDACTED:00000000]") {
			t.Fatalf("marker %s", m)
		}
		found := FindMarkers("x" + m + "y")
		if len(found) != 1 || found[0].ID != k.ID(value) {
			t.Fatalf("%s is found as %+v", m, found)
		}
		other := *k
		other[rapid.IntRange(0, 31).Draw(t, "byte")] ^= 1
		if other.ID(value) == k.ID(value) {
			t.Skip("one in four thousand million")
		}
	})
}
