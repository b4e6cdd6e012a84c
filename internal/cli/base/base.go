// Package base holds what commands for people share: exit codes, the check for a person, the
// directories and the kit of a command, and text formatting.
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

// AsRefusal returns an error with exit code 4. The error may quote files.
func AsRefusal(err error) error {
	if text := err.Error(); visible.EscapeText(text) != text {
		err = errors.New(visible.EscapeText(text))
	}
	return &Exit{Code: console.Refused, Err: err}
}

// AsFailure returns an error with exit code 1, unless err has an exit code already: the ledger could
// not be read or found.
func AsFailure(err error) error {
	var e *Exit
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &Exit{Code: console.Finding, Err: err}
}

// OrFinding returns err or, if it is nil and so is set, a quiet error with exit code 1, for findings
// that a report has shown.
func OrFinding(err error, so bool, what string) error {
	if err == nil && so {
		return &Exit{Code: console.Finding, Err: errors.New(what), Quiet: true}
	}
	return err
}

// An Exit is an error with an exit code. A quiet one is not printed.
type Exit struct {
	Code  int
	Err   error
	Quiet bool
}

// Error returns the text of the error.
func (e *Exit) Error() string { return e.Err.Error() }

// Unwrap returns the error.
func (e *Exit) Unwrap() error { return e.Err }

// FileExists reports whether path exists, as a file of any type.
func FileExists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// AbsolutePaths returns absolute paths of files on the command line.
func AbsolutePaths(env *console.Env, files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = env.Path(f)
	}
	return out
}

// HookPlace returns a line that identifies a hook.
func HookPlace(event, id, where string) string {
	return visible.EscapeLine(event) + "  " + visible.EscapeLine(id) + "  " + visible.EscapeLine(where)
}

// Amount returns a number with its noun: "1 record", "12,345 records".
func Amount[N int | int64 | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return term.FormatNumber(int(n)) + " " + thing
}

// PrintJSON prints v as JSON with everything escaped that a terminal would act on, including what JSON
// allows unescaped.
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

// Truncate returns at most n characters of s, with an ellipsis if it is longer.
func Truncate(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// OneLine returns s with each run of white space replaced by a space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// RelativePath returns path relative to root if it lies below it, and path itself otherwise.
func RelativePath(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// SplitErrors returns joined errors one by one, each text once: both the reader of a file and the
// engine report a wrong hook.
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
