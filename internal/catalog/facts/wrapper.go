package facts

// WrapperOperands reports whether a program only runs the command after its options, on this machine
// and at once, and returns the number of operands before that command. The rows of programs describe
// their options.
func WrapperOperands(name string) (operands int, ok bool) {
	switch name {
	case "sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "command", "exec", "builtin", "busybox", "toybox", "chronic", "unbuffer", "caffeinate":
		return 0, true
	case "timeout", "gtimeout":
		return 1, true
	}
	return 0, false
}
