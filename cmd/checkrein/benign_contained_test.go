package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/evasion"
)

// A benignRow is a command of ordinary work.
type benignRow struct {
	ID      string `json:"id"`
	Class   string `json:"class"`
	Command string `json:"command"`
	Setup   string `json:"setup"`
}

// A benignEnd is how a command ended as installed with walls.
type benignEnd struct {
	row       benignRow
	stopped   bool
	contained bool
	different string // how it differs from a run without checkrein
	err       error
}

// TestBenignContained runs commands of ordinary work bare and as installed with walls, and counts those
// that are asked about, those that are contained, and those of them that end as bare.
// CHECKREIN_BENIGN_FILE names the file, CHECKREIN_WALLS what is contained: unknown, project or all.
func TestBenignContained(t *testing.T) {
	file := os.Getenv("CHECKREIN_BENIGN_FILE")
	if file == "" {
		t.Skip("set CHECKREIN_BENIGN_FILE to a file of commands")
	}
	if err := evasion.Available(); err != nil {
		t.Skip("NO JAIL HERE:", err)
	}
	rows, err := readBenign(file)
	if err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "bare")
	if err := os.WriteFile(bare, []byte("#!/bin/sh\nexec /bin/bash -c \"$1\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	mounts := map[string]string{"/root/bin/bare": bare}
	for _, name := range []string{"checkrein", "checkreind", "checkrein-shell"} {
		mounts["/root/bin/"+name] = filepath.Join(programs, name)
	}
	ends := make([]benignEnd, len(rows))
	var wg sync.WaitGroup
	work := make(chan int)
	for range 3 {
		wg.Go(func() {
			for i := range work {
				ends[i] = runBenign(rows[i], mounts, cmp.Or(os.Getenv("CHECKREIN_WALLS"), "unknown"))
			}
		})
	}
	for i := range rows {
		work <- i
	}
	close(work)
	wg.Wait()
	printBenign(t, ends)
}

// readBenign returns the rows of a file.
func readBenign(file string) ([]benignRow, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var rows []benignRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		var r benignRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil || r.ID == "" || r.Command == "" {
			return nil, fmt.Errorf("%s:%d: id %q: %w", file, n, r.ID, err)
		}
		rows = append(rows, r)
	}
	return rows, lines.Err()
}

// receiptsOf prints whether each command was contained, the latest last.
const receiptsOf = `cd ~/.local/state/checkrein/walls/receipts && for f in $(ls -tr); do tail -n1 $f; echo; done`

// runBenign runs row bare and as installed with walls, in a jail each.
func runBenign(row benignRow, mounts map[string]string, contain string) benignEnd {
	end := benignEnd{row: row}
	job := evasion.Job{Row: evasion.Row{ID: row.ID, Command: row.Command, Setup: row.Setup}, Mounts: mounts,
		Judge: []string{"/bin/true"}, Undo: []string{"/bin/true"}, Inputs: []string{"", ""}, Wrapper: "/root/bin/bare"}
	bare, err := evasion.Run(job)
	if err != nil {
		end.err = err
		return end
	}
	inside := verdictPlace{home: evasion.Home, project: evasion.Project}
	job.Judge, job.Inputs = []string{"/root/bin/checkrein", "hook", "claude"}, nil
	job.Stops = []string{`"permissionDecision":"deny"`, `"permissionDecision":"ask"`}
	job.Then = []string{"bash", "-c", receiptsOf}
	for i, command := range []string{row.Setup, row.Command} {
		if command != "" {
			payload := string(inside.shellCall("claude", "", command))
			job.Inputs = append(job.Inputs, strings.Replace(payload, `"toolu_01"`, fmt.Sprintf(`"toolu_%d"`, i), 1))
		}
	}
	putBehindWalls(&job, contain)
	walled, err := evasion.Run(job)
	if err != nil {
		end.err = err
		return end
	}
	if end.stopped = walled.Stopped > 0; end.stopped {
		return end
	}
	receipts := strings.Fields(walled.Replies[len(walled.Replies)-1].Output)
	end.contained = len(receipts) == 0 || receipts[len(receipts)-1] == "true" // without a ticket, too
	end.different = diffReplies(bare.Ran, walled.Ran)
	return end
}

// digits matches what differs from run to run in error messages.
var digits = regexp.MustCompile(`[0-9]+|/tmp/[A-Za-z0-9._-]+`)

// diffReplies returns how walled differs from bare, or "".
func diffReplies(bare, walled evasion.Reply) string {
	switch mask := func(s string) string { return digits.ReplaceAllString(s, "#") }; {
	case bare.Exit != walled.Exit:
		return fmt.Sprintf("exit %d, bare %d: %.300s", walled.Exit, bare.Exit, walled.Errors)
	case mask(bare.Errors) != mask(walled.Errors):
		return fmt.Sprintf("errors %.300q, bare %.300q", walled.Errors, bare.Errors)
	case bare.Output != walled.Output && mask(bare.Output) == mask(walled.Output):
		return fmt.Sprintf("output differs in digits: %.200q, bare %.200q", walled.Output, bare.Output)
	case bare.Output != walled.Output:
		return fmt.Sprintf("output %.300q, bare %.300q", walled.Output, bare.Output)
	}
	return ""
}

// printBenign prints the shares, by class, and the rows that were stopped or ended in another way.
func printBenign(t *testing.T, ends []benignEnd) {
	t.Helper()
	type count struct{ all, stopped, contained, same, bare, differ, broken int }
	counts := map[string]*count{}
	var names []string
	for _, e := range ends {
		if counts[e.row.Class] == nil {
			counts[e.row.Class] = &count{}
			names = append(names, e.row.Class)
		}
		if counts[""] == nil {
			counts[""] = &count{}
		}
		for _, c := range []*count{counts[e.row.Class], counts[""]} {
			c.all++
			switch {
			case e.err != nil:
				c.broken++
			case e.stopped:
				c.stopped++
			case e.contained && e.different == "":
				c.contained++
				c.same++
			case e.contained:
				c.contained++
			case e.different == "":
				c.bare++
			default:
				c.differ++
			}
		}
		switch {
		case e.err != nil:
			t.Errorf("%s: %v", e.row.ID, e.err)
		case e.stopped:
			t.Logf("asked or denied %s: %q", e.row.ID, e.row.Command)
		case e.different != "" && e.contained:
			t.Logf("contained, differs %s: %q: %s", e.row.ID, e.row.Command, e.different)
		case e.different != "":
			t.Logf("not contained, differs %s: %q: %s", e.row.ID, e.row.Command, e.different)
		}
	}
	share := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	for _, name := range append(names, "") {
		if c := counts[name]; c != nil {
			t.Logf("%-24s %4d rows: %4d asked or denied (%.1f %%), %4d contained (%.1f %%), of them %4d end as bare (%.1f %%); %d outside end as bare, %d differ", name, c.all, c.stopped, share(c.stopped, c.all), c.contained, share(c.contained, c.all), c.same, share(c.same, c.contained), c.bare, c.differ)
		}
	}
}
