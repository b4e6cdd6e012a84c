package answer

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

// camelCase returns name in camel case, such as updatedInput for updated_input.
func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

func TestDocumentedKeysAreRead(t *testing.T) {
	t.Parallel()
	for _, k := range Keys() {
		for _, name := range k.Names {
			for _, spelling := range []string{name, camelCase(name), strings.ToUpper(name)} {
				got, known := lookupKey(spelling)
				switch {
				case !known:
					t.Errorf("%s is documented and unknown", spelling)
				case got.nested != k.IsNested():
					t.Errorf("%s: nested is %v, documented as %v", spelling, got.nested, k.IsNested())
				case got.read == nil && !got.nested:
					t.Errorf("%s is documented and never read", spelling)
				}
			}
		}
	}
}

// TestReadKeysAreDocumented checks that the keys in the source of lookupKey are documented.
func TestReadKeysAreDocumented(t *testing.T) {
	t.Parallel()
	var want []string
	for _, k := range Keys() {
		for _, name := range k.Names {
			want = append(want, foldKey(name))
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Name.Name != "lookupKey" {
			continue
		}
		ast.Inspect(fn, func(n ast.Node) bool {
			if clause, ok := n.(*ast.CaseClause); ok {
				for _, e := range clause.List {
					name, err := strconv.Unquote(e.(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, name)
				}
			}
			return true
		})
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("read are\n%q\ndocumented are\n%q", got, want)
	}
}

// TestKeysCountWhereDocumented checks the documented events of each key with a strict hook, whose
// answer is rejected if it has no effect on its event.
func TestKeysCountWhereDocumented(t *testing.T) {
	t.Parallel()
	form := hookfile.AnswerForm{Decisions: []hookfile.DecisionWord{
		{Word: "deny", Is: checkrein.Deny}, {Word: "ask", Is: checkrein.Ask}, {Word: "allow", Is: checkrein.Allow},
	}}
	decisions := []string{`"deny"`, `"ask"`, `"allow"`}
	values := map[string][]string{
		"decision": decisions, "permission_decision": decisions, "halt": {"true"},
		"reason": {`"why","decision":"deny"`, `"why","decision":"ask"`, `"why","decision":"allow"`},
	}
	byType := map[fields.Type]string{
		fields.AnyValue: `"x"`, fields.StringValue: `"x"`, fields.BoolValue: "false",
		fields.ObjectValue: `{"x":"y"}`, fields.ListValue: `[{"role":"user"}]`,
	}
	for _, k := range Keys() {
		if k.Can == 0 && !k.text {
			continue
		}
		samples := values[k.Names[0]]
		if samples == nil {
			samples = []string{byType[k.Type]}
		}
		for _, row := range checkrein.Contracts() {
			h := checkrein.Hook{ID: "h", On: row.Kind, Strict: true}
			counts := slices.ContainsFunc(samples, func(s string) bool {
				_, err := ReadOutput(&h, &form, Output{Stdout: []byte(`{"` + k.Names[0] + `":` + s + `}`)})
				return err == nil
			})
			if got := k.AppliesTo(&row); got != counts {
				t.Errorf("%s on %s: documented %v, read %v", k.Names[0], row.Name, got, counts)
			}
		}
	}
}
