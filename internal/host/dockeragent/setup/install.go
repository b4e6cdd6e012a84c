// Package setup describes how checkrein is installed in docker-agent.
package setup

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// Install describes how checkrein is installed in docker-agent.
var Install = install.Spec{
	Name: "docker-agent", Scopes: []install.Scope{install.User},
	Folders: []string{".config/cagent", ".cagent"}, Programs: []string{"docker-agent", "cagent"},
	Timeout: 600, Within: 600 - install.Margin,
	Shell: true, ShutSuffix: install.ShutFailed,
	Files: func(m *install.Machine, _ install.Scope, want []install.Entry) ([]install.File, error) {
		return []install.File{{Path: filepath.Join(configDir(m), "hooks.d", "checkrein.yaml"), Form: dropIn{}, Want: want}}, nil
	},
	Repeats: install.RunsUnknown,
	After: []string{
		"docker-agent loads hooks.d from v1.100 on, and only for docker agent run. For an older version, or for docker agent serve, put the same hooks into the agent's file.",
	},
}

func configDir(m *install.Machine) string {
	if dir := m.Getenv("DOCKER_AGENT_CONFIG_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return m.DirFromEnv("CAGENT_CONFIG_DIR", ".config", "cagent")
}

// A dropIn is the form of checkrein's own file for docker-agent, which skips the whole file if it has
// an unknown key.
type dropIn struct{}

// groupedEvents lists the events whose hooks are in groups.
var groupedEvents = []string{"pre_tool_use", "post_tool_use", "permission_request", "tool_input_transform", "tool_guard", "tool_response_transform"}

const dropInHead = "# checkrein wrote this file: `checkrein install docker-agent` renews it,\n# `checkrein uninstall docker-agent` removes it.\n"

func (dropIn) Put(src []byte, want []install.Entry) ([]byte, error) {
	if !install.IsBlank(src) && !bytes.HasPrefix(src, []byte(dropInHead[:strings.IndexByte(dropInHead, ':')])) {
		return nil, install.ErrNotOurs
	}
	var b strings.Builder
	b.WriteString(dropInHead)
	for _, w := range want {
		fmt.Fprintf(&b, "%s:\n", w.Event)
		lead, next := "  - ", "    "
		if slices.Contains(groupedEvents, w.Event) {
			group := "  - hooks:\n"
			if w.Closed { // otherwise checkrein is not asked about calls that are already approved
				group = "  - preempt_yolo: true\n    hooks:\n"
			}
			b.WriteString(group)
			lead, next = "      - ", "        "
		}
		fmt.Fprintf(&b, "%sname: %s\n%stype: command\n%scommand: %s\n%stimeout: %d\n", lead, install.HookName, next, next, install.EncodeJSON(w.Command), next, w.Timeout)
		if w.Closed { // otherwise docker-agent continues if the program is missing
			fmt.Fprintf(&b, "%son_error: block\n", next)
		}
	}
	return []byte(b.String()), nil
}

func (dropIn) Find(src []byte) ([]install.Entry, error) {
	root, err := install.ParseYAML(src)
	if err != nil {
		return nil, err
	}
	var out []install.Entry
	for _, p := range root.Pairs {
		for i, item := range p.Value.Items {
			list := []*yamldoc.Node{item}
			if inner := item.Get("hooks"); inner != nil {
				list = inner.Items
			}
			for j, h := range list {
				if line := h.Get("command").ScalarText(); line != "" {
					if _, ok := hostfiles.OwnProgram(line, "docker-agent"); ok {
						out = append(out, install.Entry{Event: p.Key, Command: line, Group: i, Index: j})
					}
				}
			}
		}
	}
	return out, nil
}

func (d dropIn) Drop(src []byte) ([]byte, error) {
	if have, err := d.Find(src); err == nil && len(have) == 0 {
		return src, nil
	}
	return nil, nil // the whole file is checkrein's
}
