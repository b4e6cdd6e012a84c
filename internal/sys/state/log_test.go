package state

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
)

func TestLogAppend(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		limit int64
		lines []string
		now   string
		old   string
	}{
		{"plain", 0, []string{"a", "b"}, "a\nb\n", ""},
		{"newline given", 0, []string{"a\n", "b\r\n", "c"}, "a\nb\nc\n", ""},
		{"newlines inside", 0, []string{"a\nb\n\nc\n"}, "a b  c\n", ""},
		{"empty", 0, []string{"", "\n"}, "\n\n", ""},
		{"full", 8, []string{"abc", "def"}, "def\n", "abc\n"},
		{"full twice", 8, []string{"abc", "def", "ghi"}, "ghi\n", "def\n"},
		{"longer than the cap", 4, []string{"a", "longer", "b"}, "b\n", "longer\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDir(t)
			log := d.OpenLog("logs/events.jsonl")
			log.Max = test.limit
			for _, line := range test.lines {
				given := bytes.Clone([]byte(line))
				if err := log.Append(given); err != nil {
					t.Fatal(err)
				}
				if string(given) != line {
					t.Errorf("the caller's line became %q", given)
				}
			}
			if got, err := d.Read("logs/events.jsonl", 100); string(got) != test.now || err != nil {
				t.Errorf("log is %q, %v; want %q", got, err, test.now)
			}
			got, err := d.Read("logs/events.jsonl.1", 100)
			if string(got) != test.old || err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("old log is %q, %v; want %q", got, err, test.old)
			}
		})
	}
}

func TestLogAfterTornLine(t *testing.T) {
	t.Parallel()
	d := newTestDir(t)
	if err := d.Write("log", []byte("whole\nha")); err != nil {
		t.Fatal(err)
	}
	if err := d.OpenLog("log").Append([]byte("next")); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Read("log", 100); string(got) != "whole\nha\nnext\n" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestLogAcrossProcesses(t *testing.T) {
	t.Parallel()
	const processes, lines = 4, 300
	tests := []struct {
		name  string
		limit int64
		all   bool // the two files contain all lines
	}{
		{"never full", 1 << 20, true},
		{"full once", 20_000, true},
		{"full many times", 2_000, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newTestDir(t)
			var cmds []*exec.Cmd
			for id := range processes {
				cmds = append(cmds, helperCommand(t, "log", d.Path(), fmt.Sprint(id), fmt.Sprint(test.limit), fmt.Sprint(lines)))
			}
			runConcurrently(t, cmds...)
			seen := readLogs(t, d, test.limit)
			count := 0
			for id, numbers := range seen {
				count += len(numbers)
				// The logs have the newest lines of each process, without a gap.
				for i, n := range numbers {
					if want := lines - len(numbers) + i; n != want {
						t.Fatalf("process %s: line %d where %d belongs", id, n, want)
					}
				}
			}
			if test.all && count != processes*lines {
				t.Errorf("%d lines of %d", count, processes*lines)
			}
			if count == 0 {
				t.Error("no lines")
			}
		})
	}
}

// readLogs returns the line numbers of each process in the old and the current log, in order. It
// checks that all lines are complete and that both files are within limit.
func readLogs(t *testing.T, d Dir, limit int64) map[string][]int {
	t.Helper()
	seen := map[string][]int{}
	for _, name := range []string{"log.1", "log"} {
		data, err := d.Read(name, limit)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var id string
			var n int
			if _, err := fmt.Sscanf(line, "%s %d", &id, &n); err != nil {
				t.Fatalf("torn line %q: %v", line, err)
			}
			if want := fmt.Sprintf("%s %d %s\n", id, n, logPadding(n)); line != want {
				t.Fatalf("torn line %q, want %q", line, want)
			}
			seen[id] = append(seen[id], n)
		}
	}
	return seen
}
