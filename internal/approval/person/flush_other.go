//go:build !unix

package person

// DiscardTypeahead does nothing on this system.
func DiscardTypeahead(any) {}
