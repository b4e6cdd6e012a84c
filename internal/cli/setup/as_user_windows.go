package setup

import "os/exec"

// asUser does nothing: there is no place of the system here.
func asUser(*exec.Cmd, owner) {}
