// Command manpages writes the manual pages of checkrein's commands and the completion scripts of shells,
// for packages.
//
//	go run ./internal/lab/manpages DIR
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/desk"
	"github.com/spf13/cobra/doc"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "manpages:", err)
		os.Exit(1)
	}
}

// completions are the files in which shells look for completion scripts.
var completions = map[string]string{"bash": "checkrein.bash", "zsh": "_checkrein", "fish": "checkrein.fish", "powershell": "checkrein.ps1"}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: manpages DIR")
	}
	man, shells := filepath.Join(args[0], "man"), filepath.Join(args[0], "completions")
	for _, dir := range []string{man, shells} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for shell, name := range completions {
		var out, errs bytes.Buffer
		env := console.Env{Args: []string{"completion", shell}, Stdin: &bytes.Buffer{}, Stdout: &out, Stderr: &errs}
		if code := desk.Run(context.Background(), env); code != console.Done {
			return fmt.Errorf("completion %s: exit code %d: %s", shell, code, errs.Bytes())
		}
		if err := os.WriteFile(filepath.Join(shells, name), out.Bytes(), 0o644); err != nil {
			return err
		}
	}
	// The date of the pages is SOURCE_DATE_EPOCH.
	return doc.GenManTree(desk.Commands(), &doc.GenManHeader{Source: "checkrein", Manual: "checkrein"}, man)
}
