package study

import (
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

// TestStudiesKnowTheLanguage has the same text in two languages.
func TestStudiesKnowTheLanguage(t *testing.T) {
	t.Parallel()
	code := `shutil.rmtree(\"/\")`
	for _, langs := range [][2]string{{"lua", "python"}, {"python", "lua"}, {"r", "python"}} {
		ev := guardtest.BigCall("mcp__nb__run_cells", fmt.Sprintf(`{"cells":[{"language":%q,"code":"%s"},{"language":%q,"code":"%s"}]}`, langs[0], code, langs[1], code))
		if j, ok := judge(ev, Ground{Dir: "/home/u/p", Home: "/home/u"}); !ok || j.Report.Category != "fs-delete" {
			t.Errorf("%v: %+v", langs, j.Report)
		}
	}
}

// TestWorkIsBounded counts what is judged of calls that are made to cost much.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	dirs := `"cwd":"/a","workdir":"/b","working_directory":"/c"`
	paths := strings.TrimSuffix(strings.Repeat(`"some/where/deep/in/a/tree",`, 60_000), ",")
	cell := `{"language":"python","code":"` + strings.Repeat("x = 1; ", 4000) + `"},`
	cells := func(n int) string {
		return `{"cells":[` + strings.TrimSuffix(strings.Repeat(cell, n), ",") + `],` + dirs + `}`
	}
	for name, ev := range map[string]*checkrein.Event{
		"deletions": guardtest.BigCall("mcp__fs__delete_files", `{"paths":[`+paths+`],`+dirs+`}`),
		"cells":     guardtest.BigCall("mcp__nb__run_cells", cells(64)),
		"commands":  guardtest.BigCall("mcp__x__run", `{"commands":[`+strings.Repeat(`"ls",`, 5000)+`"ls"],`+dirs+`}`),
	} {
		all, _ := JudgeAll(ev, Ground{Dir: "/home/u/p", Home: "/home/u"}, nil)
		bytes, told := 0, false
		for i := range all {
			for k := range all[i].Report.Effects {
				told = told || all[i].Report.Effects[k].Row().Name == "too-much"
			}
			bytes += len(all[i].Command)
		}
		if len(all) > 4*256+8 || bytes > len(all)*(maxShown+8) || !told {
			t.Errorf("%s: %d judgements, %d bytes kept, told %t", name, len(all), bytes, told)
		}
	}
	parts := guardtest.BigCall("mcp__fs__read_multiple_files", `{"paths":[`+paths+`]}`)
	if shown := JudgeShown(parts, Ground{Dir: "/home/u/p", Home: "/home/u"}); len(shown) != maxSwept/maxBatch {
		t.Errorf("%d batches of files that are read", len(shown))
	}
}
