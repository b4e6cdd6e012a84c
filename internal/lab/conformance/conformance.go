// Package conformance holds the promises of the documents of other systems that users come from: each
// statement of a document, with the tests that show that it holds, or the reason for a difference.
//
// The rows are data, in rows/. A test reads them and checks that every test that they name exists;
// docs/conformance.md is generated from them. No program imports this package.
package conformance

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// Documents lists the names of the files in rows/, in the order of the page.
var Documents = []string{"docker-agent", "docker-agent-example", "hookmd", "starchild", "three-layers"}

// A Document is one document with its promises.
type Document struct {
	Name  string // of its file in rows/
	Title string // as a reader knows it
	Rows  []Row
}

// A Row is one promise. If it is kept, Shown names the tests; if it is not, Differs gives the reason.
// Gap describes a broken promise and makes the test fail.
type Row struct {
	ID      string   // unique in its document
	Section string   // the document's heading
	Promise string   // in our own words, one sentence
	Shown   []string // references of tests, see Find
	Differs string   // why a user is better off
	Doc     string   // docs/FILE.md#anchor, where users read about a difference
	Gap     string
	Fields  []string // events of the document's table of payload fields that it is about; see Fields
	Line    int
}

// The results of Row.Verdict.
const (
	Works   = "works"
	Differs = "differs"
	Broken  = "broken"
)

// Verdict returns Works, Differs or Broken.
func (r Row) Verdict() string {
	switch {
	case r.Gap != "":
		return Broken
	case r.Differs != "":
		return Differs
	}
	return Works
}

// Evidence returns the tests that show the promise, or the reason for the difference or the gap.
func (r Row) Evidence() string {
	shown := strings.Join(r.Shown, ", ")
	switch r.Verdict() {
	case Broken:
		return r.Gap
	case Differs:
		if shown != "" {
			shown = "; " + shown
		}
		return fmt.Sprintf("%s (%s%s)", strings.TrimSuffix(r.Differs, "."), r.Doc, shown)
	}
	return shown
}

//go:embed rows/*.yaml
var files embed.FS

// Load reads every document.
func Load() ([]Document, error) {
	var out []Document
	var errs []error
	for _, name := range Documents {
		src, err := files.ReadFile("rows/" + name + ".yaml")
		if err != nil {
			return nil, err
		}
		doc, err := Parse(name, src)
		if err != nil {
			errs = append(errs, fmt.Errorf("rows/%s.yaml: %w", name, err))
		}
		out = append(out, doc)
	}
	return out, errors.Join(errs...)
}

// Parse parses the rows of one document. Unknown keys are errors.
func Parse(name string, src []byte) (Document, error) {
	doc := Document{Name: name}
	root, warnings, err := yamldoc.Parse(src)
	if err != nil {
		return doc, err
	}
	var e []error
	for _, w := range warnings {
		e = append(e, w)
	}
	if root.Kind != yamldoc.Map {
		return doc, errors.New("the file is not a mapping: write title: and rows: into it")
	}
	for _, p := range root.Pairs {
		switch {
		case p.Key == "title" && p.Value.Kind == yamldoc.Text:
			doc.Title = p.Value.Text
		case p.Key == "rows" && (p.Value.Kind == yamldoc.List || p.Value.IsNull()):
			for _, item := range p.Value.Items {
				r, err := parseRow(item)
				doc.Rows = append(doc.Rows, r)
				e = append(e, err)
			}
		default:
			e = append(e, fmt.Errorf("line %d: %s: title is a text and rows a list, and there are no other keys", p.Line, p.Key))
		}
	}
	if doc.Title == "" {
		e = append(e, errors.New("no title"))
	}
	return doc, errors.Join(append(e, doc.checkUniqueIDs())...)
}

// checkUniqueIDs returns an error for each row whose ID an earlier row has.
func (d Document) checkUniqueIDs() error {
	var e []error
	lines := map[string]int{}
	for _, r := range d.Rows {
		if first, ok := lines[r.ID]; ok {
			e = append(e, fmt.Errorf("line %d: id %q is taken by line %d", r.Line, r.ID, first))
		}
		lines[r.ID] = r.Line
	}
	return errors.Join(e...)
}

func parseRow(n *yamldoc.Node) (Row, error) {
	r := Row{Line: n.Line}
	if n.Kind != yamldoc.Map {
		return r, fmt.Errorf("line %d: a row is a mapping, not %v", n.Line, n.Kind)
	}
	texts := map[string]*string{
		"id": &r.ID, "section": &r.Section, "promise": &r.Promise, "differs": &r.Differs, "doc": &r.Doc, "gap": &r.Gap,
	}
	lists := map[string]*[]string{"shown": &r.Shown, "fields": &r.Fields}
	var e []error
	for _, p := range n.Pairs {
		field := texts[p.Key]
		switch {
		case field != nil && p.Value.Kind == yamldoc.Text && strings.TrimSpace(p.Value.Text) != "":
			*field = strings.TrimSpace(p.Value.Text)
		case field != nil:
			e = append(e, fmt.Errorf("line %d: %s needs a text", p.Line, p.Key))
		case lists[p.Key] != nil && p.Value.Kind == yamldoc.List:
			for _, item := range p.Value.Items {
				*lists[p.Key] = append(*lists[p.Key], item.ScalarText())
			}
		case lists[p.Key] != nil:
			e = append(e, fmt.Errorf("line %d: %s needs a list", p.Line, p.Key))
		default:
			known := []string{"id", "section", "promise", "shown", "differs", "doc", "gap", "fields"}
			e = append(e, fmt.Errorf("line %d: unknown key %q%s", p.Line, p.Key, suggest.Hint(p.Key, known)))
		}
	}
	return r, errors.Join(append(e, r.check())...)
}

// check returns what a row lacks.
func (r Row) check() error {
	var e []error
	lack := func(format string, args ...any) {
		e = append(e, fmt.Errorf("line %d: %s: "+format, append([]any{r.Line, r.ID}, args...)...))
	}
	for _, f := range []struct{ name, text string }{{"id", r.ID}, {"section", r.Section}, {"promise", r.Promise}} {
		if f.text == "" {
			lack("no %s", f.name)
		}
	}
	if strings.ContainsAny(r.ID, " /") {
		lack("an id has neither spaces nor slashes")
	}
	said := 0
	for _, is := range []bool{len(r.Shown) > 0 && r.Differs == "", r.Differs != "", r.Gap != ""} {
		if is {
			said++
		}
	}
	switch {
	case said == 0:
		lack("nothing shows it: give shown (tests) or differs (a reason, with doc)")
	case said > 1:
		lack("give one of shown and differs")
	case r.Differs != "" && r.Doc == "":
		lack("a difference must be documented: set doc to docs/FILE.md#anchor")
	case r.Differs == "" && r.Doc != "":
		lack("doc goes with differs")
	}
	if slices.Contains(r.Shown, "") {
		lack("shown names tests, as DIRECTORY TestName")
	}
	return errors.Join(e...)
}
