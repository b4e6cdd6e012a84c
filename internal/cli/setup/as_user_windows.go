package setup

import "os/exec"

// setUser does nothing, since Windows has no system-wide directory for the programs.
func setUser(*exec.Cmd, owner) {}
