package analyze

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/hook/analysis"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// propertyFiles are the patterns of the files beside a policy that may have properties.
var propertyFiles = []string{"*_properties.yaml", "*_test.yaml"}

// properties returns the properties in the files beside those of p. Mistakes in them are added to
// q.wrong.
func (q *query) properties(p *policy) (out []analysis.Property) {
	var dirs []string
	for _, f := range p.kit.Files() {
		if dir := filepath.Dir(f.Path); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		for _, pattern := range propertyFiles {
			names, _ := filepath.Glob(filepath.Join(escapeGlob(dir), pattern)) // the pattern is valid
			for _, name := range names {
				out = append(out, q.readProperties(name)...)
			}
		}
	}
	return out
}

// escapeGlob returns the pattern that matches only the path dir.
func escapeGlob(dir string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]").Replace(dir)
}

// readProperties returns the properties in a file.
func (q *query) readProperties(file string) []analysis.Property {
	src, err := state.ReadRegular(file, yamldoc.MaxSize)
	r := propertyReader{q: q, file: file}
	if err != nil {
		r.addError(0, "", "%w", err)
		return nil
	}
	root, _, err := yamldoc.Parse(src)
	if err != nil {
		r.addError(1, "", "%w", err)
		return nil
	}
	list := root.Get("properties")
	if list == nil {
		return nil
	}
	if list.Kind != yamldoc.List {
		r.addError(list.Line, "write properties: with a list of entries that begin with - name:", "properties is %s, not a list", list.Kind)
		return nil
	}
	for _, n := range list.Items {
		r.readProperty(n)
	}
	return r.out
}

// A propertyReader reads the properties of a file.
type propertyReader struct {
	q    *query
	file string
	out  []analysis.Property
}

// addError adds a mistake in the file.
func (r *propertyReader) addError(line int, remedy, format string, args ...any) {
	r.q.wrong = append(r.q.wrong, problems.New(problems.Error, &checkrein.HookError{Origin: checkrein.Origin{File: r.file, Line: line}, Err: fmt.Errorf(format, args...), Remedy: remedy}))
}

// readProperty reads one entry.
func (r *propertyReader) readProperty(n *yamldoc.Node) {
	p := analysis.Property{On: checkrein.PreToolUse, From: checkrein.Origin{File: r.file, Line: n.Line}, Name: "property " + strconv.Itoa(len(r.out)+1)}
	var claim *yamldoc.Node
	for _, member := range n.Members() {
		switch v := member.Value; member.Key {
		case "name":
			p.Name = v.ScalarText()
		case "event":
			kind, ok := hookfile.KindOf(v.ScalarText())
			if !ok {
				r.addError(v.Line, "", "unknown event %s", v.Display())
				return
			}
			p.On = kind
		case "never", "always":
			if claim != nil {
				r.addError(member.Line, "write two properties", "a property must have never: or always:, not both")
				return
			}
			claim, p.Always = v, member.Key == "always"
		default:
			keys := []string{"name", "event", "never", "always"}
			r.addError(member.Line, "use "+strings.Join(keys, ", "), "unknown key %q%s", member.Key, suggest.Hint(member.Key, keys))
			return
		}
	}
	if claim == nil || claim.Kind != yamldoc.Map {
		r.addError(n.Line, "write never: {decision: allow, if: {…}} or always: {decision: deny, if: {…}}", "the property has no claim")
		return
	}
	for _, member := range claim.Pairs {
		if member.Key != "decision" && member.Key != "if" {
			r.addError(member.Line, "use decision and if", "unknown key %q", member.Key)
			return
		}
	}
	decision, ok := hookfile.ParseDecision(claim.Get("decision").ScalarText())
	if !ok || claim.Get("decision") == nil {
		r.addError(claim.Line, "write decision: none, allow, ask or deny", "the property has no valid decision")
		return
	}
	p.Decision = decision
	if cond := claim.Get("if"); !cond.IsNull() {
		p.If = cond.JSON()
	}
	r.out = append(r.out, p)
}
