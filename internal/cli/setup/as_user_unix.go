//go:build unix

package setup

import (
	"os/exec"
	"syscall"
)

// setUser makes cmd run with the user and group id of who.
func setUser(cmd *exec.Cmd, who owner) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(who.uid), Gid: uint32(who.gid)}}
}
