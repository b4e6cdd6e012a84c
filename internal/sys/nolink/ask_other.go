//go:build !linux

package nolink

func ask(string, bool) bool { return false }
