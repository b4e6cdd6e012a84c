package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// condition tells scripts whether this machine can have sandboxes.
func condition(name string) (bool, error) {
	if name != "sandbox" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return exec.Command(filepath.Join(programs, "checkrein"), "_sandbox", `{"no_network":true}`, "--", "/bin/true").Run() == nil, nil
}
