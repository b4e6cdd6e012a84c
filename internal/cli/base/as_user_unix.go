//go:build unix

package base

import (
	"os/exec"
	"syscall"
)

// RunAs makes cmd run with the user and group id of an account.
func RunAs(cmd *exec.Cmd, uid, gid int) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
