package kiro

import (
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
	"github.com/checkrein/checkrein/internal/rawjson"
)

// read names the tools of servers, and says for a tool that failed that it did.
func read(h *wire.Host, body []byte, name string) wire.Call {
	c := wire.Read(h, body, name)
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
		if ok, has := rawjson.Get(t.Output, "success"); has && string(ok) == "false" {
			t.Failed = true
		}
		t.Input = withPaths(t.Input)
	}
	if c.Native == "postToolUse" {
		c.Events = slices.DeleteFunc(c.Events, func(ev checkrein.Event) bool {
			return ev.Tool.Failed && ev.Kind == checkrein.PostToolUse || !ev.Tool.Failed && ev.Kind == checkrein.PostToolUseFailure
		})
	}
	if c.Native == "stop" {
		c.Events[0].Text = rawjson.GetText(body, "assistant_response")
	}
	return c
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
