package setup

import "os/exec"

// setUser does nothing, since install --system is not available on Windows.
func setUser(*exec.Cmd, owner) {}
