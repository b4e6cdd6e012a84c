package checkrein

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/rawjson"
)

// A toolName maps a name that some host gives a tool to checkrein's name.
type toolName struct{ native, canonical string }

// toolNames holds the tool names captured from hosts, sorted by native name so
// that a look-up needs no map. Matching is case-sensitive, as hosts are.
var toolNames = [...]toolName{
	{"Agent", "task"},
	{"Bash", "shell"},
	{"Edit", "edit"},
	{"Glob", "glob"},
	{"Grep", "search"},
	{"LS", "list"},
	{"MultiEdit", "edit"},
	{"NotebookEdit", "edit"},
	{"Read", "read"},
	{"ReadFile", "read"},
	{"Shell", "shell"},
	{"StrReplaceFile", "edit"},
	{"Task", "task"},
	{"TodoWrite", "todo"},
	{"WebFetch", "fetch"},
	{"WebSearch", "websearch"},
	{"Write", "write"},
	{"WriteFile", "write"},
	{"agent", "task"},
	{"apply_patch", "patch"},
	{"bash", "shell"},
	{"create", "write"},
	{"edit", "edit"},
	{"edit_file", "edit"},
	{"exec", "shell"},
	{"exec_command", "shell"},
	{"execute_bash", "shell"},
	{"execute_command", "shell"},
	{"fetch", "fetch"},
	{"fs_read", "read"},
	{"fs_write", "write"},
	{"glob", "glob"},
	{"google_web_search", "websearch"},
	{"grep", "search"},
	{"grep_search", "search"},
	{"invoke_agent", "task"},
	{"list", "list"},
	{"list_directory", "list"},
	{"ls", "list"},
	{"patch", "patch"},
	{"read", "read"},
	{"read_file", "read"},
	{"read_many_files", "read"},
	{"replace", "edit"},
	{"replace_in_file", "edit"},
	{"run_shell_command", "shell"},
	{"search", "search"},
	{"search_file_content", "search"},
	{"search_files_content", "search"},
	{"shell", "shell"},
	{"task", "task"},
	{"terminal", "shell"},
	{"todo", "todo"},
	{"todo_write", "todo"},
	{"todowrite", "todo"},
	{"transfer_task", "task"},
	{"view", "read"},
	{"web_fetch", "fetch"},
	{"webfetch", "fetch"},
	{"websearch", "websearch"},
	{"write", "write"},
	{"write_file", "write"},
	{"write_to_file", "write"},
	{"write_todos", "todo"},
}

// CanonicalTool returns checkrein's name for a host's tool name: shell, read,
// write, edit, patch, list, glob, search, fetch, websearch, task, todo, or
// mcp:server/tool. It returns "" for a tool that is none of them.
func CanonicalTool(native string) string {
	lo, hi := 0, len(toolNames)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if toolNames[mid].native < native {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(toolNames) && toolNames[lo].native == native {
		return toolNames[lo].canonical
	}
	return canonicalMCP(native)
}

// canonicalMCP reads mcp__server__tool and mcp_server_tool. In the second form
// the server's name ends at the first underscore: nothing marks its end.
func canonicalMCP(native string) string {
	if rest, ok := strings.CutPrefix(native, "mcp:"); ok {
		if server, tool, ok := strings.Cut(rest, "/"); ok && server != "" && tool != "" {
			return native
		}
		return ""
	}
	if rest, ok := strings.CutPrefix(native, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok && server != "" && tool != "" {
			return "mcp:" + server + "/" + tool
		}
		return ""
	}
	if rest, ok := strings.CutPrefix(native, "mcp_"); ok {
		if server, tool, ok := strings.Cut(rest, "_"); ok && server != "" && tool != "" {
			return "mcp:" + server + "/" + tool
		}
	}
	return ""
}

// KnownToolNames calls fn with every captured tool name and its canonical form.
func KnownToolNames(fn func(native, canonical string)) {
	for _, t := range toolNames {
		fn(t.native, t.canonical)
	}
}

// A toolArg lists the names that hosts give to one argument; the first is
// checkrein's. Order is preference when a call has several of them.
type toolArg []string

var toolArgs = [...]toolArg{
	{"command", "cmd", "CommandLine", "command_line", "script"},
	{"path", "file_path", "filePath", "absolute_path", "notebook_path", "target_file", "filename", "dir_path", "directory"},
	{"content", "file_text", "contents"},
	{"old_string", "oldString", "old_str", "oldText"},
	{"new_string", "newString", "new_str", "newText"},
	{"url", "uri"},
	{"pattern", "query", "regex"},
}

// pathLists are the arguments that hold several paths.
var pathLists = [...]string{"paths", "files"}

// CanonicalArg returns checkrein's name for a tool argument; an argument that
// hosts agree on keeps its name.
func CanonicalArg(name string) string {
	if a := argNamed(name); a != nil {
		return a[0]
	}
	return name
}

func argNamed(name string) toolArg {
	for _, a := range toolArgs {
		for _, n := range a {
			if n == name {
				return a
			}
		}
	}
	return nil
}

// ArgKey returns the key under which the call's input holds the argument that
// name means, whichever host's word name is. It is name itself when the input
// has that key, or has none that means the same. A null is not there.
func (t *Tool) ArgKey(name string) string {
	if t.has(name) {
		return name
	}
	for _, n := range argNamed(name) {
		if t.has(n) {
			return n
		}
	}
	return name
}

func (t *Tool) has(key string) bool {
	v, ok := rawjson.Get(t.Input, key)
	return ok && rawjson.Kind(v) != 'n'
}

// Arg returns the argument that name means, in whichever host's words.
func (t *Tool) Arg(name string) ([]byte, bool) {
	return rawjson.Get(t.Input, t.ArgKey(name))
}

// Command returns the command line of a shell call, "" for other tools. A call
// that has several, under the words of several hosts, gets them all, a line
// each; who judges them one by one asks for Commands.
func (t *Tool) Command() string { return strings.Join(t.Commands(), "\n") }

// Commands returns the command lines of a shell call: one, unless it has
// different ones under the words of several hosts. Which of them runs is then
// for the host to know.
func (t *Tool) Commands() []string {
	if t.Canonical != "shell" {
		return nil
	}
	return t.texts(toolArgs[0]...)
}

// texts returns the texts of all arguments with one of these names; a list of
// words, as some hosts send a command, is joined with spaces. Which of several
// the host obeys, and whether it minds the case of a key, is not known here. To
// judge only one would let the others pass.
func (t *Tool) texts(names ...string) []string {
	var out []string
	t.named(names, func(v []byte) {
		s, ok := rawjson.Text(v)
		if !ok {
			s = strings.Join(texts(v), " ")
		}
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	})
	return out
}

// named calls fn for every argument with one of these names, in any case.
func (t *Tool) named(names []string, fn func(val []byte)) {
	rawjson.EachRaw(t.Input, func(key, val []byte) bool {
		for _, n := range names {
			if len(n) <= len(key) && strings.EqualFold(n, string(key)) { // letters that fold to ASCII are longer
				fn(val)
				break
			}
		}
		return true
	})
}

// texts returns the texts in a list.
func texts(list []byte) []string {
	var out []string
	rawjson.Elements(list, func(_ int, v []byte) bool {
		if s, ok := rawjson.Text(v); ok && s != "" {
			out = append(out, s)
		}
		return true
	})
	return out
}

// Paths returns the files that the call's arguments name, as written.
func (t *Tool) Paths() []string {
	var out []string
	if t.Canonical == "patch" {
		for _, p := range append(t.texts(toolArgs[0]...), t.texts("patch", "input", "patchText")...) {
			out = append(out, patchPaths(p)...)
		}
	}
	add := func(v []byte) {
		if s, ok := rawjson.Text(v); !ok {
			out = append(out, texts(v)...)
		} else if s != "" {
			out = append(out, s)
		}
	}
	t.named(toolArgs[1], add)
	t.named(pathLists[:], add)
	return out
}

// patchPaths reads the file headers of the patch envelope that patch tools take.
func patchPaths(patch string) []string {
	var out []string
	for line := range strings.Lines(patch) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "*** ")
		if !ok {
			continue
		}
		for _, head := range [...]string{"Add File: ", "Update File: ", "Delete File: ", "Move to: "} {
			if p, ok := strings.CutPrefix(rest, head); ok {
				out = append(out, p)
			}
		}
	}
	return out
}
