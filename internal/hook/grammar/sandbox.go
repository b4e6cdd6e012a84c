package grammar

import (
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// sandboxKeys are what a sandbox may say. What the paths may be is for those to
// say who resolve them.
var sandboxKeys = []string{"read", "write", "network"}

// sandbox returns a hook's sandbox as JSON. One that says nothing is still one.
func (e *entry) sandbox(v *yamldoc.Node) []byte {
	b := []byte{'{'}
	for _, p := range v.Pairs {
		switch p.Key {
		case "read", "write":
			if p.Value.Kind != yamldoc.List {
				e.problem(p.Line, "write a list of paths", "sandbox.%s is %s, not a list", p.Key, p.Value.Kind)
				continue
			}
			b = rawjson.AppendMember(b, p.Key, e.texts("sandbox."+p.Key, p.Value))
		case "network":
			if p.Value.Kind != yamldoc.Bool {
				e.problem(p.Line, "write true or false", "sandbox.network is %s, not a boolean", p.Value.Kind)
				continue
			}
			b = rawjson.AppendMember(b, p.Key, p.Value.JSON())
		default:
			e.problem(p.Line, "", "unknown key %q in sandbox%s", p.Key, hintOr(p.Key, sandboxKeys))
		}
	}
	return append(b, '}')
}
