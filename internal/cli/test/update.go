package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// update writes what the policy decided into the expectations that failed. Cases that could not be
// tried stay as they are.
func (f *fileResult) update() error {
	src, count := f.src, 0
	for _, r := range slices.Backward(f.results) { // lines before a change keep their numbers
		changed, err := r.changeAll(src)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.path, r.node.Line, err)
		}
		if r.updated = changed != nil; r.updated {
			src, r.failures, r.obstacles = changed, nil, nil
			count++
		}
	}
	if count == 0 {
		return nil
	}
	now := &testFile{path: f.path, defaults: true}
	if err := now.parse(src); err != nil || len(now.cases) < len(f.results) {
		return fmt.Errorf("%s: the expectations cannot be changed in place: run it without --update, and change them yourself", f.path)
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	return state.ReplaceFile(f.path, src, info.Mode().Perm())
}

// changeAll returns src with the expectations of r as the policy decided, or nil if nothing is to be
// changed.
func (r *result) changeAll(src []byte) ([]byte, error) {
	if r.bare {
		var members []string
		for _, p := range starterExpect.Pairs {
			if got := findCheck(p.Key).got(r.decision); len(got) > 0 {
				members = append(members, p.Key+": "+scalarText(got[0]))
			}
		}
		return r.change(src, []string{"expect"}, "{"+strings.Join(members, ", ")+"}")
	}
	if len(r.failures) == 0 || len(r.obstacles) > 0 {
		return nil, nil
	}
	for _, f := range slices.Backward(r.failures) {
		value := findCheck(f.Key).valueText(r.expect.Get(f.Key), f.Got)
		var err error
		if src, err = r.change(src, []string{"expect", f.Key}, value); err != nil {
			return nil, err
		}
	}
	return src, nil
}

// valueText returns got as YAML, in the form of old: a string or a list.
func (c *check) valueText(old *yamldoc.Node, got []string) string {
	switch {
	case len(got) == 0:
		return "null"
	case c.raw:
		return got[0]
	case old.Kind != yamldoc.List:
		first, _, _ := strings.Cut(got[0], "\n")
		return scalarText(first)
	}
	out := make([]string, len(got))
	for i, s := range got {
		out[i] = scalarText(s)
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// plainScalar matches strings that need no quotes in YAML.
var plainScalar = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*$`)

// scalarText returns s as YAML.
func scalarText(s string) string {
	if plainScalar.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // strings can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// change returns src with the member of the case that keys leads to set to value. Everything else stays
// as it is, which is checked.
func (c *testCase) change(src []byte, keys []string, value string) ([]byte, error) {
	last := len(keys) - 1
	m, ok := yamldoc.MappingAt(string(src), c.node.Line), true
	for _, k := range keys[:last] {
		if m, ok = m.Inner(k); !ok {
			break
		}
	}
	out := []byte(m.Set(keys[last], value))
	if !ok || !c.differsOnlyIn(keys, src, out) {
		return nil, fmt.Errorf("the expectation cannot be changed in place: write %s: %s yourself", strings.Join(keys, ": "), value)
	}
	return out, nil
}

// differsOnlyIn reports whether the files before and after differ in nothing but the member of the case
// that keys leads to.
func (c *testCase) differsOnlyIn(keys []string, before, after []byte) bool {
	was, _, err := yamldoc.Parse(before)
	if err != nil {
		return false
	}
	is, _, err := yamldoc.Parse(after)
	if err != nil {
		return false
	}
	for _, root := range []*yamldoc.Node{was, is} {
		for _, n := range root.Get("cases").Items {
			if n.Line != c.node.Line {
				continue
			}
			for _, k := range keys[:len(keys)-1] {
				n = n.Get(k)
			}
			last := keys[len(keys)-1]
			n.Pairs = slices.DeleteFunc(n.Pairs, func(p yamldoc.Pair) bool { return p.Key == last })
		}
	}
	return string(was.JSON()) == string(is.JSON())
}
