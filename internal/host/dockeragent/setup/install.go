//go:build ignore

package install

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

var dockerAgent = spec{
	name: "docker-agent", scopes: []Scope{User},
	folders: []string{".config/cagent", ".cagent"}, programs: []string{"docker-agent", "cagent"},
	timeout: 600, within: 600 - margin,
	shell: true, shut: shutFailed,
	files: func(m *Machine, _ Scope, want []entry) ([]file, error) {
		return []file{{path: filepath.Join(dockerAgentDir(m), "hooks.d", "checkrein.yaml"), form: dropIn{}, want: want}}, nil
	},
	repeats: unknown,
	after: []string{
		"docker-agent loads hooks.d from v1.100 on, and only for docker agent run. For an older version, or for docker agent serve, put the same hooks into the agent's file.",
	},
}

func dockerAgentDir(m *Machine) string {
	if dir := m.Getenv("DOCKER_AGENT_CONFIG_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return m.dir("CAGENT_CONFIG_DIR", ".config", "cagent")
}

// A dropIn is docker-agent's file of our own. One unknown key makes docker-agent
// skip all of it.
type dropIn struct{}

// grouped are the events of docker-agent whose hooks stand in groups.
var grouped = []string{"pre_tool_use", "post_tool_use", "permission_request", "tool_input_transform", "tool_guard", "tool_response_transform"}

const dropInHead = "# checkrein wrote this file: `checkrein install docker-agent` renews it,\n# `checkrein uninstall docker-agent` removes it.\n"

func (dropIn) put(src []byte, want []entry) ([]byte, error) {
	if !isBlank(src) && !bytes.HasPrefix(src, []byte(dropInHead[:strings.IndexByte(dropInHead, ':')])) {
		return nil, errNotOurs
	}
	var b strings.Builder
	b.WriteString(dropInHead)
	for _, w := range want {
		fmt.Fprintf(&b, "%s:\n", w.event)
		lead, next := "  - ", "    "
		if slices.Contains(grouped, w.event) {
			group := "  - hooks:\n"
			if w.closed { // else nobody asks us about a call that is approved already
				group = "  - preempt_yolo: true\n    hooks:\n"
			}
			b.WriteString(group)
			lead, next = "      - ", "        "
		}
		fmt.Fprintf(&b, "%sname: %s\n%stype: command\n%scommand: %s\n%stimeout: %d\n", lead, hookName, next, next, encode(w.command), next, w.timeout)
		if w.closed { // else docker-agent goes on when the program is not there
			fmt.Fprintf(&b, "%son_error: block\n", next)
		}
	}
	return []byte(b.String()), nil
}

func (dropIn) find(src []byte) ([]entry, error) {
	root, err := parseYAML(src)
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, p := range root.Pairs {
		for i, item := range p.Value.Items {
			list := []*yamldoc.Node{item}
			if inner := item.Get("hooks"); inner != nil {
				list = inner.Items
			}
			for j, h := range list {
				if line := h.Get("command").Plain(); line != "" {
					if _, ok := hostfiles.Ours(line, "docker-agent"); ok {
						out = append(out, entry{event: p.Key, command: line, group: i, index: j})
					}
				}
			}
		}
	}
	return out, nil
}

func (d dropIn) drop(src []byte) ([]byte, error) {
	if have, err := d.find(src); err == nil && len(have) == 0 {
		return src, nil
	}
	return nil, nil // the file is ours
}
