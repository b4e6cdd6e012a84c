//go:build !linux

package nolink

// isFreeOfLinks returns false, because only Linux has openat2.
func isFreeOfLinks(string, bool) bool { return false }
