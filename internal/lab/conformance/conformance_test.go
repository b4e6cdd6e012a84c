package conformance

import (
	"fmt"
	"strings"
	"testing"
)

const root = "../../.."

// TestConformance checks that every promise of every document is shown by existing tests, or differs
// for a documented reason. With -v it lists all promises.
func TestConformance(t *testing.T) {
	t.Parallel()
	docs, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		for _, r := range doc.Rows {
			t.Run(doc.Name+"/"+r.ID, func(t *testing.T) {
				t.Logf("%s: %s — %s", r.Verdict(), r.Promise, r.Evidence())
				if r.Gap != "" {
					t.Errorf("%s.yaml:%d: it does not hold: %s", doc.Name, r.Line, r.Gap)
				}
				for _, ref := range r.Shown {
					if err := Find(root, ref); err != nil {
						t.Errorf("%s.yaml:%d: %s: %v", doc.Name, r.Line, ref, err)
					}
				}
				if r.Doc != "" {
					if err := FindHeading(root, r.Doc); err != nil {
						t.Errorf("%s.yaml:%d: %s: %v", doc.Name, r.Line, r.Doc, err)
					}
				}
			})
		}
	}
}

// TestFieldsAreRows checks that rows name each event of each table of payload fields, and no other
// event.
func TestFieldsAreRows(t *testing.T) {
	t.Parallel()
	docs, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	tables, err := Fields()
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		named := map[string]bool{}
		for _, r := range doc.Rows {
			for _, event := range r.Fields {
				named[event] = true
				if _, ok := tables[doc.Name][event]; !ok {
					t.Errorf("%s.yaml:%d: fields.yaml has no event %q of %s", doc.Name, r.Line, event, doc.Name)
				}
			}
		}
		for event := range tables[doc.Name] {
			if !named[event] {
				t.Errorf("%s: no row has the fields of %s", doc.Name, event)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const head = "title: x\nrows:\n"
	row := func(lines ...string) string {
		return head + "- id: a\n  section: s\n  promise: p\n  " + strings.Join(lines, "\n  ") + "\n"
	}
	for _, tt := range []struct{ name, src, want string }{
		{"nothing shows it", head + "- id: a\n  section: s\n  promise: p\n", "nothing shows it"},
		{"an unknown key", row("show: [x]"), `unknown key "show", did you mean "shown"?`},
		{"shown is a text", row("shown: x TestY"), "shown needs a list"},
		{"an empty reference", row(`shown: [""]`), "shown names tests"},
		{"an empty text", row(`differs: ""`), "differs needs a text"},
		{"a difference without a place", row("differs: because"), "a difference must be documented"},
		{"a place without a difference", row("shown: [x TestY]", "doc: docs/x.md"), "doc goes with differs"},
		{"a promise for later", row("pending: soon"), `unknown key "pending"`},
		{"two verdicts", row("shown: [x TestY]", "gap: it breaks"), "give one of"},
		{"no promise", head + "- id: a\n  section: s\n  shown: [x TestY]\n", "no promise"},
		{"an id with a space", head + "- id: a b\n  section: s\n  promise: p\n  shown: [x TestY]\n", "neither spaces nor slashes"},
		{"an id twice", row("shown: [x TestY]") + "- id: a\n  section: s\n  promise: q\n  shown: [x TestY]\n", "is taken by line 3"},
		{"no title", "rows: []\n", "no title"},
		{"another key", "title: x\nrow: []\n", "no other keys"},
		{"no mapping", "[]", "not a mapping"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("x", []byte(tt.src))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		})
	}
	if _, err := Parse("x", []byte(row("differs: because", "doc: docs/x.md#y", "shown: [x TestY]"))); err != nil {
		t.Error(err)
	}
	d, err := Parse("x", []byte(row("gap: not yet")))
	if err != nil || d.Rows[0].Verdict() != Broken {
		t.Errorf("%v, %v", d, err)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for ref, ok := range map[string]bool{
		"internal/lab/conformance TestFind":                                 true,
		"internal/lab/conformance TestParseRefuses/an unknown key":          true,
		"internal/lab/conformance TestParseRefuses/an unknown key/no title": true, // nested names, one by one
		"internal/lab/conformance TestParseRefuses/" + fmt.Sprint(403):      false,
		"internal/lab/conformance TestNothing":                              false,
		"internal/nothing TestFind":                                         false,
		"cmd/checkrein TestScripts/run_once":                                true,
		"cmd/checkrein TestScripts/run_" + fmt.Sprint(403):                  false,
		"TestFind": false,
	} {
		if err := Find(root, ref); (err == nil) != ok {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for place, ok := range map[string]bool{
		"docs/dialects.md": true, "docs/nothing.md": false, "docs/../README.md": false, "README.md": false, "docs/dialects.md#nothing": false,
		"docs/dialects.md#differences-worth-knowing": true,
	} {
		if err := FindHeading(root, place); (err == nil) != ok {
			t.Errorf("%s: %v", place, err)
		}
	}
	if got := Anchor("What `a|b` is: 1 (one), läuft"); got != "what-ab-is-1-one-läuft" {
		t.Error(got)
	}
}
