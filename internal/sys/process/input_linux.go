package process

import "syscall"

// StdinKind returns the kind of file that standard input is: "host" if it is a socket that the process
// host created, which no other process can forge, otherwise the result of stdinFileType.
func StdinKind(host int) string {
	kind := stdinFileType()
	if kind != "socket" {
		return kind
	}
	if peer, err := syscall.GetsockoptUcred(0, syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil && int(peer.Pid) == host {
		return "host"
	}
	return kind
}
