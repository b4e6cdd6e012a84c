package manual

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every topic has a unique name and a description, and the index has all topics but the pages of
// single hosts.
func TestTopics(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	told := descriptions()
	for _, topic := range Topics() {
		if other, twice := seen[topic.Name]; twice {
			t.Errorf("%s and %s are both called %s", other, topic.path, topic.Name)
		}
		seen[topic.Name] = topic.path
		if topic.About == "" {
			t.Errorf("nothing says what %s is about", topic.Name)
		}
		if told[topic.path] == "" && (topic.Part != "hosts" || topic.Name == "hosts") {
			t.Errorf("docs/README.md does not have %s", topic.path)
		}
		if got, err := Find(topic.path); err != nil || got.Name != topic.Name {
			t.Errorf("%s: %v %v", topic.path, got, err)
		}
	}
	if len(seen) < 30 {
		t.Errorf("only %d topics", len(seen))
	}
}

func TestNamedSuggests(t *testing.T) {
	t.Parallel()
	if _, err := Find("aprovals"); err == nil || !strings.Contains(err.Error(), `did you mean "approvals"?`) {
		t.Error(err)
	}
}

var (
	command = regexp.MustCompile(`checkrein docs ([a-z][a-z-]*)`)
	file    = regexp.MustCompile(`\bdocs/[a-z/-]*(\.md|\b)`)
)

// Messages refer to the documentation by a command that shows it, because users may not have the files
// of their build.
func TestMessagesPointToTopics(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	aside := []string{"internal/lab/docgen", "internal/lab/site", "internal/lab/conformance", "internal/lab/evasion", "internal/shell/program", "internal/lab/bench", "docs"}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			for _, a := range aside {
				if name == a {
					return fs.SkipDir
				}
			}
			if name != "." && strings.HasPrefix(e.Name(), ".") || e.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if _, imports := n.(*ast.ImportSpec); imports {
				return false
			}
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			for _, m := range command.FindAllStringSubmatch(lit.Value, -1) {
				if _, err := Find(m[1]); err != nil {
					t.Errorf("%s: %s: %v", name, m[0], err)
				}
			}
			if m := file.FindString(lit.Value); m != "" && !strings.Contains(lit.Value, "git checkout") {
				t.Errorf("%s names %s: point to checkrein docs TOPIC", name, m)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
