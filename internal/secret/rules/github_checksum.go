package rules

const alphabet62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// hasGitHubChecksum reports whether token, a GitHub token, ends in the checksum of the thirty bytes
// after its prefix. Such a token is real, however it looks.
func hasGitHubChecksum(token string) bool {
	const prefix, body, check = 4, 30, 6
	if len(token) != prefix+body+check {
		return false
	}
	sum := checksumIEEE(token[prefix : prefix+body])
	for i := len(token) - 1; i >= prefix+body; i-- {
		if token[i] != alphabet62[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// checksumIEEE returns the CRC-32 of s with the IEEE polynomial. It uses no table, which would cost a
// memory page.
func checksumIEEE(s string) uint32 {
	sum := ^uint32(0)
	for i := range len(s) {
		sum ^= uint32(s[i])
		for range 8 {
			sum = sum>>1 ^ 0xedb88320&-(sum&1)
		}
	}
	return ^sum
}
