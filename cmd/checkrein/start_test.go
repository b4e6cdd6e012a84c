package main

import (
	"crypto/ed25519"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayStart are packages of other modules that do something at start, which cannot be
// avoided: expressions for shebang lines, and points of a curve.
var mayStart = []string{"mvdan.cc/sh/v3/fileutil", "filippo.io/edwards25519"}

// TestNoStartUpWork runs the built program with the runtime's own trace of
// package initialisation. Our packages must have none at all, nor those of other
// modules but mayStart; for the standard library there is a most that it may allocate, because a
// time would depend on the machine.
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
		bytes, _ := strconv.Atoi(m[2])
		total += bytes
		if strings.Contains(m[1], ".") && !slices.Contains(mayStart, m[1]) {
			t.Errorf("%s does something at start: %s", m[1], m[0])
		}
	}
	if limit := 40 << 10; total > limit {
		t.Errorf("packages allocate %d bytes at start, more than %d:\n%s", total, limit, stderr.String())
	}
}

// TestCompanionReadsForHotProgram has the hot program read YAML, which its companion does, and the
// key of a wallet.
func TestCompanionReadsForHotProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var numbers []int
	for _, b := range ed25519.NewKeyFromSeed([]byte("0123456789abcdefghijklmnopqrstuv")) {
		numbers = append(numbers, int(b))
	}
	wallet, err := json.Marshal(numbers)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, file, text string
		args             []string
		want             string
	}{
		{"curve", "id.json", string(wallet), []string{"scan", "id.json"}, "id.json:1:2: solana-private-key"},
		{"YAML", "hooks.yaml", "version: 1\nshadow: true\nhooks: [~, 0x1f, .inf]\n", []string{"eval", "-c", "hooks.yaml"}, "hooks.yaml:3: .inf is not a number"},
		{"broken YAML", "broken.yaml", "version: 1\nhooks: [\n", []string{"eval", "-c", "broken.yaml"}, "broken.yaml:2:8: this [ is never closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(filepath.Join(programs, "checkrein"), tt.args...)
			cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"HOME=" + dir}, strings.NewReader(`{"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls"}}`)
			out, _ := cmd.CombinedOutput() // the exit code is the verdict's
			if !strings.Contains(string(out), tt.want) {
				t.Errorf("no %q in:\n%s", tt.want, out)
			}
		})
	}
}
