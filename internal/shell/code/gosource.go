package code

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// writtenGoEffects returns the effects of go run or go test if the same command line wrote Go files, or others
// that go compiles with them, and one of them may do more than compute. It reports false otherwise.
func writtenGoEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	for i := range c.Files {
		f := &c.Files[i]
		if f.Source != nil || !facts.InList("go s S c cc cpp cxx m h syso", strings.TrimPrefix(path.Ext(f.Path), ".")) {
			continue
		}
		if !f.Complete || !strings.HasSuffix(f.Path, ".go") || !isHarmlessGo(f.Text) {
			return unreadCodeEffects(c)
		}
	}
	return nil, nil, false
}

// isHarmlessGo reports whether text, a Go file, only computes: its imports are in goPackages or are internal
// packages, which can only be the project's own, it has no directives for the compiler, and no text in it looks
// like a path or an address, which it could give to functions of the project.
func isHarmlessGo(text string) bool {
	imports, ok := goImports(text)
	if !ok || strings.Count(text, "//go:") != strings.Count(text, "//go:build ") || strings.ContainsRune(text, shell.Placeholder) ||
		containsAny(text, "\"/", "`/", "\"~", "`~", "\"..", "`..", "://", "ParseFiles", "ParseGlob", "ParseFS") {
		return false
	}
	return !slices.ContainsFunc(imports, func(name string) bool {
		_, known := slices.BinarySearch(goPackages[:], name)
		return !known && !strings.Contains(name, "/internal/") && !strings.HasSuffix(name, "/internal")
	})
}

// goImports returns the packages that text, a Go file, imports. It reports false if it is not certain that
// these are all.
func goImports(text string) (names []string, ok bool) {
	word, rest := nextGoWord(text)
	if word != "package" {
		return nil, false
	}
	_, rest = nextGoWord(rest)
	for {
		word, rest = nextGoWord(rest)
		switch word {
		case ";":
			continue
		case "import":
		default:
			return names, true // imports come before all other declarations
		}
		word, rest = nextGoWord(rest)
		group := word == "("
		if group {
			word, rest = nextGoWord(rest)
		}
		for word != ")" || !group {
			if word != "" && word[0] != '"' && word[0] != '`' { // a name for the package
				word, rest = nextGoWord(rest)
			}
			if len(word) < 2 || word[0] != '"' && word[0] != '`' {
				return nil, false
			}
			names = append(names, word[1:len(word)-1])
			if !group {
				break
			}
			if word, rest = nextGoWord(rest); word == ";" {
				word, rest = nextGoWord(rest)
			}
		}
	}
}

// nextGoWord returns the first token of text, a string with its quotes, and what follows it. It skips comments.
// The token is "" at the end of text, and in a comment or string that does not end.
func nextGoWord(text string) (word, rest string) {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f")
		end, ok := "", false
		if _, ok = strings.CutPrefix(text, "//"); ok {
			end = "\n"
		} else if _, ok = strings.CutPrefix(text, "/*"); ok {
			end = "*/"
		}
		if !ok {
			break
		}
		if _, text, ok = strings.Cut(text[2:], end); !ok {
			return "", ""
		}
	}
	if text == "" {
		return "", ""
	}
	n := 1
	switch c := text[0]; {
	case c == '"' || c == '`':
		end := strings.IndexByte(text[1:], c)
		if end < 0 {
			return "", ""
		}
		n = end + 2
	case strings.IndexByte(identChars, c) >= 0:
		n = len(text) - len(strings.TrimLeft(text, identChars))
	}
	return text[:n], text[n:]
}
