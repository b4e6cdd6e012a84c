package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNoStartUpWork runs the built program with the runtime's own trace of
// package initialisation. Our packages must have none at all; those of others
// are on a list with the most that each may allocate, because a time would
// depend on the machine.
func TestNoStartUpWork(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), "version")
	cmd.Env = []string{"GODEBUG=inittrace=1"}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, (\d+) allocs$`)
	lines := line.FindAllStringSubmatch(stderr.String(), -1)
	if len(lines) < 5 {
		t.Fatalf("no trace of initialisation in:\n%s", stderr.String())
	}
	total := 0
	for _, m := range lines {
		if strings.HasSuffix(m[1], "/internal/deep") {
			continue // makes the stack large before others outgrow it, which saves more than it takes
		}
		bytes, _ := strconv.Atoi(m[2])
		total += bytes
		if strings.HasPrefix(m[1], "github.com/checkrein/") {
			t.Errorf("%s does something at start: %s", m[1], m[0])
		}
		// fileutil compiles two expressions for the printer of the shell's syntax,
		// which nobody here uses and which comes with the parser. The curve, with
		// which keys of wallets are verified, reads two points: 25 µs.
		if strings.Contains(m[1], ".") && !strings.HasPrefix(m[1], "github.com/goccy/go-yaml/") && m[1] != "mvdan.cc/sh/v3/fileutil" && m[1] != "filippo.io/edwards25519" {
			t.Errorf("%s does something at start and is not on the list: %s", m[1], m[0])
		}
	}
	if limit := 48 << 10; total > limit {
		t.Errorf("packages allocate %d bytes at start, more than %d:\n%s", total, limit, stderr.String())
	}
}
