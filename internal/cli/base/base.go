// Package base holds what the commands that people type share: exit codes, the check for a
// person, the directories and the kit of a command line, and what is common to their text.
package base

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/text/term"
	"github.com/checkrein/checkrein/internal/text/visible"
)

// Refused is exit code 4. The error may quote files.
func Refused(err error) error {
	if text := err.Error(); visible.Text(text) != text {
		err = errors.New(visible.Text(text))
	}
	return &Exit{Code: console.Refused, Err: err}
}

// Failed is exit code 1: the ledger could not be read, or not found.
func Failed(err error) error {
	var e *Exit
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &Exit{Code: console.Finding, Err: err}
}

// Found is err or, without one and if so, exit code 1 about what a report has shown.
func Found(err error, so bool, what string) error {
	if err == nil && so {
		return &Exit{Code: console.Finding, Err: errors.New(what), Quiet: true}
	}
	return err
}

// An Exit is an error that knows its code. Quiet ones have said everything.
type Exit struct {
	Code  int
	Err   error
	Quiet bool
}

func (e *Exit) Error() string { return e.Err.Error() }

func (e *Exit) Unwrap() error { return e.Err }

func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// AbsolutePaths resolves file names of the command line.
func AbsolutePaths(env *console.Env, files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = env.Path(f)
	}
	return out
}

// HookPlace is one line that says which hook is meant.
func HookPlace(event, id, where string) string {
	return visible.Line(event) + "  " + visible.Line(id) + "  " + visible.Line(where)
}

// Amount is a number with its thing: "1 record", "12,345 records".
func Amount[N int | int64 | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return term.Number(int(n)) + " " + thing
}

// PrintJSON prints JSON in which everything that a terminal would act on is
// escaped: what JSON itself leaves as it is as well.
func PrintJSON(env *console.Env, v any) error {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	var out strings.Builder
	for _, r := range buf.String() {
		if r == '\n' || unicode.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, "\\u%04x", unit)
		}
	}
	_, err := io.WriteString(env.Stdout, out.String())
	return err
}

// MaxCell is how many characters of a text a table shows.
const MaxCell = 48

// Truncate marks what it cuts off.
func Truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// RelativePath is a path from the project's root, if it lies below.
func RelativePath(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// SplitErrors lists joined errors one by one, each text once: a hook that is wrong
// is found by its file's reader and again by the engine.
func SplitErrors(err error) []error {
	var out []error
	seen := map[string]bool{}
	var walk func(error)
	walk = func(err error) {
		if err == nil {
			return
		}
		if many, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range many.Unwrap() {
				walk(e)
			}
			return
		}
		if s := err.Error(); !seen[s] {
			seen[s] = true
			out = append(out, err)
		}
	}
	walk(err)
	return out
}
