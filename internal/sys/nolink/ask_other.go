//go:build !linux

package nolink

// isFreeOfLinks returns false: only Linux has openat2.
func isFreeOfLinks(string, bool) bool { return false }
