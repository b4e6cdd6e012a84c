package tools

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/hosts"
)

// CanonicalTool returns checkrein's name for a host's tool name, which is case-sensitive: shell, read,
// write, edit, patch, list, glob, search, fetch, websearch, task, todo, or mcp:server/tool. It returns
// "" for any other tool.
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

// canonicalMCP parses mcp__server__tool and mcp_server_tool. In the second form the server's name ends
// at the first underscore, because nothing else marks its end.
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

// EachName calls fn with every listed tool name and its canonical form.
func EachName(fn func(native, canonical string)) {
	for _, t := range hosts.ToolNames {
		fn(t.Native, t.Canonical)
	}
}
