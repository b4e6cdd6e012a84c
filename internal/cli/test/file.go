package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/hosts"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/problems"
	"github.com/checkrein/checkrein/internal/hook/dialect"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/host"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/message"
	"github.com/checkrein/checkrein/internal/text/rawjson"
	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
)

// A testFile is a file of cases about one policy.
type testFile struct {
	path     string
	src      []byte
	root     *yamldoc.Node
	policy   string // the absolute path of the policy
	agent    string
	scope    string // where the policy will be installed; "" = where it is
	defaults bool   // the hooks that are on without a file are on
	network  bool   // command hooks may use the network
	cases    []*testCase
	answers  map[string]json.RawMessage
	links    []string // the files that hooks of the policy run; set with the policy
	problems []problems.Problem
}

// A testCase is a call and what the policy is expected to do about it.
type testCase struct {
	name, label string // label is name or, without one, what the case is about
	node        *yamldoc.Node
	event       json.RawMessage // nil = the case has command
	command     string
	tool, host  string
	dir         string // in the scratch project
	walls       bool   // the host starts commands behind walls
	files       map[string]string
	answers     map[string]json.RawMessage // of hooks that do not run, by the name of the hook; they precede the file's
	expect      *yamldoc.Node              // nil = the case has no expectation yet
}

// A key is a member of a mapping in a test file.
type key[T any] struct {
	name string
	kind yamldoc.Kind
	set  func(to *T, f *testFile, n *yamldoc.Node) (wrong string)
}

// fileKeys are the members of a file.
var fileKeys = []key[testFile]{
	{"policy", yamldoc.Text, func(to *testFile, _ *testFile, n *yamldoc.Node) string { to.policy = n.Text; return "" }},
	{"agent", yamldoc.Text, func(to *testFile, _ *testFile, n *yamldoc.Node) string { to.agent = n.Text; return "" }},
	{"scope", yamldoc.Text, func(to *testFile, _ *testFile, n *yamldoc.Node) string {
		to.scope = n.Text
		return oneOf(n.Text, slices.Sorted(maps.Keys(scopes)))
	}},
	{"defaults", yamldoc.Bool, func(to *testFile, _ *testFile, n *yamldoc.Node) string { to.defaults = n.Text == "true"; return "" }},
	{"network", yamldoc.Bool, func(to *testFile, _ *testFile, n *yamldoc.Node) string { to.network = n.Text == "true"; return "" }},
	{"answers", yamldoc.Map, func(to *testFile, _ *testFile, n *yamldoc.Node) string { return readAnswers(&to.answers, n) }},
	{"cases", yamldoc.List, func(to *testFile, f *testFile, n *yamldoc.Node) string {
		for _, item := range n.Items {
			f.addCase(item)
		}
		return ""
	}},
}

// scopes are the places in which a policy may be installed.
var scopes = map[string]checkrein.Scope{"managed": checkrein.ScopeManaged, "user": checkrein.ScopeUser, "project": checkrein.ScopeProject}

// caseKeys are the members of a case.
var caseKeys = []key[testCase]{
	{"name", yamldoc.Text, func(to *testCase, _ *testFile, n *yamldoc.Node) string { to.name = n.Text; return "" }},
	{"command", yamldoc.Text, func(to *testCase, _ *testFile, n *yamldoc.Node) string { to.command = n.Text; return "" }},
	{"event", yamldoc.Map, func(to *testCase, _ *testFile, n *yamldoc.Node) string { to.event = n.JSON(); return "" }},
	{"tool", yamldoc.Text, func(to *testCase, _ *testFile, n *yamldoc.Node) string { to.tool = n.Text; return "" }},
	{"host", yamldoc.Text, func(to *testCase, _ *testFile, n *yamldoc.Node) string {
		to.host = n.Text
		return oneOf(n.Text, append(host.Names(), "native"))
	}},
	{"dir", yamldoc.Text, func(to *testCase, _ *testFile, n *yamldoc.Node) string { to.dir = n.Text; return localPath(n.Text) }},
	{"walls", yamldoc.Bool, func(to *testCase, _ *testFile, n *yamldoc.Node) string { to.walls = n.Text == "true"; return "" }},
	{"files", yamldoc.Map, func(to *testCase, _ *testFile, n *yamldoc.Node) string {
		to.files = map[string]string{}
		for _, p := range n.Pairs {
			if wrong := localPath(p.Key); wrong != "" {
				return wrong
			}
			to.files[p.Key] = p.Value.ScalarText()
		}
		return ""
	}},
	{"answers", yamldoc.Map, func(to *testCase, _ *testFile, n *yamldoc.Node) string { return readAnswers(&to.answers, n) }},
	{"expect", yamldoc.Map, func(to *testCase, f *testFile, n *yamldoc.Node) string {
		to.expect = n
		for _, p := range n.Pairs {
			switch c := findCheck(p.Key); {
			case c == nil:
				f.addProblem(p.Line, unknownKey(p.Key, checkNames()))
			case !p.Value.IsNull():
				if wrong := c.wrong(p.Value); wrong != "" {
					f.addProblem(p.Line, p.Key+": "+wrong)
				}
			}
		}
		return ""
	}},
}

// readFile reads the test file at path. What is wrong with it is in its problems.
func readFile(path string) *testFile {
	f := &testFile{path: path, defaults: true}
	src, err := state.ReadRegular(path, yamldoc.MaxSize)
	if err != nil {
		f.addProblem(0, console.PlainText(err))
		return f
	}
	if f.parse(src) != nil {
		return f
	}
	if f.policy, err = findPolicy(path, f.policy); err != nil {
		f.addProblem(1, err.Error())
	}
	return f
}

// parse reads the cases in src, and adds what is wrong with it to the problems of f. It returns an error
// if there are any.
func (f *testFile) parse(src []byte) error {
	f.src = src
	root, _, err := yamldoc.Parse(src)
	switch at := (*yamldoc.Error)(nil); {
	case errors.As(err, &at):
		f.addProblem(at.Line, at.Msg, message.Do(at.Remedy))
	case err != nil:
		f.addProblem(0, err.Error())
	case root.IsNull() || root.Kind != yamldoc.Map:
		f.addProblem(1, "a test file is a mapping with cases", message.Do("write cases: and a list below it"))
	default:
		f.root = root
		readKeys(f, f, root, fileKeys)
		if len(f.problems) == 0 && len(f.cases) == 0 {
			f.addProblem(root.Line, "the file has no cases", message.Do("write cases: and a list below it"))
		}
	}
	if len(f.problems) > 0 {
		return errors.New("the file is not valid")
	}
	return nil
}

// readKeys reads the members of n, which keys lists, into to.
func readKeys[T any](to *T, f *testFile, n *yamldoc.Node, keys []key[T]) {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].name
	}
	for _, p := range n.Pairs {
		i := slices.Index(names, p.Key)
		switch {
		case i < 0:
			f.addProblem(p.Line, unknownKey(p.Key, names))
		case p.Value.Kind != keys[i].kind && !(keys[i].kind == yamldoc.Text && p.Value.Kind == yamldoc.Number):
			f.addProblem(p.Line, fmt.Sprintf("%s must be %s, not %s", p.Key, keys[i].kind, p.Value.Kind))
		default:
			if wrong := keys[i].set(to, f, p.Value); wrong != "" {
				f.addProblem(p.Line, p.Key+": "+wrong)
			}
		}
	}
}

// addCase reads a case and adds it to f.
func (f *testFile) addCase(n *yamldoc.Node) {
	if n.Kind != yamldoc.Map {
		f.addProblem(n.Line, "a case must be a mapping, not "+n.Kind.String(), message.Do("write - command: … and expect: {answer: …}"))
		return
	}
	c := &testCase{node: n}
	before := len(f.problems)
	readKeys(c, f, n, caseKeys)
	has := func(key string) bool { return n.Get(key) != nil }
	switch {
	case len(f.problems) > before:
	case has("event") == has("command"):
		f.addProblem(n.Line, "a case needs either command or event")
	case c.walls && !hasWalls(c.host):
		f.addProblem(n.Line, "walls: this agent does not start commands behind walls", message.Do("name an agent that does, such as "+hosts.Wrappers[0].Host))
	case has("event") && has("tool"):
		f.addProblem(n.Line, "tool belongs to command", message.Do("the event names its tool itself: leave out tool"))
	}
	c.label = c.name
	if c.label == "" {
		c.label = strings.Join(strings.Fields(c.command), " ")
	}
	if c.label == "" {
		c.label = fmt.Sprintf("case %d", len(f.cases)+1)
	}
	f.cases = append(f.cases, c)
}

// hasWalls reports whether a host can start commands behind walls.
func hasWalls(name string) bool {
	_, ok := hosts.FindWrapper(name)
	return ok
}

// readAnswers reads the answers of hooks, by their names.
func readAnswers(to *map[string]json.RawMessage, n *yamldoc.Node) (wrong string) {
	*to = map[string]json.RawMessage{}
	for _, p := range n.Pairs {
		if p.Value.Kind != yamldoc.Map {
			return fmt.Sprintf("the answer of %s must be a mapping, as the hook prints it; {} decides nothing", p.Key)
		}
		(*to)[p.Key] = p.Value.JSON()
	}
	return ""
}

// addProblem adds a problem at a line of f.
func (f *testFile) addProblem(line int, what string, remedies ...message.Remedy) {
	f.problems = append(f.problems, problems.Problem{Level: problems.Error, File: f.path, Line: line, Message: message.New(what, remedies...)})
}

// unknownKey returns a message about a key that no table has.
func unknownKey(name string, known []string) string {
	return fmt.Sprintf("unknown key %q%s", name, suggest.HintOr(name, known, "the keys are "+strings.Join(known, ", ")))
}

// oneOf returns what is wrong with word if it is not one of words, otherwise "".
func oneOf(word string, words []string) string {
	if slices.Contains(words, word) {
		return ""
	}
	return fmt.Sprintf("%q is unknown%s", word, suggest.HintOr(word, words, "must be one of "+strings.Join(words, ", ")))
}

// localPath returns what is wrong with the path of a file in the scratch project, or "".
func localPath(path string) string {
	if filepath.IsLocal(filepath.FromSlash(path)) {
		return ""
	}
	return fmt.Sprintf("%q leads out of the project: write a relative path", path)
}

// findPolicy returns the absolute path of the policy that the test file at path names or, if it names
// none, of the hook file beside it.
func findPolicy(path, named string) (string, error) {
	dir := filepath.Dir(path)
	if named != "" {
		if !filepath.IsAbs(named) {
			named = filepath.Join(dir, filepath.FromSlash(named))
		}
		return named, nil
	}
	stem := strings.TrimSuffix(filepath.Base(path), suffix)
	for _, name := range []string{stem + ".yaml", stem + ".yml", stem + ".json", "checkrein.yaml", "HOOK.md", "shell_hooks.yaml", "hooks.json", "settings.json"} {
		file := filepath.Join(dir, name)
		src, err := state.ReadRegular(file, yamldoc.MaxSize)
		if err != nil {
			continue
		}
		if _, ok := dialect.Detect(hookfile.Source{File: file, Data: src}); ok {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no hook file in the same directory: name the policy under test, as in policy: ../checkrein.yaml")
}

// events returns the events of the case, for a project at root.
func (c *testCase) events(root string) ([]checkrein.Event, error) {
	body := c.event
	if body == nil {
		tool := c.tool
		if tool == "" {
			tool = dialect.ToolName(c.host, "shell")
		}
		if tool == "" {
			tool = "shell"
		}
		o := rawjson.Object{'{'}
		o.Text("hook_event_name", "pre_tool_use")
		o.Text("tool_name", tool)
		o.Key("tool_input")
		o = append(append(append(o, `{"command":`...), rawjson.Quote(c.command)...), "}}"...)
		body = json.RawMessage(o)
	}
	body = json.RawMessage(strings.ReplaceAll(string(body), projectVar, strings.Trim(string(rawjson.Quote(root)), `"`)))
	events, err := host.ReadFor(c.host, body, "")
	for i := range events {
		s := &events[i].Session
		s.Root = root
		switch {
		case c.dir != "" || s.Dir == "":
			s.Dir = filepath.Join(root, filepath.FromSlash(c.dir))
		case !filepath.IsAbs(s.Dir):
			s.Dir = filepath.Join(root, s.Dir)
		}
		if s.ID == "" {
			s.ID = "checkrein-test"
		}
	}
	return events, err
}

// projectVar stands for the directory of the scratch project in test files.
const projectVar = "$PROJECT"
