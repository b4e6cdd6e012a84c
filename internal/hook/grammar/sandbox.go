package grammar

import (
	"strings"

	"github.com/checkrein/checkrein/internal/sys/sandbox"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// sandboxKeys lists the keys of a sandbox. The handler checks its paths.
var sandboxKeys = []string{"profile", "read", "write", "network"}

// readSandbox returns the hook's sandbox v as JSON. An empty sandbox is still a sandbox.
func (e *entry) readSandbox(v *yamldoc.Node) []byte {
	b := []byte{'{'}
	if v.Kind == yamldoc.Text {
		return append(e.addProfile(b, v), '}')
	}
	for _, p := range v.Pairs {
		switch p.Key {
		case "profile":
			b = e.addProfile(b, p.Value)
		case "read", "write":
			if p.Value.Kind != yamldoc.List {
				e.addError(p.Line, "write a list of paths", "sandbox.%s is %s, not a list", p.Key, p.Value.Kind)
				continue
			}
			b = rawjson.AppendMember(b, p.Key, e.textList("sandbox."+p.Key, p.Value))
		case "network":
			if p.Value.Kind != yamldoc.Bool {
				e.addError(p.Line, "write true or false", "sandbox.network is %s, not a boolean", p.Value.Kind)
				continue
			}
			b = rawjson.AppendMember(b, p.Key, p.Value.JSON())
		default:
			e.addError(p.Line, "", "unknown key %q in sandbox%s", p.Key, hintOrList(p.Key, sandboxKeys))
		}
	}
	return append(b, '}')
}

// addProfile appends the name v of a profile to b, the sandbox.
func (e *entry) addProfile(b []byte, v *yamldoc.Node) []byte {
	if v.Kind != yamldoc.Text || v.Text != sandbox.Walls {
		e.addError(v.Line, "write sandbox: walls, or a mapping with "+strings.Join(sandboxKeys[1:], ", "), "the sandbox profile %q is unknown", v.Text)
		return b
	}
	return rawjson.AppendMember(b, "profile", v.JSON())
}
