package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/agent/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits in bytes, except for maxDepth.
const (
	maxError  = 2 << 10  // of an error
	maxStderr = 500      // of the last lines of its error output
	maxAbout  = 8 << 10  // of a tool's description
	maxSchema = 64 << 10 // of a tool's arguments
	maxName   = 128
	maxDepth  = 64
)

// convertTools returns the tools in all, a server's list, that the agent may use. It shows the user
// which are left out or changed.
func (s *server) convertTools(all []*sdk.Tool, taken func(name string) bool) ([]tool.Tool, error) {
	var out []tool.Tool
	var odd []string
	now, hints := map[string]string{}, map[string]bool{}
	for _, t := range all {
		if t == nil || len(s.selected) > 0 && !slices.Contains(s.selected, t.Name) {
			continue
		}
		made, err := s.convertTool(t)
		_, twice := now[t.Name]
		switch {
		case err != nil:
		case twice:
			err = errors.New("the tool is listed twice")
		case taken(made.Name):
			err = errors.New("the agent has another tool with that name: set name: on the server")
		}
		if err != nil {
			odd = append(odd, fmt.Sprintf("%s (%v)", cleanText(t.Name, maxName), err))
			continue
		}
		now[t.Name] = made.Description + "\x00" + string(made.Parameters)
		// A change during the session may remove the hint but never add it, since a server
		// must not make a tool look harmless later.
		made.ReadOnly = t.Annotations != nil && t.Annotations.ReadOnlyHint && (s.listed == nil || s.hints[t.Name])
		hints[t.Name] = made.ReadOnly
		out = append(out, made)
	}
	if most := s.limits().Tools; len(out) > most {
		return nil, fmt.Errorf("the server has %d tools, and at most %d are allowed: list the ones the agent needs under tools", len(out), most)
	}
	for _, want := range s.selected {
		if _, ok := now[want]; !ok && !slices.ContainsFunc(odd, func(o string) bool { return strings.HasPrefix(o, want+" ") }) {
			odd = append(odd, want+" (the server does not have it)")
		}
	}
	s.notifyChanges(now, odd)
	s.listed, s.hints = now, hints
	return out, nil
}

// notifyChanges shows the user which tools are left out, in odd, and how now differs from the last
// list.
func (s *server) notifyChanges(now map[string]string, odd []string) {
	if len(odd) > 0 {
		s.pool.opts.Notify(fmt.Sprintf("the MCP server %s: these tools are left out: %s", s.spec.Label, joinFirst(odd)))
	}
	if s.listed == nil {
		return
	}
	var changes []string
	for name, is := range now {
		switch was, ok := s.listed[name]; {
		case !ok:
			changes = append(changes, "+"+name)
		case was != is:
			changes = append(changes, name+" has another description")
		}
	}
	for name := range s.listed {
		if _, ok := now[name]; !ok {
			changes = append(changes, "-"+name)
		}
	}
	if len(changes) > 0 {
		slices.Sort(changes)
		s.pool.opts.Notify(fmt.Sprintf("the MCP server %s changed its tools: %s", s.spec.Label, joinFirst(changes)))
	}
}

// joinFirst joins the first elements of list, and adds how many more there are.
func joinFirst(list []string) string {
	const most = 10
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// convertTool returns t as a tool of the agent. It returns an error if its name or schema is invalid.
func (s *server) convertTool(t *sdk.Tool) (tool.Tool, error) {
	name := t.Name
	if s.spec.Name != "" {
		name = s.spec.Name + "_" + name // as in docker-agent
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, isInvalidInName) {
		return tool.Tool{}, errors.New("the name is not valid: use letters, digits and the characters _ - . only")
	}
	schema, err := cleanSchema(t.InputSchema)
	if err != nil {
		return tool.Tool{}, err
	}
	about := t.Description
	if strings.TrimSpace(about) == "" {
		about = t.Title
	}
	called := t.Name
	return tool.Tool{
		Definition: model.Definition{Name: name, Description: cleanText(about, maxAbout), Parameters: schema},
		Category:   "mcp", Canonical: "mcp:" + s.spec.Label + "/" + called,
		Run: func(ctx context.Context, input json.RawMessage) (string, error) {
			return s.callTool(ctx, called, input)
		},
	}, nil
}

// isInvalidInName reports whether c is not allowed in the name of a tool.
func isInvalidInName(c rune) bool {
	return c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// cleanSchema returns v, the schema of a tool's arguments, for models. It is always an object.
func cleanSchema(v any) (json.RawMessage, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	if kind, said := fields["type"]; said && kind != "object" {
		return nil, errors.New("the tool's arguments are not an object")
	}
	cleaned, err := cleanTree(fields, 0)
	if err != nil {
		return nil, err
	}
	cleaned.(map[string]any)["type"] = "object"
	out, err := json.Marshal(cleaned)
	if err != nil {
		return nil, err
	}
	if len(out) > maxSchema {
		return nil, fmt.Errorf("the argument schema is larger than %d KiB", maxSchema>>10)
	}
	return out, nil
}

// cleanTree returns v, a part of a schema, with its texts cleaned. Names must already be clean,
// because calls use them.
func cleanTree(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("the argument schema is nested too deeply")
	}
	var err error
	switch v := v.(type) {
	case string:
		return cleanText(v, maxAbout), nil
	case []any:
		for i := range v {
			if v[i], err = cleanTree(v[i], depth+1); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key, item := range v {
			if cleanText(key, maxName) != key {
				return nil, errors.New("the argument schema has invalid names")
			}
			if v[key], err = cleanTree(item, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// cleanText returns s, a text of a server, without control and invisible characters and truncated to
// about most bytes.
func cleanText(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + " …"
}
