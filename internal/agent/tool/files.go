package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	maxRead    = 16 << 20
	maxEntries = 2000
	maxHits    = 500
	maxLine    = 2000
)

// resolvePath returns the path of the file that a call names, or p.Dir if name is "".
func (p Place) resolvePath(name string) string {
	if name == "" {
		return p.Dir
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Dir, name)
}

// A fileAction performs a file tool with parsed arguments.
type fileAction[In any] func(ctx context.Context, at Place, in In) (string, error)

// newFileTool returns a tool that parses its arguments and calls do.
func newFileTool[In any](at Place, name, about, params string, do fileAction[In]) Tool {
	return Tool{
		Definition: model.Definition{Name: name, Description: about, Parameters: json.RawMessage(params)}, Category: "filesystem",
		Run: func(ctx context.Context, input json.RawMessage) (string, error) {
			var in In
			if err := ParseArguments(input, &in); err != nil {
				return "", fmt.Errorf("arguments of %s: %w", name, err)
			}
			if err := ctx.Err(); err != nil {
				return "", err
			}
			return do(ctx, at, in)
		},
	}
}

type pathArgs struct {
	Path string `json:"path"`
}

type pathsArgs struct {
	Paths []string `json:"paths"`
}

type writeArgs struct {
	Path    string  `json:"path"`
	Content *string `json:"content"`
}

type editArgs struct {
	Path  string `json:"path"`
	Edits []struct {
		Old string `json:"oldText"`
		New string `json:"newText"`
	} `json:"edits"`
}

type searchArgs struct {
	Path  string `json:"path"`
	Query string `json:"query"`
}

const pathSchema = `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`

// fileTools returns the tools that read and write files.
func fileTools(at Place) []Tool {
	list := []Tool{
		newFileTool(at, "read_file", "Read a file.", pathSchema, readFile),
		newFileTool(at, "read_multiple_files", "Read several files.", `{"type":"object","properties":{"paths":{"type":"array","items":{"type":"string"}}},"required":["paths"]}`, readFiles),
		newFileTool(at, "list_directory", "List a directory.", pathSchema, listDir),
		newFileTool(at, "search_files_content", "Find the lines that contain a string, in all files below a directory.", `{"type":"object","properties":{"path":{"type":"string"},"query":{"type":"string"}},"required":["query"]}`, searchFiles),
		newFileTool(at, "write_file", "Write a file, replacing its contents.", `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`, writeFile),
		newFileTool(at, "edit_file", "Replace strings in a file. Each must occur exactly once.", `{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array","items":{"type":"object","properties":{"oldText":{"type":"string"},"newText":{"type":"string"}},"required":["oldText","newText"]}}},"required":["path","edits"]}`, editFile),
		newFileTool(at, "create_directory", "Create a directory and its parents.", pathSchema, makeDir),
	}
	for i := range list[:4] {
		list[i].ReadOnly = true
	}
	return list
}

// readFile returns the contents of a text file.
func readFile(_ context.Context, at Place, in pathArgs) (string, error) {
	data, err := state.ReadRegular(at.resolvePath(in.Path), maxRead) // does not block on a pipe
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) {
		return "", fmt.Errorf("%s is not text", in.Path)
	}
	return string(data), nil
}

// readFiles returns the contents of several text files. It returns an error if all of them fail.
func readFiles(ctx context.Context, at Place, in pathsArgs) (string, error) {
	var b strings.Builder
	var errs []error
	for _, p := range in.Paths {
		if b.Len() > maxRead {
			return b.String(), fmt.Errorf("the files are larger than %d MiB in total", maxRead>>20)
		}
		text, err := readFile(ctx, at, pathArgs{p})
		if err != nil {
			errs = append(errs, err)
			text = err.Error()
		}
		fmt.Fprintf(&b, "=== %s ===\n%s\n", p, text)
	}
	if len(in.Paths) == 0 {
		return "", errors.New("no files are named")
	}
	if len(errs) == len(in.Paths) {
		return "", errors.Join(errs...)
	}
	return b.String(), nil
}

func listDir(_ context.Context, at Place, in pathArgs) (string, error) {
	entries, err := os.ReadDir(at.resolvePath(in.Path))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for i, e := range entries {
		if i == maxEntries {
			fmt.Fprintf(&b, "… and %d more\n", len(entries)-i)
			break
		}
		kind := "FILE"
		if e.IsDir() {
			kind = "DIR "
		}
		fmt.Fprintf(&b, "%s %s\n", kind, e.Name())
	}
	return b.String(), nil
}

// searchFiles returns the lines that contain the query, in all text files below a directory.
func searchFiles(ctx context.Context, at Place, in searchArgs) (string, error) {
	if in.Query == "" {
		return "", errors.New("query is empty: pass the text to search for")
	}
	var b strings.Builder
	hits := 0
	root := at.resolvePath(in.Path)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if path == root {
				return err
			}
			return nil // skip what cannot be read
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || hits >= maxHits {
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > maxRead {
			return nil
		}
		hits += appendMatches(&b, at.Dir, path, in.Query)
		if b.Len() > maxRead {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if hits == 0 {
		return "nothing found", nil
	}
	return b.String(), nil
}

// appendMatches appends the lines of the text file at path that contain query to b, and returns their
// number.
func appendMatches(b *strings.Builder, dir, path, query string) int {
	data, err := state.ReadRegular(path, maxRead)
	if err != nil || bytes.IndexByte(data, 0) >= 0 || !bytes.Contains(data, []byte(query)) {
		return 0
	}
	name := path
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) {
		name = rel
	}
	hits, number := 0, 0
	for line := range strings.Lines(string(data)) {
		number++
		if strings.Contains(line, query) {
			fmt.Fprintf(b, "%s:%d:%s\n", name, number, strings.ToValidUTF8(truncateLine(strings.TrimRight(line, "\r\n")), "\uFFFD"))
			if hits++; hits == maxHits {
				break
			}
		}
	}
	return hits
}

// truncateLine returns line, or its beginning if it is long, since a minified file may have lines of
// megabytes.
func truncateLine(line string) string {
	if len(line) > maxLine {
		return line[:maxLine] + "…"
	}
	return line
}

func writeFile(_ context.Context, at Place, in writeArgs) (string, error) {
	if in.Path == "" || in.Content == nil {
		return "", errors.New("path and content are required")
	}
	if err := replaceFile(at.resolvePath(in.Path), []byte(*in.Content)); err != nil {
		return "", err
	}
	return fmt.Sprintf("wrote %d bytes to %s", len(*in.Content), in.Path), nil
}

func editFile(ctx context.Context, at Place, in editArgs) (string, error) {
	text, err := readFile(ctx, at, pathArgs{in.Path})
	if err != nil {
		return "", err
	}
	if len(in.Edits) == 0 {
		return "", errors.New("edits is empty: pass at least one edit")
	}
	for i, e := range in.Edits {
		switch strings.Count(text, e.Old) {
		case 1:
			text = strings.Replace(text, e.Old, e.New, 1)
		case 0:
			return "", fmt.Errorf("the text of edit %d does not occur in %s", i+1, in.Path)
		default:
			return "", fmt.Errorf("the text of edit %d occurs more than once in %s", i+1, in.Path)
		}
	}
	if err := replaceFile(at.resolvePath(in.Path), []byte(text)); err != nil {
		return "", err
	}
	return fmt.Sprintf("edited %s (edits made: %d)", in.Path, len(in.Edits)), nil
}

func makeDir(_ context.Context, at Place, in pathArgs) (string, error) {
	if in.Path == "" {
		return "", errors.New("path is required")
	}
	return "made " + in.Path, os.MkdirAll(at.resolvePath(in.Path), 0o755)
}

// replaceFile writes data to the file at path atomically, and keeps its mode. It follows symlinks, as
// editors do.
func replaceFile(path string, data []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a broken symlink", path)
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case err == nil:
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return state.ReplaceFile(path, data, mode)
}
