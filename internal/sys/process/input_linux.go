package process

import "syscall"

// Input returns what our standard input is: "host" if it is a socket that the given
// process made, which no other can make for it; else the kind of file.
func Input(host int) string {
	kind := inputKind()
	if kind != "socket" {
		return kind
	}
	if peer, err := syscall.GetsockoptUcred(0, syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil && int(peer.Pid) == host {
		return "host"
	}
	return kind
}
