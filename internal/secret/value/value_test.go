package value

import (
	"math"
	"testing"
)

func TestNLog2(t *testing.T) {
	for n := uint16(1); n < 100; n++ {
		if got, want := nLog2(n), float64(n)*math.Log2(float64(n)); got != want {
			t.Errorf("%d: got %v, want %v", n, got, want)
		}
	}
}

// TestPassphraseWithANumber checks that a number may directly follow a word of a passphrase.
func TestPassphraseWithANumber(t *testing.T) {
	t.Parallel()
	for val, want := range map[string]bool{
		"gentle-aware-senior-boat75": true, "task.box.sword87": true, "gentle-aware-75": false, "gentle-aware-senior-75": true,
		"my-prod-server2": false, "reset-password-form1": false, "one-two-three": false, "one1-two2-three3": false,
	} {
		if got := isPassphrase(val); got != want {
			t.Errorf("%s: %v", val, got)
		}
	}
}

// TestEveryRowDecides checks that every row has a reason and can decide, because no earlier row hides
// it, and that the last row matches every value.
func TestEveryRowDecides(t *testing.T) {
	t.Parallel()
	for n, rows := range []Threshold{FirstRows, typedRows, chosenRows, argumentRows, saidRows, madeRows, chanceRows, SettingRows, PasswordRows, SecretRows, KeyRows, StrictRows, SpacedRows, PartedRows} {
		if end := rows[len(rows)-1]; n > 0 && end != (Row{Yes: end.Yes, why: end.why}) {
			t.Errorf("%q does not fit every value, and no row follows", end.why)
		}
		for i, r := range rows {
			if r.why == "" {
				t.Errorf("row %d does not say why: %+v", i, r)
			}
			for _, other := range rows[:i] {
				if other.at&^r.at == 0 && other.off&^r.off == 0 && other.has&^r.has == 0 && other.lacks&^r.lacks == 0 && other.is&^r.is == 0 && other.isnt&^r.isnt == 0 {
					t.Errorf("%q is never asked: %q comes first", r.why, other.why)
				}
			}
		}
	}
}

func TestEntropy(t *testing.T) {
	for s, want := range map[string]float64{"aaaa": 0, "ab": 1, "abcd": 2, "aabb": 1} {
		if got := Entropy(s); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s: got %v, want %v", s, got, want)
		}
	}
}
