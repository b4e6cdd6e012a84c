//go:build !linux

package docs_test

import (
	"os"
	"os/exec"
)

// A tty is the terminal of a page's shell; only Linux has one here.
type tty struct{}

func openTTY(*exec.Cmd) *tty { return nil }
func (*tty) begin()          {}
func (*tty) seen() string    { return "" }

// killAll ends a page's shell.
func killAll(p *os.Process) { _ = p.Kill() }
