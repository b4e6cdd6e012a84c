package starchild

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// SwitchOn returns the agent.yaml agent with its master switch on, and the line of the switch. No
// other byte changes. It returns an error if the switch is not off or its position cannot be
// determined.
func SwitchOn(agent []byte) (on []byte, line int, err error) {
	root, _, err := yamldoc.Parse(agent)
	if err != nil {
		return nil, 0, err
	}
	n := root.Get("shell_hooks").Get("enabled").AsYAML11Bool()
	if n == nil || n.Kind != yamldoc.Bool || n.Text != "false" {
		return nil, 0, errors.New("shell_hooks.enabled is not false in this file")
	}
	start := 0
	for i := 1; i < n.Line; i++ {
		start += bytes.IndexByte(agent[start:], '\n') + 1
	}
	text, _, _ := bytes.Cut(agent[start:], []byte("\n"))
	for at := 0; ; { // find the value itself, since a comment or another key may contain "false"
		i := bytes.Index(text[at:], []byte(n.Written))
		if i < 0 || n.Written == "" {
			return nil, 0, fmt.Errorf("line %d is written in a way that checkrein cannot change: edit it by hand", n.Line)
		}
		at += i
		out := bytes.Clone(agent[:start+at])
		out = append(append(out, "true"...), agent[start+at+len(n.Written):]...)
		if differsOnlyInSwitch(root, out) {
			return out, n.Line, nil
		}
		at += len(n.Written)
	}
}

// differsOnlyInSwitch reports whether text has the same content as root except that the master switch
// is on.
func differsOnlyInSwitch(root *yamldoc.Node, text []byte) bool {
	now, _, err := yamldoc.Parse(text)
	if err != nil {
		return false
	}
	n := now.Get("shell_hooks").Get("enabled")
	if n == nil || n.Kind != yamldoc.Bool || n.Text != "true" {
		return false
	}
	was := root.Get("shell_hooks").Get("enabled")
	n.Kind, n.Text, n.Written = was.Kind, was.Text, was.Written
	return bytes.Equal(now.JSON(), root.JSON())
}
