package pii

import "testing"

func TestCardNumbers(t *testing.T) {
	for number, want := range map[string]bool{
		"4111111111111" + "111": true, "42424242424" + "24242": true, "37828224631" + "0005": true, "305693090259" + "04": true, "60111111111" + "11117": true,
		"35301113333" + "00000": true, "22230031220" + "03222": true, "4111111111111112": false, "1234567890123452": false, "0000000000000000": false, "411111111111": false,
	} {
		d := []byte(number)
		for i := range d {
			d[i] -= '0'
		}
		if got := isCardNumber(d); got != want {
			t.Errorf("%s: got %v", number, got)
		}
	}
}
