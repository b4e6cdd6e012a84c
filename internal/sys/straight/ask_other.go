//go:build !linux

package straight

func ask(string, bool) bool { return false }
