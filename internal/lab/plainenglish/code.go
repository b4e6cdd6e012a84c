package plainenglish

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A Problem is a name or a comment in the source that a reader would have to translate.
type Problem struct {
	File   string // slash separated, from the root of the module
	Line   int
	Kind   string // name, comment or term
	Text   string // the name, or the line of the comment
	Advice string // what to write instead
}

// CheckCode returns the problems of all Go files below folder, a directory of the module in root,
// except tests and generated files. terms is the result of [Glossary].
func CheckCode(root, folder string, terms []Term) ([]Problem, error) {
	var all []Problem
	err := filepath.WalkDir(filepath.Join(root, folder), func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		of, err := codeProblems(filepath.ToSlash(rel), src, terms)
		all = append(all, of...)
		return err
	})
	return all, err
}

// codeProblems returns the problems of one source file.
func codeProblems(name string, src []byte, terms []Term) ([]Problem, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(f) {
		return nil, err
	}
	var out []Problem
	add := func(at token.Pos, kind, text, say string) {
		out = append(out, Problem{name, set.Position(at).Line, kind, text, say})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if isBareWord(n.Name.Name) {
				add(n.Name.Pos(), "name", n.Name.Name, "a verb or what it returns")
			}
			addBannedTerms(n.Name, terms, add)
		case *ast.TypeSpec:
			addBannedTerms(n.Name, terms, add)
		}
		return true
	})
	for _, group := range f.Comments {
		for _, line := range group.List {
			for _, c := range commentStops {
				if at := c.at.FindString(line.Text); at != "" {
					add(line.Pos(), "comment", strings.TrimSpace(line.Text), c.say)
				}
			}
		}
	}
	return out, nil
}

// addBannedTerms adds a problem for each word of the name id that the glossary bans.
func addBannedTerms(id *ast.Ident, terms []Term, add func(token.Pos, string, string, string)) {
	for _, hump := range splitCamel(id.Name) {
		for _, t := range terms {
			if slices.Contains(t.Not, hump) {
				add(id.Pos(), "term", id.Name, t.Word)
			}
		}
	}
}

// commentStops lists phrases of comments in which code talks, or that name no actor.
var commentStops = []stop{
	{regexp.MustCompile(`^//\s+[A-Za-z.]+ (tells|says|hears|knows) `), "returns, reports whether, describes"},
	{regexp.MustCompile(`\b(is|are|was|were) (told|heard)\b`), "who reports it, and where"},
}

// isBareWord reports whether name is a single word that is a participle or an adverb.
func isBareWord(name string) bool {
	h := splitCamel(name)
	if len(h) != 1 {
		return false
	}
	w := h[0]
	switch {
	case slices.Contains(fineNames, w):
		return false
	case slices.Contains(bareWords, w):
		return true
	case strings.HasSuffix(w, "ed") && len(w) > 4, strings.HasSuffix(w, "ing") && len(w) > 5, strings.HasSuffix(w, "ly") && len(w) > 4:
		return true
	}
	return false
}

// fineNames lists words that look like participles or adverbs but are verbs or nouns, or names of the
// standard library.
var fineNames = []string{"apply", "assembly", "binding", "embed", "ending", "exceed", "feed", "finding", "heading", "need", "opening", "padding",
	"proceed", "reply", "seed", "setting", "speed", "string", "supply", "warning"}

var bareWords = strings.Fields(`above across again ahead alike alone already along anew apart around aside away back badly behind below beside besides
	beyond bent bound bought broken brought built caught chosen dealt done down drawn driven else elsewhere fallen fed felt forbidden forgotten forth found
	frozen given gone grown heard held hence here hidden how inside instead kept known later left lent lost made meant never newly now odd off once other out
	outside over paid past said same seen sent shown spent spoken stolen stood such swept taken taught then there thought through thrown together told torn twice
	under understood up upon what when where which who whom whose why within won worn written yet`)

// splitCamel returns the words of a name in camel case, in lower case.
func splitCamel(name string) []string {
	var out []string
	start := 0
	runes := []rune(name)
	for i := 1; i <= len(runes); i++ {
		if i == len(runes) || unicode.IsUpper(runes[i]) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			out = append(out, strings.ToLower(string(runes[start:i])))
			start = i
		}
	}
	return out
}

// A Term is an entry of docs/glossary.md: a word, and the words that names must not use instead.
type Term struct {
	Word string
	Not  []string
}

// Glossary returns the terms in the table of docs/glossary.md.
func Glossary(root string) ([]Term, error) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "glossary.md"))
	if err != nil {
		return nil, err
	}
	var out []Term
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.HasPrefix(cells[0], "-") || strings.TrimSpace(cells[0]) == "term" {
			continue
		}
		term := Term{Word: strings.TrimSpace(cells[0])}
		for not := range strings.SplitSeq(cells[2], ",") {
			if not = strings.TrimSpace(not); not != "" {
				term.Not = append(term.Not, not)
			}
		}
		out = append(out, term)
	}
	return out, nil
}
