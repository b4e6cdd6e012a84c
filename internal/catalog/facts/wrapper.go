package facts

// WrapperOperands returns how many operands precede the nested command in the arguments of a program
// that only runs that command, immediately and on this machine. It reports false if name is not such a
// program. Package program has the rows with the options of these programs.
func WrapperOperands(name string) (operands int, ok bool) {
	switch name {
	case "sudo", "doas", "env", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "command", "exec", "builtin", "busybox", "toybox", "chronic", "unbuffer", "caffeinate":
		return 0, true
	case "timeout", "gtimeout":
		return 1, true
	}
	return 0, false
}
