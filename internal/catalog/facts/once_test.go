package facts_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/facts"
)

// factFunctions are names of functions that would duplicate those of this package, in lower case.
const factFunctions = " hostof hostofurl barehost isloopback loopback islocal islocalhost isprivate secretfile secretpath secretname issecret issecretfile issecretname secretvariable secretkey gethost "

// marks are words that would occur in a list of hosts, files or names with secrets.
const marks = " localhost 127.0.0.1 ::1 0.0.0.0 192.168. 10. id_rsa id_ed25519 id_ecdsa id_dsa .env .pgpass _netrc .netrc .git-credentials .npmrc .pypirc .ssh .ssh/ .aws .aws/ credentials.json" +
	" PASSWORD PASSWD PASSW TOKEN SECRET API_KEY APIKEY PRIVATE_KEY ACCESS_KEY CREDENTIAL GITHUB_TOKEN passwd apikey api_key api-key private_key access_key webhook.site ngrok.io "

// otherUses are files that may contain such a word for another purpose.
var otherUses = []struct{ file, why string }{
	{"shell/files/protect.go", "what an agent must not change; a test there holds its keys against this package"},
	{"shell/files/delete.go", "what has no other copy"},
	{"shell/files/redirect.go", "what people write by hand"},
	{"shell/files/write.go", "which settings have no other copy"},
	{"shell/exfil/network.go", "which secrets are more than one password"},
	{"shell/rules/kill.go", "how a developer's own processes are called"},
	{"shell/program/table_rules.go", "the program passwd"},
	{"guard/binding/reads.go", "which files are settings"},
	{"shell/taskfile/pack.go", "which files steer package managers"},
	{"shell/resolve/shell_args.go", "which programs run a text for each line"},
	{"shell/taskfile/parts.go", "which files steer package managers"},
	{"shell/program/table_kinds.go", "the kinds of all programs, by name"},
	{"approval/liveagents/caller.go", "which programs may be between an agent and its hooks"},
	{"host/install/program.go", "where a program must not be installed"},
	{"catalog/tools/shape.go", "which words of a call are addresses"},
	{"catalog/hosts/table.go", "where hosts read variables"},
	{"host/*/row.go", "the same, where it is stated"},
}

// listedGroups are groups of programs, devices and directories that must not be listed a second time.
var listedGroups = []struct{ what, names string }{
	{"shells", programsWith(func(t facts.Language) bool { return t > facts.NoLanguage && t < facts.Python })},
	{"interpreters", programsWith(facts.Language.IsInterpreted)},
	{"wrappers", "sudo doas env nice ionice nohup setsid stdbuf time command exec builtin timeout gtimeout"},
	{"devices", "/dev/zero /dev/random /dev/urandom /dev/full /dev/null /dev/stdout /dev/stderr"},
	{"directories for temporary files", strings.Join(facts.TempDirs(), " ")},
}

func programsWith(is func(facts.Language) bool) string {
	var out []string
	for _, name := range facts.InterpreterNames() {
		if is(facts.LanguageOf(name)) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " ")
}

// repeatedGroup returns the group that words repeat: at least three words are in it, and they are half
// of words.
func repeatedGroup(words []string) string {
	for _, k := range listedGroups {
		n := 0
		for _, w := range words {
			if strings.Contains(" "+k.names+" ", " "+w+" ") {
				n++
			}
		}
		if n >= 3 && 2*n >= len(words) {
			return k.what
		}
	}
	return ""
}

// stringLiterals returns the values of the string literals in list.
func stringLiterals(list []ast.Expr) []string {
	var out []string
	for _, x := range list {
		if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				out = append(out, s)
			}
		}
	}
	return out
}

// TestRepeatedGroup checks that a repeated list is found in any form.
func TestRepeatedGroup(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.go")
	src := "package a\n\nvar a = []string{\"sh\", \"bash\", \"zsh\"}\n\nconst b = \"python3 node ruby\"\n\nfunc c(s string) bool {\n\tswitch s {\n\tcase \"sudo\", \"env\", \"nohup\", \"x\":\n\t\treturn true\n\tcase \"sh\", \"a\", \"b\":\n\t}\n\treturn false\n}\n"
	if err := os.WriteFile(path, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := repeatedFacts(t, path); !slices.Equal(got, []string{"a list of shells", "a list of interpreters", "a list of wrappers"}) {
		t.Errorf("%q", got)
	}
}

// TestFactsAreStatedOnce rejects a second definition of a fact. Each fact once had several lists,
// which disagreed.
func TestFactsAreStatedOnce(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, top := range []string{"shell", "guard", "approval", "host", "catalog"} {
		err := filepath.WalkDir(filepath.Join("..", "..", top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "facts" || d.Name() == "testdata") {
				if err == nil {
					err = fs.SkipDir
				}
				return err
			}
			if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			name := filepath.ToSlash(strings.TrimPrefix(path, filepath.Join("..", "..")+string(filepath.Separator)))
			for _, found := range repeatedFacts(t, path) {
				if i := slices.IndexFunc(otherUses, func(e struct{ file, why string }) bool { ok, _ := pathpkg.Match(e.file, name); return ok }); i >= 0 {
					used[otherUses[i].file] = true
					continue
				}
				t.Errorf("%s: %s: this belongs in internal/catalog/facts", name, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range otherUses {
		if !used[e.file] {
			t.Errorf("%s needs no exception any more", e.file)
		}
	}
}

// repeatedFacts returns the facts that the file at path repeats.
func repeatedFacts(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	note := func(words []string) {
		if what := repeatedGroup(words); what != "" {
			out = append(out, "a list of "+what)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if strings.Contains(factFunctions, " "+strings.ToLower(n.Name.Name)+" ") {
				out = append(out, "func "+n.Name.Name)
			}
		case *ast.KeyValueExpr: // examples of a rule
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Match" || key.Name == "NoMatch" || key.Name == "Instead") {
				return false
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				if hasMark(text) {
					out = append(out, n.Value)
				}
				note(strings.Fields(text))
			}
		case *ast.CaseClause:
			note(stringLiterals(n.List))
		case *ast.CompositeLit:
			note(stringLiterals(n.Elts))
		}
		return true
	})
	return out
}

// hasMark reports whether text is one of marks or a list with several of them.
func hasMark(text string) bool {
	words, n := strings.Fields(text), 0
	for _, w := range words {
		if strings.Contains(marks, " "+w+" ") {
			n++
		}
	}
	return n > 1 || n == 1 && len(words) == 1
}
