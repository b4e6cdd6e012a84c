package rules

import (
	"hash/crc32"
	"testing"
)

func TestGitHubChecksum(t *testing.T) {
	body := "abcdefghijKLMNOPQRST0123456789"
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
