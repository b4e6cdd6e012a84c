package kiro

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read reads a payload. It sets the canonical names of MCP tools and marks tools that failed.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	c := wire.ReadAs(h, body, markFailure(body), name)
	if c.Err != nil {
		return c
	}
	for i := range c.Events {
		t := c.Events[i].Tool
		if t == nil {
			continue
		}
		if server, tool, ok := strings.Cut(t.Name, "/"); ok && strings.HasPrefix(server, "@") && len(server) > 1 && tool != "" {
			t.Canonical = "mcp:" + server[1:] + "/" + tool
		}
		t.Input = addPaths(t.Input)
	}
	if c.Native == "stop" {
		c.Events[0].Text = rawjson.GetText(body, "assistant_response")
	}
	return c
}

// markFailure adds tool_error to the payload of a tool that did not succeed.
func markFailure(body []byte) []byte {
	if ok, _ := rawjson.Lookup(body, "tool_response", "success"); string(ok) == "false" {
		if out, err := rawjson.Patch(body, []byte(`{"tool_error":true}`)); err == nil {
			return out
		}
	}
	return body
}

// addPaths adds the files in the operations of the read tool as the argument paths, where guards look
// for files. Kiro does not read arguments back, so the additional member does no harm.
func addPaths(input []byte) []byte {
	list, ok := rawjson.Get(input, "operations")
	if _, has := rawjson.Get(input, "paths"); !ok || has {
		return input
	}
	var paths []string
	rawjson.Elements(list, func(_ int, op []byte) bool {
		if p := rawjson.GetText(op, "path"); p != "" {
			paths = append(paths, p)
		}
		images, _ := rawjson.Get(op, "image_paths")
		rawjson.Elements(images, func(_ int, val []byte) bool {
			if p, _ := rawjson.Text(val); p != "" {
				paths = append(paths, p)
			}
			return true
		})
		return true
	})
	o := rawjson.Object{'{'}
	o.Texts("paths", paths)
	o.Close()
	if out, err := rawjson.Patch(input, o); err == nil {
		return out
	}
	return input
}
