package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// CanonicalTool returns checkrein's name for the name that a host uses for a tool, which is
// case-sensitive. The result is shell, read, write, edit, patch, list, glob, search, fetch, websearch,
// task, todo, mcp:server/tool, or "" for any other tool.
func CanonicalTool(native string) string {
	lo, hi := 0, len(hosts.ToolNames)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if hosts.ToolNames[mid].Native < native {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(hosts.ToolNames) && hosts.ToolNames[lo].Native == native {
		return hosts.ToolNames[lo].Canonical
	}
	return canonicalMCP(native)
}

// canonicalMCP returns the form mcp:server/tool of mcp__server__tool, mcp_server_tool or
// mcp:server/tool, or "" for other names. In mcp_server_tool the name of the server ends at the first
// underscore, because nothing else marks its end.
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

// EachName calls fn with every tool name of a host and checkrein's name for it.
func EachName(fn func(native, canonical string)) {
	for _, t := range hosts.ToolNames {
		fn(t.Native, t.Canonical)
	}
}
