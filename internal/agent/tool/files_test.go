package tool

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func writeTestFile(t *testing.T, at Place, name, text string) string {
	t.Helper()
	path := filepath.Join(at.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, tool, input string
		out, err          string // parts of what comes back
		file, holds       string // what a file holds afterwards
	}{
		{name: "read", tool: "read_file", input: `{"path":"a.txt"}`, out: "one\ntwo\n"},
		{name: "read what is not there", tool: "read_file", input: `{"path":"none"}`, err: "none"},
		{name: "read a directory", tool: "read_file", input: `{"path":"sub"}`, err: "regular file"},
		{name: "read no text", tool: "read_file", input: `{"path":"binary"}`, err: "is not text"},
		{name: "read what is too large", tool: "read_file", input: `{"path":"huge"}`, err: "too large"},
		{name: "read through a link", tool: "read_file", input: `{"path":"link"}`, out: "one\ntwo\n"},
		{name: "read by a name in another case", tool: "read_file", input: `{"path":"a.txt","PATH":"sub/b.txt"}`, err: `unknown argument "PATH"`},
		{name: "read several", tool: "read_multiple_files", input: `{"paths":["a.txt","none","sub/b.txt"]}`, out: "=== a.txt ===\none\ntwo\n\n=== none ===\nopen "},
		{name: "read several, none there", tool: "read_multiple_files", input: `{"paths":["x","y"]}`, err: "x"},
		{name: "read several, none named", tool: "read_multiple_files", input: `{}`, err: "no files are named"},
		{name: "list", tool: "list_directory", input: `{"path":"."}`, out: "FILE a.txt\nFILE binary\nFILE huge\nFILE link\nDIR  sub\n"},
		{name: "search", tool: "search_files_content", input: `{"query":"two"}`, out: "a.txt:2:two\nsub/b.txt:1:two in b\n"},
		{name: "search below", tool: "search_files_content", input: `{"path":"sub","query":"two"}`, out: "sub/b.txt:1:two in b\n"},
		{name: "search in vain", tool: "search_files_content", input: `{"query":"needle"}`, out: "nothing found"},
		{name: "search for nothing", tool: "search_files_content", input: `{}`, err: "pass the text to search for"},
		{name: "search nowhere", tool: "search_files_content", input: `{"path":"none","query":"x"}`, err: "none"},
		{name: "write", tool: "write_file", input: `{"path":"new/c.txt","content":"three"}`, out: "wrote 5 bytes to new/c.txt", file: "new/c.txt", holds: "three"},
		{name: "write over", tool: "write_file", input: `{"path":"a.txt","content":""}`, out: "wrote 0 bytes", file: "a.txt", holds: ""},
		{name: "write no content", tool: "write_file", input: `{"path":"a.txt"}`, err: "path and content are required", file: "a.txt", holds: "one\ntwo\n"},
		{name: "write to a directory", tool: "write_file", input: `{"path":"sub","content":"x"}`, err: "regular file"},
		{name: "write through a link", tool: "write_file", input: `{"path":"link","content":"x"}`, out: "wrote", file: "a.txt", holds: "x"},
		{name: "edit", tool: "edit_file", input: `{"path":"a.txt","edits":[{"oldText":"one","newText":"1"},{"oldText":"two","newText":"2"}]}`, out: "edited a.txt (edits made: 2)", file: "a.txt", holds: "1\n2\n"},
		{name: "edit what is not there", tool: "edit_file", input: `{"path":"a.txt","edits":[{"oldText":"one","newText":"1"},{"oldText":"three","newText":"3"}]}`, err: "edit 2 does not occur", file: "a.txt", holds: "one\ntwo\n"},
		{name: "edit what is there twice", tool: "edit_file", input: `{"path":"a.txt","edits":[{"oldText":"o","newText":"0"}]}`, err: "more than once", file: "a.txt", holds: "one\ntwo\n"},
		{name: "edit nothing", tool: "edit_file", input: `{"path":"a.txt","edits":[]}`, err: "edits is empty"},
		{name: "edit an empty string", tool: "edit_file", input: `{"path":"a.txt","edits":[{"oldText":"","newText":"x"}]}`, err: "more than once", file: "a.txt", holds: "one\ntwo\n"},
		{name: "make a directory", tool: "create_directory", input: `{"path":"x/y"}`, out: "made x/y"},
		{name: "make no directory", tool: "create_directory", input: `{}`, err: "path is required"},
		{name: "garbage", tool: "read_file", input: `{"path":1}`, err: "arguments of read_file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			at := newPlace(t)
			writeTestFile(t, at, "a.txt", "one\ntwo\n")
			writeTestFile(t, at, "sub/b.txt", "two in b\n")
			writeTestFile(t, at, "binary", "two\x00\xff")
			huge := writeTestFile(t, at, "huge", "")
			if err := os.Truncate(huge, maxRead+1); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("a.txt", filepath.Join(at.Dir, "link")); err != nil {
				t.Fatal(err)
			}
			out, err := callTool(t, at, "filesystem", tt.tool, tt.input)
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if tt.err == "" && !strings.HasPrefix(out, tt.out) {
				t.Errorf("%q, want %q", out, tt.out)
			}
			if tt.file == "" {
				return
			}
			if got, err := os.ReadFile(filepath.Join(at.Dir, tt.file)); err != nil || string(got) != tt.holds {
				t.Errorf("%s holds %q, %v", tt.file, got, err)
			}
		})
	}
}

// The directory .git is not searched.
func TestSearchSkipsGit(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	writeTestFile(t, at, ".git/x", "needle\n")
	if out, err := callTool(t, at, "filesystem", "search_files_content", `{"query":"needle"}`); out != "nothing found" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestSearchIsBounded(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	for i := range 3 {
		writeTestFile(t, at, fmt.Sprint("f", i), strings.Repeat("needle\n", maxHits))
	}
	out, err := callTool(t, at, "filesystem", "search_files_content", `{"query":"needle"}`)
	if n := strings.Count(out, "\n"); err != nil || n != maxHits {
		t.Errorf("%d hits, %v", n, err)
	}
}

// A file keeps its mode, a symlink stays, and no temporary file is left.
func TestReplace(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	path := writeTestFile(t, at, "tool.sh", "old")
	if err := os.Chmod(path, 0o751); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(at.Dir, "link")
	if err := os.Symlink("tool.sh", link); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o751 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if to, err := os.Readlink(link); err != nil || to != "tool.sh" {
		t.Errorf("the link is %q, %v", to, err)
	}
	if err := os.Symlink("nowhere", filepath.Join(at.Dir, "lost")); err != nil {
		t.Fatal(err)
	}
	if err := replaceFile(filepath.Join(at.Dir, "lost"), nil); err == nil || !strings.Contains(err.Error(), "broken symlink") {
		t.Errorf("a link to nothing: %v", err)
	}
	if entries, _ := os.ReadDir(at.Dir); len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}

// A process that is killed while it writes leaves the old or the new text.
func TestReplaceIsWhole(t *testing.T) {
	if dir := os.Getenv("TOOL_TEST_DIR"); dir != "" {
		at := Place{Dir: dir}
		for i := 0; ; i++ {
			text := strings.Repeat(string(rune('a'+i%26)), 1<<20)
			if _, err := writeFile(t.Context(), at, writeArgs{"file", &text}); err != nil {
				os.Exit(3)
			}
		}
	}
	t.Parallel()
	at := newPlace(t)
	path := writeTestFile(t, at, "file", strings.Repeat("-", 1<<20))
	for range 10 {
		before, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestReplaceIsWhole$")
		cmd.Env = append(os.Environ(), "TOOL_TEST_DIR="+at.Dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
			if now, err := os.Stat(path); err == nil && !os.SameFile(before, now) {
				break // it is at it
			}
			if time.Now().After(deadline) {
				t.Fatal("nothing is written")
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		got, err := os.ReadFile(path)
		if err != nil || len(got) != 1<<20 || bytes.Count(got, got[:1]) != len(got) {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
}
