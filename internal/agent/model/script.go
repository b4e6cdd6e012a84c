package model

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/checkrein/checkrein/internal/text/suggest"
	"github.com/checkrein/checkrein/internal/text/yamldoc"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser"
)

// A script is what a scripted model says, one step for each call.
type script struct {
	part
	agents map[string]part // parts of their own
}

// A part is what one agent says.
type part struct {
	steps []step
	limit int // the context's size from the beginning; 0 = unknown
}

// A step is one answer, or one failure.
type step struct {
	text  string
	calls []Function
	usage *Usage
	cost  *float64
	fault string // overflow, hang, or a message; the text is said before it
	delay int    // milliseconds before the answer
	limit int    // the context's size from this step on; 0 = as before
}

// A scriptError collects what is wrong with a script.
type scriptError struct {
	file string
	errs []error
}

func (e *scriptError) add(line int, format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf("script %s:%d: %s", e.file, line, fmt.Sprintf(format, args...)))
}

// readScript reads a script that lies in a directory, or below it.
func readScript(dir, file string) (*script, error) {
	if !filepath.IsLocal(file) {
		return nil, fmt.Errorf("script %q must be in the agent file's directory", file)
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

// parseScript reads the text of a script, which is JSON or YAML.
func parseScript(file string, data []byte) (*script, error) {
	e := scriptError{file: strconv.Quote(file)}
	root, _, err := yamldoc.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("script %q: %w", file, err)
	}
	s := &script{}
	s.part = e.part(root, "the script", "agents")
	if agents := root.Get("agents"); !agents.IsNull() {
		if agents.Kind != yamldoc.Map {
			e.add(agents.Line, "agents is %s: write {name: {steps: […]}}", agents.Kind)
		}
		s.agents = make(map[string]part, len(agents.Pairs))
		for _, p := range agents.Pairs {
			s.agents[p.Key] = e.part(p.Value, "agents."+p.Key)
		}
	}
	if root.Get("steps") == nil && root.Get("agents") == nil && len(e.errs) == 0 {
		e.add(max(1, root.Line), "it has no steps: write {\"steps\": [{\"text\": \"…\"}]}")
	}
	return s, errors.Join(e.errs...)
}

// keys reports whether n is a mapping, and complains about members that are not
// known.
func (e *scriptError) keys(n *yamldoc.Node, where string, known ...string) bool {
	if n.IsNull() || n.Kind != yamldoc.Map {
		line, kind := 1, yamldoc.Null
		if n != nil {
			line, kind = max(1, n.Line), n.Kind
		}
		e.add(line, "%s is %s, not a mapping", where, kind)
		return false
	}
	for _, p := range n.Pairs {
		if !slices.Contains(known, p.Key) {
			e.add(p.Line, "unknown key %q in %s%s", p.Key, where, suggest.Hint(p.Key, known))
		}
	}
	return true
}

func (e *scriptError) part(n *yamldoc.Node, where string, more ...string) part {
	var out part
	if !e.keys(n, where, append(more, "steps", "context_limit")...) {
		return out
	}
	out.limit = e.count(n.Get("context_limit"), "context_limit")
	steps := n.Get("steps")
	if steps.IsNull() {
		return out
	}
	if steps.Kind != yamldoc.List {
		e.add(steps.Line, "steps is %s, not a list", steps.Kind)
		return out
	}
	for _, item := range steps.Items {
		out.steps = append(out.steps, e.step(item))
	}
	return out
}

func (e *scriptError) step(n *yamldoc.Node) step {
	var s step
	if !e.keys(n, "a step", "text", "tool_calls", "usage", "cost", "error", "delay_ms", "context_limit") {
		return s
	}
	s.text = e.text(n.Get("text"), "text")
	s.fault = e.text(n.Get("error"), "error")
	s.delay = e.count(n.Get("delay_ms"), "delay_ms")
	s.limit = e.count(n.Get("context_limit"), "context_limit")
	s.cost = e.price(n.Get("cost"))
	s.usage = e.usage(n.Get("usage"))
	calls := n.Get("tool_calls")
	if !calls.IsNull() && calls.Kind != yamldoc.List {
		e.add(calls.Line, "tool_calls is %s, not a list", calls.Kind)
		return s
	}
	if !calls.IsNull() {
		for _, item := range calls.Items {
			s.calls = append(s.calls, e.call(item))
		}
	}
	return s
}

// call reads a tool call. Arguments that are a text are what the model writes,
// which need not be JSON.
func (e *scriptError) call(n *yamldoc.Node) Function {
	var f Function
	if !e.keys(n, "a tool call", "name", "arguments") {
		return f
	}
	if f.Name = e.text(n.Get("name"), "name"); f.Name == "" {
		e.add(n.Line, "a tool call has no name")
	}
	switch args := n.Get("arguments"); {
	case args.IsNull():
		f.Arguments = "{}"
	case args.Kind == yamldoc.Text:
		f.Arguments = args.Text
	default:
		f.Arguments = string(args.JSON())
	}
	return f
}

func (e *scriptError) usage(n *yamldoc.Node) *Usage {
	if n.IsNull() {
		return nil
	}
	if !e.keys(n, "usage", "input_tokens", "output_tokens", "cached_input_tokens", "cached_write_tokens", "reasoning_tokens") {
		return nil
	}
	return &Usage{
		Input:       e.count(n.Get("input_tokens"), "input_tokens"),
		Output:      e.count(n.Get("output_tokens"), "output_tokens"),
		CachedInput: e.count(n.Get("cached_input_tokens"), "cached_input_tokens"),
		CachedWrite: e.count(n.Get("cached_write_tokens"), "cached_write_tokens"),
		Reasoning:   e.count(n.Get("reasoning_tokens"), "reasoning_tokens"),
	}
}

func (e *scriptError) text(n *yamldoc.Node, name string) string {
	if !n.IsNull() && (n.Kind == yamldoc.List || n.Kind == yamldoc.Map) {
		e.add(n.Line, "%s is %s, not a string", name, n.Kind)
	}
	if !n.IsNull() && n.Kind != yamldoc.Text {
		return n.Written
	}
	return n.Plain()
}

func (e *scriptError) count(n *yamldoc.Node, name string) int {
	if n.IsNull() {
		return 0
	}
	i, err := strconv.Atoi(n.Plain())
	if err != nil || i < 0 || i > 1<<30 || n.Kind != yamldoc.Number {
		e.add(n.Line, "%s must be a whole number, 0 or more", name)
		return 0
	}
	return i
}

func (e *scriptError) price(n *yamldoc.Node) *float64 {
	if n.IsNull() {
		return nil
	}
	f, err := strconv.ParseFloat(n.Plain(), 64)
	if err != nil || !(f >= 0 && f < 1e9) || n.Kind != yamldoc.Number {
		e.add(n.Line, "cost must be a number of dollars, 0 or more")
		return nil
	}
	return &f
}
