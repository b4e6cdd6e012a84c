package shell

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestReportWithGapIsNotSafe checks that no report with a gap is labelled safe.
func TestReportWithGapIsNotSafe(t *testing.T) {
	safe := Effect{Label: Safe, Kind: "read", Category: FSRead}
	for g := GapProgram; g <= GapLimit; g++ {
		var gaps Gaps
		gaps.Add(g)
		if r := NewReport([]Effect{safe}, gaps); r.Label != Unknown || r.UnknownGap() != g {
			t.Errorf("%s: %s, %q", g, r.Label, r.UnknownGap())
		}
		if r := NewReport(nil, gaps); r.Label != Unknown {
			t.Errorf("%s without effects: %s", g, r.Label)
		}
	}
	if r := NewReport([]Effect{safe}, 0); r.Label != Safe || !r.Gaps.IsEmpty() {
		t.Errorf("a read: %+v", r)
	}
	for _, c := range []struct {
		e    Effect
		want Gap
	}{
		{LimitEffect("x", ""), GapLimit}, {OpaqueEffect("x", ""), GapOpaque}, {UnreadEffect("x", ""), GapUnread},
		{Effect{Label: Unknown, Category: Run}, GapProgram}, {Effect{Label: Unknown, Category: UnknownOption}, GapOption}, {Effect{Label: Unknown, Category: SQLDrop, Uncertain: true}, GapOption},
		{Effect{Label: Unknown, Category: GitPush}, NoGap}, {Effect{Label: Safe, Category: Run}, NoGap},
	} {
		if r := NewReport([]Effect{safe, c.e}, 0); r.Gaps.Worst() != c.want {
			t.Errorf("%s: %q, want %q", c.e.Row().Name, r.Gaps.Worst(), c.want)
		}
	}
}

// TestOnlyNewReportMakesReports checks that only [NewReport] constructs reports, so that none is safe
// because it is empty.
func TestOnlyNewReportMakesReports(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || filepath.Base(path) == "report.go" && filepath.Dir(path) == filepath.Join(root, "internal", "shell") {
			return err
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		in := file.Name.Name == "shell"
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			switch typ := lit.Type.(type) {
			case *ast.Ident:
				ok = in && typ.Name == "Report"
			case *ast.SelectorExpr:
				x, _ := typ.X.(*ast.Ident)
				ok = x != nil && x.Name == "shell" && typ.Sel.Name == "Report"
			default:
				ok = false
			}
			if ok {
				t.Errorf("%s constructs a shell.Report itself: use shell.NewReport", path)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
