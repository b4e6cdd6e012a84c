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

// What a server may say of itself, in bytes.
const (
	maxTold   = 2 << 10  // of an error
	maxSaid   = 500      // of its last words
	maxAbout  = 8 << 10  // of what a tool is for
	maxSchema = 64 << 10 // of a tool's arguments
	maxName   = 128
	maxDepth  = 64
)

// made makes tools of a server's list.
func (s *server) made(all []*sdk.Tool, taken func(name string) bool) ([]tool.Tool, error) {
	var out []tool.Tool
	var odd []string
	now, hints := map[string]string{}, map[string]bool{}
	for _, t := range all {
		if t == nil || len(s.only) > 0 && !slices.Contains(s.only, t.Name) {
			continue
		}
		made, err := s.tool(t)
		_, twice := now[t.Name]
		switch {
		case err != nil:
		case twice:
			err = errors.New("the tool is listed twice")
		case taken(made.Name):
			err = errors.New("the agent has another tool with that name: set name: on the server")
		}
		if err != nil {
			odd = append(odd, fmt.Sprintf("%s (%v)", clean(t.Name, maxName), err))
			continue
		}
		now[t.Name] = made.Description + "\x00" + string(made.Parameters)
		// What changes in mid-session may take the hint back, and never give it: the
		// session began with the tools that there were.
		made.ReadOnly = t.Annotations != nil && t.Annotations.ReadOnlyHint && (s.listed == nil || s.hints[t.Name])
		hints[t.Name] = made.ReadOnly
		out = append(out, made)
	}
	if most := s.limits().Tools; len(out) > most {
		return nil, fmt.Errorf("the server has %d tools, and at most %d are allowed: list the ones the agent needs under tools", len(out), most)
	}
	for _, want := range s.only {
		if _, ok := now[want]; !ok && !slices.ContainsFunc(odd, func(o string) bool { return strings.HasPrefix(o, want+" ") }) {
			odd = append(odd, want+" (the server does not have it)")
		}
	}
	s.tell(now, odd)
	s.listed, s.hints = now, hints
	return out, nil
}

// tell informs the person which tools are left out, and which are others than before.
func (s *server) tell(now map[string]string, odd []string) {
	if len(odd) > 0 {
		s.pool.opts.Tell(fmt.Sprintf("the MCP server %s: these tools are left out: %s", s.spec.Label, few(odd)))
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
			changes = append(changes, name+" says something else")
		}
	}
	for name := range s.listed {
		if _, ok := now[name]; !ok {
			changes = append(changes, "-"+name)
		}
	}
	if len(changes) > 0 {
		slices.Sort(changes)
		s.pool.opts.Tell(fmt.Sprintf("the MCP server %s changed its tools: %s", s.spec.Label, few(changes)))
	}
}

// few names the first of many.
func few(list []string) string {
	const most = 10
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

// tool makes a tool of what a server says of it.
func (s *server) tool(t *sdk.Tool) (tool.Tool, error) {
	name := t.Name
	if s.spec.Name != "" {
		name = s.spec.Name + "_" + name // as docker-agent does
	}
	if name == "" || len(name) > maxName || strings.ContainsFunc(name, oddInName) {
		return tool.Tool{}, errors.New("the name is not valid: use letters, digits and the characters _ - . only")
	}
	schema, err := schemaOf(t.InputSchema)
	if err != nil {
		return tool.Tool{}, err
	}
	about := t.Description
	if strings.TrimSpace(about) == "" {
		about = t.Title
	}
	called := t.Name
	return tool.Tool{
		Definition: model.Definition{Name: name, Description: clean(about, maxAbout), Parameters: schema},
		Category:   "mcp", Canonical: "mcp:" + s.spec.Label + "/" + called,
		Run: func(ctx context.Context, input json.RawMessage) (string, error) { return s.call(ctx, called, input) },
	}, nil
}

func oddInName(c rune) bool {
	return c != '_' && c != '-' && c != '.' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
}

// schemaOf is what a server says of a tool's arguments, as models take it: an object,
// whatever else the server says.
func schemaOf(v any) (json.RawMessage, error) {
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

// cleanTree cleans the texts of a schema. The names in it must be clean already: they
// are what a call has to spell.
func cleanTree(v any, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errors.New("the argument schema is nested too deeply")
	}
	var err error
	switch v := v.(type) {
	case string:
		return clean(v, maxAbout), nil
	case []any:
		for i := range v {
			if v[i], err = cleanTree(v[i], depth+1); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for key, item := range v {
			if clean(key, maxName) != key {
				return nil, errors.New("the argument schema has invalid names")
			}
			if v[key], err = cleanTree(item, depth+1); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// clean makes a stranger's text fit to be read: without characters that a terminal acts
// on or that nobody sees, and not longer than most bytes.
func clean(s string, most int) string {
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
