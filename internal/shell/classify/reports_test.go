package classify_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/classify"
)

// TestReports writes the report on each command of all corpora, a line each, to the file that
// CHECKREIN_REPORTS names. A diff of two such files, from before and after a change of the shell
// packages, shows the effects of that change:
//
//	CHECKREIN_REPORTS=/tmp/before go test ./internal/shell/classify -run TestReports
func TestReports(t *testing.T) {
	name := os.Getenv("CHECKREIN_REPORTS")
	if name == "" {
		t.Skip("set CHECKREIN_REPORTS=FILE to write reports for a comparison")
	}
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	defer w.Flush()
	list := allCommands(t)
	t.Log(len(list), "commands")
	for _, text := range list {
		place := shell.Place{Dir: "/home/u/proj", Root: "/home/u/proj", Home: "/home/u", Dialect: shell.Bash}
		report := classify.Command(text, place)
		fmt.Fprintf(w, "%q\t%v", text, report.Label)
		for _, e := range report.Effects {
			fmt.Fprintf(w, "\t%v %s %v %v %s %v %v %q", e.Label, e.Kind, e.Row().Name, e.Impact, e.Rule, e.Paths, e.Hosts, e.Reason)
		}
		fmt.Fprintln(w)
	}
}

// allCommands returns the commands of all corpora, sorted and without duplicates.
func allCommands(t *testing.T) []string {
	t.Helper()
	var list []string
	for _, pattern := range []string{"testdata/*.txt", "testdata/*/*", "../*/testdata/*.txt", "../../../cmd/checkrein/testdata/*/*.jsonl", "../../../cmd/checkrein/testdata/*/*.txt", "../program/samples/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(data)) {
				line = strings.TrimRight(line, "\r\n")
				var row struct{ Command string }
				switch {
				case line == "" || line[0] == '#':
				case line[0] == '{' && json.Unmarshal([]byte(line), &row) == nil && row.Command != "":
					list = append(list, row.Command)
				default:
					list = append(list, strings.ReplaceAll(line, "⏎", "\n"))
					if i := strings.LastIndexByte(line, '\t'); i >= 0 {
						list = append(list, line[i+1:])
					}
					if f := strings.SplitN(line, " ", 3); len(f) == 3 {
						list = append(list, f[2]) // label, radius, command
					}
				}
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
