//go:build unix

package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/rebuild"
	"github.com/checkrein/checkrein/internal/lab/built"
)

// A kindsPlace is a home with a state that everything was used in, to copy.
type kindsPlace struct {
	*testing.T
	dir, sound string
}

func newKindsPlace(t *testing.T) *kindsPlace {
	t.Helper()
	dir, err := os.MkdirTemp("", "cr-") // the names of sockets must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { built.RemoveWhenIdle(dir) })
	p := &kindsPlace{t, dir, filepath.Join(dir, "s", "checkrein")}
	for name, text := range map[string]string{
		"work/README":                           "nothing\n",
		"home/.config/checkrein/checkrein.yaml": forbidding + "  post_tool_use: {name: own, type: command, command: " + filepath.Join(dir, "work", "own.sh") + "}\n",
		"work/own.sh":                           "#!/bin/sh\nexit 0\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := built.WriteScript(file, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		if out, err := exec.Command("git", append([]string{"-C", filepath.Join(dir, "work")}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for range 2 { // the first record makes the key
		p.run("s", forbidden, "hook", "claude")
	}
	p.run("s", "", "scan", "--staged")
	p.run("s", "", "audit", "query")
	return p
}

// run runs the program with a state directory. It ends by itself, or the test fails.
func (p *kindsPlace) run(state, stdin string, args ...string) (code int, out string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(programs, "checkrein"), args...)
	cmd.Dir = filepath.Join(p.dir, "work")
	cmd.Env = []string{"HOME=" + filepath.Join(p.dir, "home"), "XDG_STATE_HOME=" + filepath.Join(p.dir, state), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}
	cmd.Stdin = strings.NewReader(stdin)
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil || cmd.ProcessState == nil {
		p.Fatalf("%s: %v does not end: %v: %s", state, args, err, text)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// copyState copies the sound state, and returns the name and directory of the copy.
func (p *kindsPlace) copyState(n int) (name, dir string) {
	p.Helper()
	name = fmt.Sprint("c", n)
	dir = filepath.Join(p.dir, name, "checkrein")
	if err := os.CopyFS(dir, os.DirFS(p.sound)); err != nil {
		p.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil {
			mode := os.FileMode(0o600)
			if e.IsDir() {
				mode = 0o700
			}
			err = os.Chmod(path, mode)
		}
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
	return name, dir
}

// rows are a file of each row of the table, and the directories that these lie in. What the
// ledger itself is made of is tried elsewhere.
func (p *kindsPlace) rows() (files, folders []string) {
	p.Helper()
	for _, f := range rebuild.Files() {
		folder := path.Dir(f.Pattern)
		if strings.HasSuffix(f.Pattern, "/**") {
			folder = strings.TrimSuffix(f.Pattern, "/**")
		}
		if folder != "." && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		if folder == "ledger" && f.Store == "" {
			continue
		}
		name := strings.ReplaceAll(strings.ReplaceAll(f.Pattern, "**", "odd"), "*", "odd")
		if there, _ := filepath.Glob(filepath.Join(p.sound, f.Pattern)); len(there) > 0 && !strings.HasSuffix(f.Pattern, "/**") {
			name, _ = filepath.Rel(p.sound, there[0])
		}
		files = append(files, name)
	}
	return files, folders
}

// oddKinds are what lies in place of a file or a directory.
var oddKinds = []struct {
	name, is string
	make     func(path string) error
}{
	{"pipe", "a pipe", func(path string) error { return syscall.Mkfifo(path, 0o600) }},
	{"socket", "a socket", func(path string) error {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		defer syscall.Close(fd)
		return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
	}},
	{"zeros", "a link", func(path string) error { return os.Symlink("/dev/zero", path) }},
	{"terminal", "a link", func(path string) error { return os.Symlink("/dev/tty", path) }},
	{"directory", "a directory", func(path string) error { return os.Mkdir(path, 0o700) }},
	{"file", "a file", func(path string) error { return os.WriteFile(path, []byte("a file\n"), 0o600) }},
}

// put makes something of a kind in place of a file of a state.
func (p *kindsPlace) put(dir, name string, make func(path string) error) {
	p.Helper()
	full := filepath.Join(dir, name)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.RemoveAll(full + suffix); err != nil {
			p.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := make(full); err != nil {
		p.Fatal(err)
	}
}

// kindsCommands are tried; all of them end.
var kindsCommands = [][]string{{"audit", "verify"}, {"doctor", "--no-run"}, {"status"}, {"audit", "query"}, {"hooks", "list"}, {"scan", "--staged"}}

// checkCommands runs commands on a state. The guard must decide, and verify and doctor must report
// what replaced the names.
func (p *kindsPlace) checkCommands(state, dir string, names []string, is string, commands ...[]string) {
	p.Helper()
	for _, args := range commands {
		code, out := p.run(state, "", args...)
		if args[0] != "doctor" && args[len(args)-1] != "verify" {
			continue
		}
		if code == 0 {
			p.Errorf("%s: %v finds nothing", names, args)
		}
		for _, name := range names {
			if !strings.Contains(out, filepath.Join(dir, name)+" is "+is+", not a ") {
				p.Errorf("%s: %v does not tell it: %s", name, args, out)
			}
		}
	}
	if _, out := p.run(state, forbidden, "hook", "claude"); !strings.Contains(out, "the rule spoke") {
		p.Errorf("%s: hook says %s", names, out)
	}
}

// Whatever lies in place of a file or a directory of the state, nothing waits for it, and
// it is a finding.
func TestOddKindsOfStateFiles(t *testing.T) {
	t.Parallel()
	p := newKindsPlace(t)
	files, folders := p.rows()
	n := 0
	next := func() (string, string) {
		n++
		return p.copyState(n)
	}
	for _, name := range slices.Concat(files, folders) {
		if name == "ledger" { // without it there is nothing to find anything in
			continue
		}
		state, dir := next()
		p.put(dir, name, oddKinds[0].make)
		p.checkCommands(state, dir, []string{name}, oddKinds[0].is, kindsCommands[0])
	}
	for _, kind := range oddKinds {
		for i, names := range [][]string{files, folders} {
			if i == 0 && kind.name == "file" || i == 1 && kind.name == "directory" {
				continue
			}
			state, dir := next()
			var made []string
			for _, name := range names {
				if name == "ledger" || kind.name == "directory" && isOpen(name) || name != filepath.Join("ledger", filepath.Base(name)) && slices.Contains(names, filepath.Dir(name)) {
					continue // such a directory may be there, or is in a place that is odd itself
				}
				p.put(dir, name, kind.make)
				made = append(made, name)
			}
			p.checkCommands(state, dir, made, kind.is, kindsCommands...)
		}
	}
	for _, kind := range oddKinds {
		if kind.name == "directory" {
			continue
		}
		state, dir := next()
		p.put(dir, "ledger", kind.make)
		p.checkCommands(state, dir, []string{"ledger"}, kind.is, kindsCommands...)
	}
}

// isOpen reports whether directories may lie where a name is.
func isOpen(name string) bool {
	row, ok := rebuild.FileOf(name)
	return ok && strings.HasSuffix(row.Pattern, "/**")
}

// A link in place of a directory of the state is not followed: nothing that it leads to is
// changed or removed, however long checkrein is used, and the person is told.
func TestLinkedStateIsNotFollowed(t *testing.T) {
	t.Parallel()
	p := newKindsPlace(t)
	_, folders := p.rows()
	for i, folder := range folders {
		state, dir := p.copyState(i)
		other := filepath.Join(p.dir, "other", folder)
		p.writeVictim(other)
		before := listed(t, other)
		p.put(dir, folder, func(path string) error { return os.Symlink(other, path) })
		for _, args := range kindsCommands {
			code, out := p.run(state, "", args...)
			if (args[0] == "doctor" || args[len(args)-1] == "verify") && (code == 0 || !strings.Contains(out, filepath.Join(dir, folder)+" is a link, not a directory")) {
				t.Errorf("%s: %v: %d, %s", folder, args, code, out)
			}
		}
		var told int
		for range 3 {
			_, out := p.run(state, forbidden, "hook", "claude")
			if !strings.Contains(out, "the rule spoke") {
				t.Errorf("%s: hook says %s", folder, out)
			}
			told += strings.Count(out, filepath.Join(dir, folder)+" is a link, not a directory")
		}
		if folder == "cache" && told != 1 {
			t.Errorf("%s: the person was told %d times", folder, told)
		}
		if after := listed(t, other); !slices.Equal(before, after) {
			t.Errorf("%s: before %q\nafter %q", folder, before, after)
		}
	}
}

// The upkeep, too, follows no link. It removes those in place of stores, which are made
// again, and puts that on record.
func TestUpkeepFollowsNoLink(t *testing.T) {
	t.Parallel()
	p := newKindsPlace(t)
	_, folders := p.rows()
	state, dir := p.copyState(0)
	other := filepath.Join(p.dir, "other")
	p.writeVictim(other)
	before := listed(t, other)
	for _, folder := range folders {
		if up := filepath.Dir(folder); folder != "ledger" && (up == "ledger" || !slices.Contains(folders, up)) {
			p.put(dir, folder, func(path string) error { return os.Symlink(other, path) })
		}
	}
	p.run(state, `{"session_id":"s","hook_event_name":"SessionEnd","reason":"other"}`, "hook", "claude")
	var out string
	stores := []string{"cache", "ledger/index"}
	for range 600 { // it runs beside
		if _, out = p.run(state, "", "audit", "query", "--kind", "derived", "--json"); strings.Count(out, "is a link, not a directory") == len(stores) {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	for _, store := range stores {
		if !strings.Contains(out, filepath.Join(dir, store)+" is a link, not a directory") {
			t.Errorf("%s: on record is %s", store, out)
		}
		if info, err := os.Lstat(filepath.Join(dir, store)); err == nil && !info.IsDir() {
			t.Errorf("%s is a link still", store)
		}
	}
	if after := listed(t, other); !slices.Equal(before, after) {
		t.Errorf("before %q\nafter %q", before, after)
	}
}

// writeVictim fills dir with another user's files, some of them named like checkrein's.
func (p *kindsPlace) writeVictim(dir string) {
	p.Helper()
	for _, name := range []string{"thesis.txt", ".hidden", "sub/deep", "0123456789abcdef0123456789abcdef", "0123456789abcdef-new", "0123456789abcdef-old",
		"0123456789abcdef0123456789abcdef.json", "index.db", "00000001.idx", "00000001.jsonl", "20200101-000000/00000001.json", "0123456789abcdef/1.txt", "checkrein.log", "1-1"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			p.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("theirs"), 0o600); err != nil {
			p.Fatal(err)
		}
		old := time.Now().AddDate(-1, 0, 0)
		if err := os.Chtimes(file, old, old); err != nil {
			p.Fatal(err)
		}
	}
}

// listed are the files below a directory, with their contents.
func listed(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out = append(out, path+": "+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
