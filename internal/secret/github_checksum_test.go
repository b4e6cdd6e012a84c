package secret

import (
	"hash/crc32"
	"testing"

	"github.com/checkrein/checkrein/internal/secret/value"
)

func TestGitHubChecksum(t *testing.T) {
	body := letters(random(12), base62, 30)
	sum := crc32.ChecksumIEEE([]byte(body))
	var check [6]byte
	for i := 5; i >= 0; i-- {
		check[i] = alphabet62[sum%62]
		sum /= 62
	}
	token := "gho_" + body + string(check[:])
	if !hasGitHubChecksum(token) {
		t.Errorf("%s is refused", token)
	}
	if wrong := token[:10] + "!" + token[11:]; hasGitHubChecksum(wrong) || hasGitHubChecksum(token[1:]) {
		t.Errorf("%s is taken", wrong)
	}
}

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

func TestEntropy(t *testing.T) {
	for s, want := range map[string]float64{"aaaa": 0, "ab": 1, "abcd": 2, "aabb": 1} {
		if got := value.Entropy(s); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%s: got %v, want %v", s, got, want)
		}
	}
}
