package base

import "os/exec"

// RunAs does nothing, since no command runs others for another account on Windows.
func RunAs(*exec.Cmd, int, int) {}
