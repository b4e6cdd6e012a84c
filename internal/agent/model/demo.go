package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// demo is a model that does what it is told in plain words, so that a person can
// try hooks without a key. It has no state: what was done is read off the
// conversation.
type demo struct{ limit int }

// understood is what demo says when it understood nothing.
const understood = `I am a demo model and understand a few lines:
  Run: COMMAND
  List files
  Read FILE
  Write FILE: TEXT
  Delegate to AGENT: TASK
  Background AGENT: TASK
  Hand off to AGENT
  Send: TEXT
  Say: TEXT`

func (d *demo) ID() string { return "scripted/demo" }

func (d *demo) ContextLimit() int { return d.limit }

func (d *demo) Endpoint() Endpoint { return Endpoint{Provider: "scripted", Model: "demo"} }

func (d *demo) Call(ctx context.Context, req Request, delta func(string)) (Answer, error) {
	if ctx.Err() != nil {
		return Answer{}, context.Cause(ctx)
	}
	a := reply(req)
	say(a.Text, delta)
	cost := 0.0
	a.Cost = &cost
	a.Usage = &Usage{Output: tokens(a.Text)}
	for _, m := range req.Messages {
		a.Usage.Input += messageTokens(&m)
	}
	for _, c := range a.ToolCalls {
		a.Usage.Output += tokens(c.Function.Name) + tokens(c.Function.Arguments)
	}
	return a, nil
}

// tokens guesses how many a text has.
func tokens(s string) int { return (len(s) + 3) / 4 }

func messageTokens(m *Message) int {
	n := 4 + tokens(m.Content) // a few for the role
	for _, c := range m.ToolCalls {
		n += tokens(c.Function.Name) + tokens(c.Function.Arguments)
	}
	return n
}

// reply does the next thing of the last message to it, or tells what came of
// all of them.
func reply(req Request) Answer {
	at := -1
	for i, m := range req.Messages {
		if m.Role == User {
			at = i
		}
	}
	if at < 0 {
		return Answer{Text: understood}
	}
	if summing(req) {
		return Answer{Text: summary(req.Messages[at].Content)}
	}
	asked := req.Messages[at].Content
	redo := isRedo(asked)
	orders := read(asked, redo)
	since := req.Messages[at+1:]
	done := 0
	for _, m := range since {
		if m.Role == Assistant && len(m.ToolCalls) > 0 {
			done++
		}
	}
	var said []string
	if redo {
		said = append(said, "Understood, I go on: "+short(firstLine(asked), 200))
	}
	for _, o := range orders {
		switch {
		case o.tool == "":
			if done <= 0 {
				said = append(said, o.text)
			}
		case done > 0: // this one, with all that was said before it
			done--
			said = nil
		case !offered(req.Tools, o.tool):
			said = append(said, fmt.Sprintf("I have no tool %s, so I cannot: %s", o.tool, short(o.text, 200)))
		default:
			return Answer{Text: strings.Join(said, "\n"), ToolCalls: []ToolCall{o.call(len(req.Messages))}}
		}
	}
	switch {
	case len(said) > 0:
		return Answer{Text: strings.Join(said, "\n")}
	case len(orders) == 0:
		return Answer{Text: understood}
	}
	return Answer{Text: outcome(since)}
}

// summing reports whether the runtime wants a conversation in short.
func summing(req Request) bool {
	return len(req.Tools) == 0 && slices.ContainsFunc(req.Messages, func(m Message) bool {
		_, ok := keyword(m.Content, "summarize the conversation")
		return m.Role == System && ok
	})
}

// summary is a transcript in short: what was asked for.
func summary(transcript string) string {
	out := "So far the person asked for:"
	for line := range strings.Lines(transcript) {
		if text, ok := keyword(line, "user: "); ok && len(out) < 1000 {
			out += "\n- " + short(text, 200)
		}
	}
	return out
}

func offered(tools []Definition, name string) bool {
	return slices.ContainsFunc(tools, func(d Definition) bool { return d.Name == name })
}

// An order is one thing to do, or to say when there is no tool.
type order struct {
	tool string
	args map[string]string
	text string // the order as it was given, or what is to be said
}

// call makes a tool call. Its id tells it apart from the others of the
// conversation, which is longer each time.
func (o order) call(n int) ToolCall {
	args, err := json.Marshal(o.args)
	if err != nil { // texts only: cannot be
		args = []byte("{}")
	}
	return ToolCall{ID: fmt.Sprintf("call_demo_%d", n), Type: "function", Function: Function{Name: o.tool, Arguments: string(args)}}
}

// isRedo reports whether a message is a hook's, which keeps the agent going: the
// runtime ends such a message with the count of attempts.
func isRedo(text string) bool {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	var n, of int
	got, err := fmt.Sscanf(last, "(attempt %d of %d)", &n, &of)
	return got == 2 && err == nil
}

// read finds the orders in a message, one a line. Those of a hook may stand in
// the middle of its sentence.
func read(text string, redo bool) []order {
	var out []order
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := keyword(line, "your goal:"); ok {
			line = rest
		}
		o, ok := parseOrder(line)
		for _, word := range [...]string{"run:", "say:", "send:"} {
			if i := strings.Index(strings.ToLower(line), word); !ok && redo && i > 0 && i < len(line) {
				o, ok = parseOrder(line[i:])
			}
		}
		if ok {
			out = append(out, o)
		}
	}
	return out
}

// parseOrder reads one line.
func parseOrder(line string) (order, bool) {
	if cmd, ok := keyword(line, "run:"); ok && cmd != "" {
		return order{"shell", map[string]string{"cmd": cmd}, line}, true
	}
	if _, ok := keyword(line, "list files"); ok {
		return order{"shell", map[string]string{"cmd": "ls"}, line}, true
	}
	if text, ok := keyword(line, "say:"); ok && text != "" {
		return order{text: text}, true
	}
	if text, ok := keyword(line, "send:"); ok && text != "" {
		return order{"send_message", map[string]string{"message": text}, line}, true
	}
	if rest, ok := keyword(line, "write "); ok {
		path, text, found := strings.Cut(rest, ":")
		path = name(path)
		return order{"write_file", map[string]string{"path": path, "content": strings.TrimSpace(text)}, line}, found && path != ""
	}
	for _, w := range [...]struct{ word, tool string }{{"delegate to ", "transfer_task"}, {"background ", "run_background_agent"}} {
		if rest, ok := keyword(line, w.word); ok {
			who, task, found := strings.Cut(rest, ":")
			who, task = name(who), strings.TrimSpace(task)
			return order{w.tool, map[string]string{"agent": who, "task": task}, line}, found && who != "" && task != ""
		}
	}
	if who, ok := keyword(line, "hand off to "); ok {
		who = name(strings.TrimRight(who, "."))
		return order{"handoff", map[string]string{"agent": who}, line}, who != ""
	}
	for _, word := range [...]string{"read:", "read "} {
		if path, ok := keyword(line, word); ok {
			path = name(path)
			return order{"read_file", map[string]string{"path": path}, line}, path != ""
		}
	}
	return order{}, false
}

// keyword takes a word off a line's beginning, in whatever case it is written.
func keyword(line, word string) (string, bool) {
	if len(line) < len(word) || !strings.EqualFold(line[:len(word)], word) {
		return "", false
	}
	return strings.TrimSpace(line[len(word):]), true
}

// name takes the quotes off a name.
func name(s string) string { return strings.Trim(strings.TrimSpace(s), "\"'`") }

// outcome returns what came of the tool calls in a conversation.
func outcome(list []Message) string {
	var b strings.Builder
	for _, m := range list {
		if m.Role != Assistant {
			continue
		}
		for _, c := range m.ToolCalls {
			i := slices.IndexFunc(list, func(r Message) bool { return r.Role == ToolRole && r.ToolCallID == c.ID })
			if i < 0 {
				continue
			}
			verb := "worked and says"
			if list[i].IsError {
				verb = "did not work"
			}
			fmt.Fprintf(&b, "%s %s: %s\n", c.Function.Name, verb, short(strings.TrimSpace(list[i].Content), 600))
		}
	}
	if b.Len() == 0 {
		return "Done."
	}
	return strings.TrimRight(b.String(), "\n")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// short cuts a text at a character.
func short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + " …"
}
