package tools

import "strings"

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
	{"PowerShell", "shell"},
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
	{"create_file", "write"},
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
	{"insert_edit_into_file", "edit"},
	{"invoke_agent", "task"},
	{"list", "list"},
	{"list_directory", "list"},
	{"local_shell", "shell"},
	{"ls", "list"},
	{"modify_file", "edit"},
	{"multi_replace_string_in_file", "edit"},
	{"patch", "patch"},
	{"powershell", "shell"},
	{"read", "read"},
	{"read_file", "read"},
	{"read_many_files", "read"},
	{"replace", "edit"},
	{"replace_in_file", "edit"},
	{"replace_string_in_file", "edit"},
	{"run_command", "shell"},
	{"run_in_terminal", "shell"},
	{"run_shell_command", "shell"},
	{"run_terminal_cmd", "shell"},
	{"search", "search"},
	{"search_file_content", "search"},
	{"search_files_content", "search"},
	{"shell", "shell"},
	{"shell_command", "shell"},
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

// Canonical is checkrein's name for a host's tool name: shell, read, write, edit,
// patch, list, glob, search, fetch, websearch, task, todo, or mcp:server/tool;
// "" for a tool that is none of them.
func Canonical(native string) string {
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

// EachName calls fn with every captured tool name and its canonical form.
func EachName(fn func(native, canonical string)) {
	for _, t := range toolNames {
		fn(t.native, t.canonical)
	}
}
