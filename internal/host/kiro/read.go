package kiro

import (
	"strings"

	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// read names the tools of servers, and says for a tool that failed that it did.
func read(h *wire.Host, body []byte, name string) wire.Call {
	if name == "" {
		name = rawjson.GetText(body, "hook_event_name")
	}
	c := wire.ReadAs(h, body, flat(body), name)
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
		t.Input = withPaths(t.Input)
	}
	if c.Native == "stop" {
		c.Events[0].Text = rawjson.GetText(body, "assistant_response")
	}
	return c
}

// flat marks a tool as failed whose result is no success.
func flat(body []byte) []byte {
	if ok, _ := rawjson.Lookup(body, "tool_response", "success"); string(ok) == "false" {
		if out, err := rawjson.Patch(body, []byte(`{"tool_error":true}`)); err == nil {
			return out
		}
	}
	return body
}

// withPaths lists the files of the read tool's operations where guards look for
// files. Kiro takes no arguments back, so they may have a member more.
func withPaths(input []byte) []byte {
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
