package docgen

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/guard"
	"github.com/checkrein/checkrein/internal/hook/answer"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

const root = "../../.."

var once = sync.OnceValues(Files)

func files(t *testing.T) []File {
	t.Helper()
	out, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// readSchema returns a file of docs/schema, as text and decoded.
func readSchema(t *testing.T, name string) ([]byte, map[string]any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "docs", "schema", name+".schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data, out
}

// memberAt returns the member of a decoded schema at path.
func memberAt(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

func sortedKeys(v any) []string {
	var out []string
	m, _ := v.(map[string]any)
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

func TestDocsAreFresh(t *testing.T) {
	t.Parallel()
	made := map[string]bool{}
	for _, f := range files(t) {
		made[f.Path] = true
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.Path)))
		if err != nil {
			t.Errorf("%v: run `make generate`", err)
			continue
		}
		if got = bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")); !bytes.Equal(got, f.Data) {
			t.Errorf("%s is stale at line %d: run `make generate`", f.Path, firstDifference(got, f.Data))
		}
	}
	for _, dir := range []string{"docs/reference", "docs/schema"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil || made[filepath.ToSlash(rel)] {
				return err
			}
			data, err := os.ReadFile(path)
			if bytes.Contains(data, []byte(Mark)) {
				t.Errorf("%s is no longer generated: remove it", rel)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// firstDifference returns the number of the first line in which a and b differ.
func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}

func TestFilesAreStable(t *testing.T) {
	t.Parallel()
	again, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range files(t) {
		if !bytes.Equal(f.Data, again[i].Data) {
			t.Errorf("%s comes out differently each time", f.Path)
		}
		if !bytes.HasSuffix(f.Data, []byte("\n")) || bytes.HasSuffix(f.Data, []byte("\n\n")) {
			t.Errorf("%s does not end with one newline", f.Path)
		}
		if strings.HasSuffix(f.Path, ".json") {
			if err := checkDuplicateKeys(json.NewDecoder(bytes.NewReader(f.Data))); err != nil {
				t.Errorf("%s: %v", f.Path, err)
			}
		}
	}
}

// checkDuplicateKeys returns an error if an object has a key twice.
func checkDuplicateKeys(d *json.Decoder) error {
	tok, err := d.Token()
	if err != nil {
		return err
	}
	delim, ok := tok.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if delim == '{' {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if seen[key.(string)] {
				return errors.New("twice: " + key.(string))
			}
			seen[key.(string)] = true
		}
		if err := checkDuplicateKeys(d); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// TestSameEvents checks that schemas, grammar and contract table have the same events.
func TestSameEvents(t *testing.T) {
	t.Parallel()
	var want []string
	for _, c := range checkrein.Contracts() {
		if c.Kind != checkrein.Other {
			want = append(want, c.Name)
		}
	}
	_, input := readSchema(t, "input")
	_, config := readSchema(t, "config")
	var enum []string
	for _, v := range memberAt(input, "properties", "hook_event_name", "enum").([]any) {
		enum = append(enum, v.(string))
	}
	if !slices.Equal(enum, want) {
		t.Errorf("the input schema has the events\n%q\nthe contract table\n%q", enum, want)
	}
	hooks := memberAt(config, "properties", "hooks")
	if got := sortedKeys(memberAt(hooks, "properties")); !slices.Equal(got, sorted(want)) {
		t.Errorf("the configuration schema has the events\n%q\nthe contract table\n%q", got, sorted(want))
	}
	if memberAt(hooks, "additionalProperties") != false {
		t.Error("the configuration schema permits other events")
	}
	for _, c := range checkrein.Contracts() {
		const entry = `{"command": "x"}`
		if got := accepts(c.Name, entry); got != (c.Kind != checkrein.Other) {
			t.Errorf("the grammar accepts %s: %v", c.Name, got)
		}
		for _, a := range c.Aliases {
			if accepts(a.Name, entry) && !slices.Contains(want, a.Name) {
				t.Errorf("the grammar accepts %s, which is another system's name", a.Name)
			}
		}
	}
	if !accepts("native:FileChanged", `{"command": "x"}`) {
		t.Error("the grammar refuses a host's own event")
	}
	page := string(named(t, "docs/reference/events.md"))
	for _, name := range want {
		if !strings.Contains(page, "\n| [`"+name+"`](#"+name+") |") || !strings.Contains(page, "\n### "+name+"\n") {
			t.Errorf("events.md does not describe %s", name)
		}
	}
}

func named(t *testing.T, path string) []byte {
	t.Helper()
	for _, f := range files(t) {
		if f.Path == path {
			return f.Data
		}
	}
	t.Fatalf("no file %s", path)
	return nil
}

func TestSameOptions(t *testing.T) {
	t.Parallel()
	var want []string
	for _, o := range grammar.Options() {
		want = append(want, o.Key)
	}
	_, config := readSchema(t, "config")
	if got := sortedKeys(memberAt(config, "$defs", "hook", "properties")); !slices.Equal(got, sorted(want)) {
		t.Errorf("the schema has\n%q\nthe grammar\n%q", got, sorted(want))
	}
	for _, o := range grammar.Options() {
		if got := memberAt(config, "$defs", "hook", "properties", o.Key, "description"); got != o.Doc {
			t.Errorf("the schema says of %s\n%v\nthe grammar\n%s", o.Key, got, o.Doc)
		}
	}
	for _, k := range topLevel {
		if got := memberAt(config, "properties", k.name, "description"); got != k.doc {
			t.Errorf("the schema says of %s\n%v\nthe page\n%s", k.name, got, k.doc)
		}
	}
}

// TestSameBuiltins checks that the schema and the table have the same builtins.
func TestSameBuiltins(t *testing.T) {
	t.Parallel()
	_, config := readSchema(t, "config")
	var got []string
	for _, v := range memberAt(config, "$defs", "hook", "allOf").([]any) {
		if names, ok := memberAt(v, "then", "properties", "command", "enum").([]any); ok {
			for _, name := range names {
				got = append(got, name.(string))
			}
		}
	}
	if !slices.Equal(got, guard.Names()) {
		t.Errorf("the schema has\n%q\nthe table\n%q", got, guard.Names())
	}
}

// TestSameKeys compares the keys that this package describes with those that the parser lists in its
// error about an unknown key.
func TestSameKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src string
		keys      []key
	}{
		{"file", "version: 1\nqqqqqqqqqq: 1\n", topLevel},
		{"grants", "version: 1\ngrants: [{qqqqqqqqqq: 1}]\n", grantKeys},
		{"judge", "version: 1\njudge: {model: a/b, qqqqqqqqqq: 1}\n", judgeKeys},
		{"ledger", "version: 1\nledger: {qqqqqqqqqq: 1}\n", ledgerKeys},
		{"walls", "version: 1\nwalls: {qqqqqqqqqq: 1}\n", wallKeys},
		{"approvals", "version: 1\napprovals: {qqqqqqqqqq: 1}\n", approvalKeys},
		{"sandbox", "version: 1\nhooks: {stop: [{command: x, sandbox: {qqqqqqqqqq: 1}}]}\n", sandboxKeys},
		{"group", "version: 1\nhooks: {pre_tool_use: [{qqqqqqqqqq: 1, hooks: [{command: x}]}]}\n", groupKeys},
	}
	for _, tt := range tests {
		_, err := native.Dialect.Parse(hookfile.Source{File: "checkrein.yaml", Data: []byte(tt.src)})
		if err == nil {
			t.Fatalf("%s: an unknown key was accepted", tt.name)
		}
		found := regexp.MustCompile(`must be one of ([a-z_, ]+)`).FindStringSubmatch(err.Error())
		if found == nil {
			t.Fatalf("%s: the reader no longer lists its keys: %v", tt.name, err)
		}
		var want []string
		for _, k := range tt.keys {
			want = append(want, k.name)
		}
		if got := strings.Split(found[1], ", "); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%s: the reader knows %q, described are %q", tt.name, got, want)
		}
	}
	if parseNative(`{"version": 1, "packs": ["git", {"name": "disk", "medium": "none"}]}`) != nil || parseNative(`{"version": 1, "packs": "git"}`) == nil {
		t.Error("the row of packs says something else than the reader")
	}
	if parseNative(`{"version": 1, "settings": {"snapshot": true}}`) != nil || parseNative(`{"version": 1, "settings": {"q": true}}`) == nil {
		t.Error("the row of settings is wrong")
	}
}

// parseNative parses a native configuration file and returns its errors.
func parseNative(src string) error {
	_, err := native.Dialect.Parse(hookfile.Source{File: "checkrein.yaml", Data: []byte(src)})
	return err
}

func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	for e := checkrein.Effect(1); e&checkrein.AllEffects != 0; e <<= 1 {
		if effectDocs[e] == "" {
			t.Errorf("effect %s has no description", e.Words()[0])
		}
	}
	for _, c := range eventRows() {
		if c.Context != "" && !slices.ContainsFunc(lifetimeDocs[:], func(l struct{ word, doc string }) bool { return l.word == c.Context }) {
			t.Errorf("lifetime %s has no description", c.Context)
		}
		for _, name := range ownFields(&c) {
			if f, ok := fields.Find(name); !ok || f.Doc == "" {
				t.Errorf("%s: field %s is not in the payload's vocabulary", c.Name, name)
			}
		}
	}
	for _, typ := range grammar.Types {
		if typeDocs[typ] == "" {
			t.Errorf("hook type %s has no description", typ)
		}
	}
	for _, f := range condFields() {
		if f.doc == "" {
			t.Errorf("condition field %s has no description", f.name)
		}
	}
	for name := range condDocs {
		if !slices.ContainsFunc(condFields(), func(f *condField) bool { return f.name == name }) {
			t.Errorf("condition field %s is described and not there", name)
		}
	}
	for _, name := range operatorNames() {
		if validOperands(name, "") == nil {
			t.Errorf("operator %s takes nothing that is tried", name)
		}
	}
}

// TestConditionFields compiles a condition on each field for each event.
func TestConditionFields(t *testing.T) {
	t.Parallel()
	for _, f := range condFields() {
		for i := range eventRows() {
			row := &eventRows()[i]
			name := strings.ReplaceAll(f.name, "NAME", "x")
			if got := compiles(row, name, "exists", "true"); got != f.isOn(row) {
				t.Errorf("%s on %s: accepted %v, described %v", f.name, row.Name, got, f.isOn(row))
			}
			if f.isOn(row) && condType(row, f.name) != f.typ {
				t.Errorf("%s on %s is a %s, elsewhere a %s", f.name, row.Name, condType(row, f.name), f.typ)
			}
		}
	}
}

func TestHookExits(t *testing.T) {
	t.Parallel()
	h := checkrein.Hook{ID: "h", On: checkrein.PreToolUse, Dialect: "native"}
	read := func(exit int, stdout, stderr string) (checkrein.Answer, error) {
		return answer.ReadOutput(&h, &native.Dialect.Form, answer.Output{Stdout: []byte(stdout), Stderr: []byte(stderr), Exit: exit})
	}
	if a, err := read(0, `{"decision":"ask"}`, "x"); err != nil || a.Decision != checkrein.Ask {
		t.Errorf("0: %v, %v", a, err)
	}
	for _, tt := range []struct{ stdout, stderr, want string }{
		{`{"reason":"r"}`, "e", "e"}, {`{"reason":"r"}`, "", "r"}, {"", "", `blocked by hook "h"`},
	} {
		if a, err := read(2, tt.stdout, tt.stderr); err != nil || a.Decision != checkrein.Deny || a.Reason != tt.want {
			t.Errorf("2: %v, %v, want %s", a, err, tt.want)
		}
	}
	for _, exit := range []int{1, 3, 127, -1} {
		if a, err := read(exit, `{"decision":"deny"}`, ""); err == nil {
			t.Errorf("%d: %v is no fault", exit, a)
		}
	}
}
