package facts

// Wraps reports whether a program does nothing but run the words behind its options, here
// and now, and how many words come before those. How each takes its options is in the
// table of wrappers.
func Wraps(name string) (operands int, ok bool) {
	switch name {
	case "sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "command", "exec", "builtin", "busybox", "toybox", "chronic", "unbuffer", "caffeinate":
		return 0, true
	case "timeout", "gtimeout":
		return 1, true
	}
	return 0, false
}
