package setup

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/host/install"
)

// Limits for reading plugins, which are small.
const (
	maxPluginFiles = 2000
	maxPluginFile  = 1 << 20
)

// findMistakes returns mistakes in the plugins in OpenClaw's extension directories. It only searches
// their text, so it may miss some.
func findMistakes(m *install.Machine) []install.Mistake {
	dir := stateDir(m)
	var out []install.Mistake
	for _, at := range []string{filepath.Join(dir, "extensions"), filepath.Join(dir, "workspace", ".openclaw", "extensions")} {
		left := maxPluginFiles
		_ = filepath.WalkDir(at, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil
			case e.IsDir() && (e.Name() == "node_modules" || e.Name() == "checkrein-plugin"):
				return fs.SkipDir
			case e.IsDir() || !slices.Contains([]string{".ts", ".js", ".mjs", ".cjs", ".mts"}, filepath.Ext(path)):
				return nil
			}
			if left--; left < 0 {
				return fs.SkipAll
			}
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Size() <= maxPluginFile {
				src, _ := os.ReadFile(path)
				out = append(out, findInFile(path, src)...)
			}
			return nil
		})
	}
	return out
}

// syncHooks lists hooks whose promises OpenClaw does not await.
var syncHooks = []string{"tool_result_persist", "before_message_write"}

// findInFile returns the mistakes in one file of a plugin.
func findInFile(path string, src []byte) []install.Mistake {
	var out []install.Mistake
	for _, hook := range syncHooks {
		for at := 0; ; {
			i := bytes.Index(src[at:], []byte(hook))
			if i < 0 {
				break
			}
			at += i + len(hook)
			if isAsyncHandler(src, at) {
				out = append(out, install.Mistake{File: path, Line: lineNumber(src, at), Async: true,
					What: fmt.Sprintf("the handler of %s is async, but OpenClaw ignores the promise that it returns", hook)})
			}
		}
	}
	return append(out, findIncompleteBootstrap(path, src)...)
}

// isAsyncHandler reports whether the handler after the name of a hook, which ends at offset at, is
// async: either itself, or as the name of an async function in the same file.
func isAsyncHandler(src []byte, at int) bool {
	rest := strings.TrimLeft(string(src[at:min(len(src), at+200)]), "'\"` \t\r\n,")
	if strings.HasPrefix(rest, "async") {
		return true
	}
	name := rest[:len(rest)-len(strings.TrimLeftFunc(rest, isNameRune))]
	if name == "" || name == "function" {
		return false
	}
	text := string(src)
	for _, form := range []string{"async function " + name + "(", "async function " + name + " (", name + " = async", name + ": async"} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

func isNameRune(r rune) bool {
	return r == '_' || r == '$' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// bootstrapMembers lists the members that a bootstrap file must have.
var bootstrapMembers = []string{"name", "path", "content", "missing"}

// findIncompleteBootstrap returns a mistake for each object that is added to bootstrapFiles without
// all its members.
func findIncompleteBootstrap(path string, src []byte) []install.Mistake {
	var out []install.Mistake
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("bootstrapFiles"))
		if i < 0 {
			return out
		}
		at += i + len("bootstrapFiles")
		rest := src[at:]
		open := bytes.IndexByte(rest, '{')
		if open < 0 || open > 40 || !bytes.Contains(rest[:open], []byte("push(")) && !bytes.Contains(rest[:open], []byte("[")) {
			continue
		}
		end := bytes.IndexByte(rest[open:], '}')
		if end < 0 {
			continue
		}
		object := string(rest[open : open+end])
		var lacks []string
		for _, m := range bootstrapMembers {
			if !hasMember(object, m) {
				lacks = append(lacks, m)
			}
		}
		if len(lacks) > 0 && !strings.Contains(object, "...") {
			out = append(out, install.Mistake{File: path, Line: lineNumber(src, at), What: "a bootstrap file without " + strings.Join(lacks, ", ") + " makes OpenClaw crash without saying where"})
		}
	}
}

// hasMember reports whether the JavaScript source of an object has the member name, with a value or in
// shorthand form.
func hasMember(object, name string) bool {
	for at := 0; ; {
		i := strings.Index(object[at:], name)
		if i < 0 {
			return false
		}
		before, after := at+i, at+i+len(name)
		at = after
		next := strings.TrimLeft(strings.TrimLeft(object[after:], `"'`), " \t\r\n")
		free := before == 0 || !isNameRune(rune(object[before-1])) && object[before-1] != '.'
		if free && (next == "" || next[0] == ':' || next[0] == ',') {
			return true
		}
	}
}

// lineNumber returns the number of the line that contains the offset at, counted from 1.
func lineNumber(src []byte, at int) int {
	return bytes.Count(src[:min(at, len(src))], []byte("\n")) + 1
}
