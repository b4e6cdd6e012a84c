package study

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

// TestReuse checks that a judgement is used again for the next event with the same command, and that it is
// not used once something has changed that it depends on.
func TestReuse(t *testing.T) {
	const untouched = ""
	for _, tt := range []struct{ command, change, before, after string }{
		{"git status --short", untouched, "", ""},
		{"make build", untouched, "", ""},
		{"sh run.sh", untouched, "echo", "echo"},
		{"sh run.sh", "run.sh", "echo done", "rm -rf ~"},
		{"sh run.sh", "run.sh", "", "rm -rf ~"}, // the file is new
		{"make build", "Makefile", "build:\n\tgo build\n", "build:\n\trm -rf ~\n"},
		{"npm run lint", "package.json", "", `{"scripts":{"lint":"rm -rf ~"}}`},
		{"cd sub && sh run.sh", "sub/run.sh", "echo", "rm -rf ~"},
		{"sh run.sh", "wrote run.sh", "rm -rf src", "rm -rf src"}, // by the session
	} {
		t.Run(tt.command+" "+tt.change, func(t *testing.T) {
			dir := guardtest.TempDir(t)
			wrote := false
			put := func(file, text string) {
				if file = strings.TrimPrefix(file, "wrote "); text != "" {
					guardtest.WriteFile(t, filepath.Join(dir, file), text)
				}
			}
			run := func() (judged []*judgement, what string) {
				ev := guardtest.ToolCall("Bash", fmt.Sprintf(`{"command":%q}`, tt.command))
				ev.Shared = new(sync.Map)
				at := CallEnv{Dir: dir, Home: "/home/u", Wrote: func(string) bool { return wrote }}
				ev.Session.Root = dir
				all, _ := JudgeAll(ev, at, nil)
				for i := range all {
					report, _ := json.Marshal(all[i].Report)
					what += string(report) + "\n"
				}
				for _, s := range studiesOf(ev).list {
					judged = append(judged, s.study.judged...)
				}
				Keep(ev)
				return judged, what
			}
			put("run.sh", "echo")
			if tt.change != untouched {
				if tt.before == "" {
					_ = os.Remove(filepath.Join(dir, tt.change))
				}
				put(tt.change, tt.before)
			}
			first, before := run()
			second, again := run()
			if len(first) == 0 || len(first) != len(second) || first[len(first)-1] != second[len(second)-1] || before != again {
				t.Fatalf("the second event has another judgement:\n%v\n%s\n%v\n%s", first, before, second, again)
			}
			if tt.change == untouched {
				return
			}
			put(tt.change, tt.after)
			wrote = strings.HasPrefix(tt.change, "wrote ")
			third, changed := run()
			kept.mu.Lock()
			kept.byKey, kept.n = nil, 0
			kept.mu.Unlock()
			if _, fresh := run(); changed != fresh || changed == before {
				t.Errorf("after the change (%d judgements):\n%s\nwant\n%s\nbefore it\n%s", len(third), changed, fresh, before)
			}
		})
	}
}
