package jsplugin_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/catalog/hostfiles"
	"github.com/checkrein/checkrein/internal/host/jsplugin"
	"github.com/checkrein/checkrein/internal/lab/jsplugintest"
	"github.com/checkrein/checkrein/internal/lab/wiretest"
)

// driver is a program that makes the calls listed on stdin, those of each list at the same time, and
// prints the results.
const driver = `
import { readFileSync } from "node:fs"
const rein = new Checkrein(process.cwd())
const out = []
for (const { times, seconds } of JSON.parse(readFileSync(0))) {
  const all = []
  for (let i = 0; i < times; i++)
    all.push(rein.ask({ hook: "tool.execute.before", input: { tool: "bash" }, output: { args: { command: "say " + i } } }, seconds).then((a) => a.deny ?? JSON.stringify(a), (e) => "error: " + e.message))
  out.push(...(await Promise.all(all)))
}
rein.close()
process.stdout.write(JSON.stringify(out))
`

type ask struct {
	Times   int     `json:"times"`
	Seconds float64 `json:"seconds"`
}

const config = `version: 1
packs: []
hooks:
  pre_tool_use:
    - {type: rule, decision: deny, reason: 'no {{command}}'}
`

// faultyPrograms are programs that do not answer correctly. Each start adds a line to $0.log.
var faultyPrograms = []struct {
	name, script string
	asks         []ask
	want         []string // the beginnings of the results
	starts       int
}{
	{"answers", `exec REAL "$@"`, []ask{{3, 20}, {1, 20}}, []string{"<blocked say 0: no say 0 [pre_tool_use#1].>", "<blocked say 1: no say 1 [pre_tool_use#1].>", "<blocked say 2: no say 2 [pre_tool_use#1].>", "<blocked say 0: no say 0 [pre_tool_use#1].>"}, 1},
	{"dies", `read line; exit 3`, []ask{{1, 20}}, []string{"error: FAKE ended"}, 2},
	{"dies once", `if [ $(wc -l <"$0.log") = 1 ]; then read line; exit 3; fi; exec REAL "$@"`, []ask{{3, 20}}, []string{"<blocked say 0: no say 0 [pre_tool_use#1].>", "<blocked say 1: no say 1 [pre_tool_use#1].>", "<blocked say 2: no say 2 [pre_tool_use#1].>"}, 2},
	{"says garbage", `echo hello; cat >/dev/null`, []ask{{1, 20}}, []string{"error: FAKE said what is not JSON"}, 2},
	{"says null", `read line; echo null; cat >/dev/null`, []ask{{1, 20}}, []string{"error: an answer without a question"}, 1},
	{"cannot tell", `read line; echo '{"id":null,"deny":"unreadable"}'; cat >/dev/null`, []ask{{2, 20}}, []string{"error: unreadable", "error: unreadable"}, 1},
	{"hangs, then answers", `if [ $(wc -l <"$0.log") = 1 ]; then exec sleep 1000; fi; exec REAL "$@"`, []ask{{1, 0.1}, {1, 20}}, []string{"error: no answer in 3.1 s", "<blocked say 0: no say 0 [pre_tool_use#1].>"}, 2},
}

func TestClient(t *testing.T) {
	t.Parallel()
	program := jsplugintest.Program(t)
	for _, c := range faultyPrograms {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			home := jsplugintest.NewHome(t, config)
			fake := home.Write(t, `odd "name" é`, "#!/bin/sh\necho started >>\"$0.log\"\n"+strings.ReplaceAll(c.script, "REAL", program)+"\n")
			var got []string
			home.Node(t, c.asks, &got, home.Write(t, "driver.mjs", string(jsplugin.Module("opencode", hostfiles.Line{Program: fake}, driver))))
			ok := slices.EqualFunc(got, c.want, func(g, w string) bool {
				return strings.HasPrefix(wiretest.ShortenMessages(g), strings.ReplaceAll(w, "FAKE", fake))
			})
			if !ok {
				t.Errorf("got %q, want %q", got, c.want)
			}
			log, _ := os.ReadFile(filepath.Clean(fake + ".log"))
			if n := strings.Count(string(log), "started"); n != c.starts {
				t.Errorf("it was started %d times, want %d", n, c.starts)
			}
		})
	}
}

func TestMissingProgram(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, config)
	var got []string
	home.Node(t, []ask{{1, 20}}, &got, home.Write(t, "driver.mjs", string(jsplugin.Module("opencode", hostfiles.Line{Program: "/nowhere/checkrein"}, driver))))
	if len(got) != 1 || !strings.Contains(got[0], "error: spawn /nowhere/checkrein ENOENT") {
		t.Errorf("got %q", got)
	}
}

// TestStartedProgram checks that the program gets the user's directories, and no variables that change
// how it runs.
func TestStartedProgram(t *testing.T) {
	t.Parallel()
	home := jsplugintest.NewHome(t, config)
	fake := home.Write(t, "fake", "#!/bin/sh\nread line\nprintf '{\"id\":1,\"deny\":\"%s %s\"}\\n' \"$GOMAXPROCS$GODEBUG$GOGC$GOMEMLIMIT|$KEPT\" \"$*\"\ncat >/dev/null\n")
	line := hostfiles.Line{Program: fake, Config: "/home/pat/my config", State: "/home/pat/state"}
	set := "for (const name of [...cleared, \"KEPT\"]) process.env[name] = \"1\"\n"
	var got []string
	home.Node(t, []ask{{1, 20}}, &got, home.Write(t, "driver.mjs", string(jsplugin.Module("opencode", line, driver[:strings.Index(driver, "const rein")]+set+driver[strings.Index(driver, "const rein"):]))))
	if want := "|1 hook opencode --serve-stdio --config /home/pat/my config --state /home/pat/state"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
