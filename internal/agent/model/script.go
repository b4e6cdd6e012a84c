package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A script holds the answers of a scripted model, one step for each call.
type script struct {
	part
	Agents map[string]part `json:"agents"` // separate parts
}

// A part holds the answers of one agent.
type part struct {
	Steps []step `json:"steps"`
	Limit uint32 `json:"context_limit"` // the initial context size; 0 = unknown
}

// A step is one answer, or one failure.
type step struct {
	Text  string       `json:"text"`
	Calls []scriptCall `json:"tool_calls"`
	Usage *Usage       `json:"usage"`
	Cost  *float64     `json:"cost"`
	Fault string       `json:"error"`         // overflow, hang, or a message; the text comes first
	Delay uint32       `json:"delay_ms"`      // before the answer
	Limit uint32       `json:"context_limit"` // the context size from this step on; 0 = unchanged
}

// A scriptCall is a tool call. Arguments that are a string are used as they are, like text of a model,
// and need not be JSON.
type scriptCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// toFunction returns the call in the form of an answer.
func (c *scriptCall) toFunction() Function {
	f := Function{Name: c.Name, Arguments: string(c.Arguments)}
	if len(c.Arguments) == 0 || string(c.Arguments) == "null" {
		f.Arguments = "{}"
	}
	var text string
	if json.Unmarshal(c.Arguments, &text) == nil && text != "" {
		f.Arguments = text
	}
	return f
}

// readScript reads the script file, which must be in dir or below it.
func readScript(dir, file string) (*script, error) {
	if !filepath.IsLocal(file) {
		return nil, fmt.Errorf("script %q must be a relative path inside the agent file's directory", file)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("script %q: %w", file, err)
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Stat(file); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("script %q is not a file", file)
	} else if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("script %q is not in the agent file's directory", file)
	}
	f, err := root.Open(file)
	if err != nil {
		return nil, fmt.Errorf("script %q: %w", file, err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, yamldoc.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("script %q: %w", file, err)
	}
	return parseScript(file, data)
}

// parseScript parses data, a script in JSON or YAML. file is its name for messages.
func parseScript(file string, data []byte) (*script, error) {
	root, _, err := yamldoc.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("script %q: %w", file, err)
	}
	s := &script{}
	dec := json.NewDecoder(bytes.NewReader(root.JSON()))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(s); {
	case err != nil:
		return nil, fmt.Errorf("script %q: %s", file, strings.TrimPrefix(err.Error(), "json: "))
	case root.Get("steps") == nil && root.Get("agents") == nil:
		return nil, fmt.Errorf("script %q has no steps: write {\"steps\": [{\"text\": \"…\"}]}", file)
	}
	for _, p := range append(slices.Collect(maps.Values(s.Agents)), s.part) {
		for _, st := range p.Steps {
			if slices.ContainsFunc(st.Calls, func(c scriptCall) bool { return c.Name == "" }) {
				return nil, fmt.Errorf("script %q: a tool call has no name", file)
			}
		}
	}
	return s, nil
}
