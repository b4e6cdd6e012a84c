package code

import (
	"strings"
	"testing"
)

// TestHarmlessGo has Go files that only compute, and others.
func TestHarmlessGo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"package a": true,
		"package a\nimport \"fmt\"\nfunc main() { fmt.Println(1) }":                                 true,
		"//go:build linux\n\npackage a\nimport (\n\tf \"fmt\"; . \"strings\"\n\t_ \"time\" // x\n)": true,
		"package a\nimport `fmt`; import \"sort\"\nvar _ = sort.Ints":                               true,
		"package a\nimport \"example.com/shop/internal/cart\"":                                      true,
		"package a\nimport ()\nvar s = \"import \\\"os\\\"\"":                                       true,
		"":                                    false,
		"package a\nimport \"os\"":            false,
		"package a\nimport \"o\\x73\"":        false,
		"package a\nimport (\"fmt\"; \"os\")": false,
		"package a; import \"fmt\"; import \"os/exec\"":                             false,
		"package a /* import */ import /* x */ \"fmt\"\nimport ( /* \" */ \"os\" )": false,
		"package a\nimport \"fmt":                                                   false,
		"package a\nimport (\"fmt\"":                                                false,
		"package a\nimport \"C\"":                                                   false,
		"package a\nimport _ \"unsafe\"":                                            false,
		"package a\n//go:linkname x os.Remove\nfunc x(string)":                      false,
		"package a\n//go:embed .env\nvar s string":                                  false,
		"package a\nimport \"github.com/x/y\"":                                      false,
		"package a\nfunc f() { remove(\"/etc\") }":                                  false,
		"package a\nfunc f() { get(`https://x`) }":                                  false,
		"package a\nimport \"text/template\"\nvar t = template.ParseFiles(\"x\")":   false,
		"package a\nvar s = \"" + strings.Repeat("\ufffc", 1) + "\"":                false,
	} {
		if got := isHarmlessGo(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
