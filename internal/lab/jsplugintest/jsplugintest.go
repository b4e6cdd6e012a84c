// Package jsplugintest runs plugins in Node.js with the real checkrein.
package jsplugintest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/lab/built"
)

// Program builds checkrein and returns its path.
func Program(t *testing.T) string {
	t.Helper()
	dir := built.TempDir(t)
	if err := built.Put(dir, "checkrein", "checkreind"); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "checkrein")
}

// A Home is a temporary home directory.
type Home string

// NewHome returns a home directory with a project and a configuration of checkrein.
func NewHome(t *testing.T, config string) Home {
	t.Helper()
	home := built.TempDir(t)
	if err := os.Mkdir(filepath.Join(home, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, ".config", "checkrein")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "checkrein.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return Home(home)
}

// Write writes an executable file below the home directory and returns its path.
func (h Home) Write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(string(h), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// Node runs a module with in as JSON on stdin, and decodes its output into out. Without Node.js it
// skips the test and prints a message.
func (h Home) Node(t *testing.T, in, out any, module string, args ...string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		fmt.Fprintf(os.Stderr, "SKIPPED %s: Node.js is not installed, so the plugin was not run\n", t.Name())
		t.Skip("NOT RUN: Node.js is not installed")
	}
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{module}, args...)...)
	cmd.Dir = filepath.Join(string(h), "project") // the home directory itself must not be the project
	cmd.Env = []string{"HOME=" + string(h), "PATH=" + os.Getenv("PATH")}
	cmd.Stdin = bytes.NewReader(body)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	said, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v\n%s%s", module, err, said, stderr.Bytes())
	}
	if err := json.Unmarshal(said, out); err != nil {
		t.Fatalf("node %s said %s: %v\n%s", module, said, err, stderr.Bytes())
	}
}
