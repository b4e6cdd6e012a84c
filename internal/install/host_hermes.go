package install

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/yamldoc"
	"github.com/tailscale/hujson"
)

var hermes = spec{
	name: "hermes", scopes: []Scope{User},
	folders: []string{".hermes"}, programs: []string{"hermes"},
	timeout: 300, within: 300 - margin, // Hermes takes no more
	// It splits the line itself, without a shell; fail_closed denies in our stead.
	files: func(m *Machine, _ Scope, want []entry) ([]file, error) {
		return []file{{path: hermesFile(m, "config.yaml"), form: yamlForm{"hermes", hermesHook}, want: want}}, nil
	},
	repeats: unknown,
	trusted: hermesTrusted,
	after:   []string{"Hermes asks for each hook on its first use; without a terminal it leaves a hook out, without a word, that you have not accepted: start hermes once and accept them, or start it with --accept-hooks. checkrein status hermes says when it is done."},
}

func hermesFile(m *Machine, name string) string {
	return filepath.Join(m.dir("HERMES_HOME", ".hermes"), name)
}

func hermesHook(e entry) []string {
	lines := []string{"command: " + string(encode(e.command)), fmt.Sprintf("timeout: %d", e.timeout)}
	if e.closed {
		lines = append(lines, "fail_closed: true")
	}
	return lines
}

// hermesTrusted looks for the person's consent, which Hermes keeps by event and
// command line.
func hermesTrusted(m *Machine, at []Site) Check {
	if src, err := read(hermesFile(m, "config.yaml")); err == nil {
		if root, _, err := yamldoc.Parse(src); err == nil && root.Get("hooks_auto_accept").Plain() == "true" {
			return Check{Yes, "hooks_auto_accept is on"}
		}
	}
	allowed := map[[2]string]bool{}
	if v := settingAt(hermesFile(m, "shell-hooks-allowlist.json"), "approvals"); v != nil {
		if a, ok := v.Value.(*hujson.Array); ok {
			for i := range a.Elements {
				allowed[[2]string{text(&a.Elements[i], "event"), text(&a.Elements[i], "command")}] = true
			}
		}
	}
	var missing []string
	for _, site := range at {
		for _, f := range site.Files {
			for _, e := range f.entries {
				if !allowed[[2]string{e.event, e.command}] {
					missing = append(missing, e.event)
				}
			}
		}
	}
	if len(missing) > 0 {
		return Check{NotYet, fmt.Sprintf("Hermes has no consent of yours for %s: start hermes once and accept them, or start it with --accept-hooks", strings.Join(missing, ", "))}
	}
	return Check{Yes, ""}
}
