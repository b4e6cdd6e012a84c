// Package plainenglish finds all texts of the programs that users can see, and words in them that make
// readers stop. It reads the source and is not part of any program: its test keeps the messages in
// plain English, and `go run ./internal/lab/plainenglish/list` prints them.
package plainenglish

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Text is one message, help text or reason. "…" stands for values that the source concatenates;
// verbs such as %s stay.
type Text struct {
	File string // slash separated, from the root of the module
	Line int
	Kind string // error, print, help, reason, or text for any other prose
	Text string
}

// skippedDirs lists the directories whose texts users do not see, such as tests and examples.
var skippedDirs = []string{
	"bin", "docs", "e2e", "examples", "scripts", "testdata", "checkreintest",
	"internal/lab/bench", "internal/sys/build", "internal/lab/conformance",
	"internal/lab/docgen", "internal/lab/evasion", "internal/host/hostlab", "internal/host/mockmodel", "internal/lab/plainenglish",
	"internal/lab/secretcorpus",
}

// Texts returns the texts that users can see, sorted by file and line.
func Texts(root string) ([]Text, error) {
	var all []Text
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if base := path.Base(rel); rel != "." && strings.HasPrefix(base, ".") || base == "testdata" || slices.Contains(skippedDirs, rel) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		of, err := fileTexts(rel, src)
		all = append(all, of...)
		return err
	})
	slices.SortFunc(all, func(a, b Text) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
	return all, err
}

// fileTexts returns the texts of one source file. A file that imports testing has none, because it is
// a test helper.
func fileTexts(name string, src []byte) ([]Text, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, i := range f.Imports {
		if i.Path.Value == `"testing"` {
			return nil, nil
		}
	}
	r := reader{set: set, name: name}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			continue
		}
		r.collect(d, "text")
	}
	return r.texts, nil
}

type reader struct {
	set   *token.FileSet
	name  string
	texts []Text
}

// collect adds the texts in a node; kind is their kind, unless a call or field in the node determines
// another.
func (r *reader) collect(n ast.Node, kind string) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			of := cmp.Or(calls[calleeName(n.Fun)], kind)
			r.collect(n.Fun, kind)
			for _, a := range n.Args {
				r.collect(a, of)
			}
			return false
		case *ast.KeyValueExpr:
			of := kind
			if id, ok := n.Key.(*ast.Ident); ok {
				of = cmp.Or(fields[id.Name], kind)
			} else {
				r.collect(n.Key, kind)
			}
			if of != "" && of != "-" {
				r.collect(n.Value, of)
			}
			return false
		case *ast.Field: // struct tags are not for users
			return false
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				if text, ok := concatenation(n); ok {
					r.add(n, kind, text)
					return false
				}
			}
		case *ast.FuncLit:
			r.collect(n.Body, "text")
			return false
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				text, _ := strconv.Unquote(n.Value)
				r.add(n, kind, text)
			}
		}
		return true
	})
}

// calls and fields map functions and fields to the kind of their texts; "-" means not for users.
var (
	calls = map[string]string{
		"errors.New": "error", "fmt.Errorf": "error", "problem": "error", "find": "error", "fail": "error", "refused": "error",
		"fmt.Fprintf": "print", "fmt.Fprintln": "print", "fmt.Fprint": "print", "say": "print",
		"StringVar": "help", "BoolVar": "help", "IntVar": "help", "DurationVar": "help", "StringSliceVar": "help", "StringArrayVar": "help",
		"StringVarP": "help", "BoolVarP": "help", "IntVarP": "help", "StringArrayVarP": "help", "VarP": "help", "Var": "help",
		"regexp.MustCompile": "-", "strings.Fields": "-", "strings.NewReplacer": "-", "panic": "-",
		"strings.Contains": "-", "strings.HasPrefix": "-", "strings.HasSuffix": "-", "strings.Index": "-", "strings.Cut": "-",
		"strings.TrimPrefix": "-", "strings.TrimSuffix": "-", "strings.CutPrefix": "-", "strings.CutSuffix": "-", "strings.Replace": "-", "strings.ReplaceAll": "-",
	}
	fields = map[string]string{
		"Use": "help", "Short": "help", "Long": "help", "Example": "help",
		"Reason": "reason", "Why": "reason", "Remedy": "reason", "Note": "reason", "Does": "reason", "We": "reason", "What": "reason", "Instead": "reason",
		"Match": "-", "NoMatch": "-", "Samples": "-", "Fixture": "-", "Only": "-",
	}
)

// calleeName returns the name of a called function, with its package if calls has it so.
func calleeName(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && calls[x.Name+"."+f.Sel.Name] != "" {
			return x.Name + "." + f.Sel.Name
		}
		return f.Sel.Name
	}
	return ""
}

// concatenation returns the text of an expression such as "a" + b + "c", and whether it contains a
// literal.
func concatenation(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "…", false
		}
		a, inA := concatenation(e.X)
		b, inB := concatenation(e.Y)
		return a + b, inA || inB
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, _ := strconv.Unquote(e.Value)
		return text, true
	case *ast.ParenExpr:
		return concatenation(e.X)
	}
	return "…", false
}

var (
	word   = regexp.MustCompile(`[A-Za-z]{2,}`)
	glue   = regexp.MustCompile(`(?i)(^|[ (])(a|an|the|is|are|was|were|be|of|to|in|on|at|by|it|its|and|or|not|no|cannot|for|with|that|which|this|what|has|have|only|as|from|than|you|your|there|would|so|but)([ ,.:;)]|$)`)
	sample = regexp.MustCompile(` -|[a-z]\.[a-z]|^[a-z0-9_-]+ [a-z-]+ [a-z]+ [a-z]( |$)|=`)
	notSay = regexp.MustCompile(`\\[bsdw]|\(\?i|^#!|^<[a-z!?]|^\{"|^--?[a-z-]+ |SELECT |function\(|=> |^[a-z]+ -[a-z] `)
)

func (r *reader) add(n ast.Node, kind, text string) {
	if kind == "-" || len(word.FindAllString(text, 2)) < 2 || !strings.Contains(strings.TrimSpace(text), " ") {
		return
	}
	if kind == "text" && (!glue.MatchString(text) || notSay.MatchString(text) || isListOrCommand(text)) {
		return
	}
	r.texts = append(r.texts, Text{r.name, r.set.Position(n.Pos()).Line, kind, text})
}

// isListOrCommand reports whether text is a list of words or a sample command line: a long text with
// few joining words, or one whose only joining word is the name of a file.
func isListOrCommand(text string) bool {
	words := strings.Fields(text)
	joins := 0
	for _, w := range words {
		if glue.MatchString(w) && !slices.Contains([]string{"a", "A", "an", "at"}, w) {
			joins++
		}
	}
	if len(words) > 12 {
		return joins*12 < len(words)
	}
	return joins == 0 && sample.MatchString(text)
}
