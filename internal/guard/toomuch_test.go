package guard

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/shell"
)

func bigCall(tool, input string) *checkrein.Event {
	return &checkrein.Event{Kind: checkrein.PreToolUse, Session: checkrein.Session{Root: "/home/u/p"}, Tool: &checkrein.Tool{Name: tool, Input: json.RawMessage(input)}}
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
		"deletions": bigCall("mcp__fs__delete_files", `{"paths":[`+paths+`],`+dirs+`}`),
		"cells":     bigCall("mcp__nb__run_cells", cells(64)),
		"commands":  bigCall("mcp__x__run", `{"commands":[`+strings.Repeat(`"ls",`, 5000)+`"ls"],`+dirs+`}`),
	} {
		all, _ := judgeAll(ev, Ground{Dir: "/home/u/p", Home: "/home/u"}, nil)
		bytes, told := 0, false
		for i := range all {
			for k := range all[i].report.Effects {
				told = told || all[i].report.Effects[k].Row().Name == "too-much"
			}
			bytes += len(all[i].command)
		}
		if len(all) > 4*256+8 || bytes > len(all)*(maxShown+8) || !told {
			t.Errorf("%s: %d judgements, %d bytes kept, told %t", name, len(all), bytes, told)
		}
	}
	parts := bigCall("mcp__fs__read_multiple_files", `{"paths":[`+paths+`]}`)
	if shown := judgeShown(parts, Ground{Dir: "/home/u/p", Home: "/home/u"}); len(shown) != maxSwept/maxBatch {
		t.Errorf("%d batches of files that are read", len(shown))
	}
}

// TestOutOfTime stops between parts, and then a person is asked.
func TestOutOfTime(t *testing.T) {
	t.Parallel()
	run, err := newPacks(shell.PackNames())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	call := Call{Event: *bigCall("mcp__x__run", `{"commands":["ls","ls a"]}`), Dir: "/home/u/p", Machine: Machine{Home: "/home/u"}}
	if v, err := run(ctx, call); err != nil || v.Decision != checkrein.NoOpinion {
		t.Errorf("in time: %v %v", v, err)
	}
	cancel()
	if v, err := run(ctx, call); err != nil || v.Decision != checkrein.Ask {
		t.Errorf("out of time: %v %v", v, err)
	}
}

// TestStudiesKnowTheLanguage has the same text in two languages.
func TestStudiesKnowTheLanguage(t *testing.T) {
	t.Parallel()
	code := `shutil.rmtree(\"/\")`
	for _, langs := range [][2]string{{"lua", "python"}, {"python", "lua"}, {"r", "python"}} {
		ev := bigCall("mcp__nb__run_cells", fmt.Sprintf(`{"cells":[{"language":%q,"code":"%s"},{"language":%q,"code":"%s"}]}`, langs[0], code, langs[1], code))
		if j, ok := judge(ev, Ground{Dir: "/home/u/p", Home: "/home/u"}); !ok || j.report.Category != "fs-delete" {
			t.Errorf("%v: %+v", langs, j.report)
		}
	}
}
