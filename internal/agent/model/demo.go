package model

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// demo is a model that follows a few simple commands, so that users can try hooks without a key. It
// has no state, but sees in the conversation which commands were done.
type demo struct{ limit int }

// helpText is demo's answer if it understood nothing.
const helpText = `I am a demo model and understand a few lines:
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
	a := demoReply(req)
	sendChunks(a.Text, delta)
	cost := 0.0
	a.Cost = &cost
	a.Usage = &Usage{Output: estimateTokens(a.Text)}
	for _, m := range req.Messages {
		a.Usage.Input += messageTokens(&m)
	}
	for _, c := range a.ToolCalls {
		a.Usage.Output += estimateTokens(c.Function.Name) + estimateTokens(c.Function.Arguments)
	}
	return a, nil
}

// estimateTokens estimates the number of tokens of s.
func estimateTokens(s string) int { return (len(s) + 3) / 4 }

// messageTokens estimates the number of tokens of m.
func messageTokens(m *Message) int {
	n := 4 + estimateTokens(m.Content) // including the role
	for _, c := range m.ToolCalls {
		n += estimateTokens(c.Function.Name) + estimateTokens(c.Function.Arguments)
	}
	return n
}

// demoReply returns the tool call for the next command in the last user message, or the results once
// all commands are done.
func demoReply(req Request) Answer {
	at := -1
	for i, m := range req.Messages {
		if m.Role == User {
			at = i
		}
	}
	if at < 0 {
		return Answer{Text: helpText}
	}
	if wantsSummary(req) {
		return Answer{Text: listUserMessages(req.Messages[at].Content)}
	}
	asked := req.Messages[at].Content
	redo := isRedo(asked)
	orders := parseCommands(asked, redo)
	since := req.Messages[at+1:]
	done := 0
	for _, m := range since {
		if m.Role == Assistant && len(m.ToolCalls) > 0 {
			done++
		}
	}
	var said []string
	if redo {
		said = append(said, "Understood, I go on: "+truncate(firstLine(asked), 200))
	}
	for _, o := range orders {
		switch {
		case o.tool == "":
			if done <= 0 {
				said = append(said, o.text)
			}
		case done > 0: // already done, with all text before it
			done--
			said = nil
		case !offersTool(req.Tools, o.tool):
			said = append(said, fmt.Sprintf("I have no tool %s, so I cannot: %s", o.tool, truncate(o.text, 200)))
		default:
			return Answer{Text: strings.Join(said, "\n"), ToolCalls: []ToolCall{o.toolCall(len(req.Messages))}}
		}
	}
	switch {
	case len(said) > 0:
		return Answer{Text: strings.Join(said, "\n")}
	case len(orders) == 0:
		return Answer{Text: helpText}
	}
	return Answer{Text: reportResults(since)}
}

// wantsSummary reports whether req is the runtime's request for a summary of the conversation.
func wantsSummary(req Request) bool {
	return len(req.Tools) == 0 && slices.ContainsFunc(req.Messages, func(m Message) bool {
		_, ok := cutKeyword(m.Content, "summarize the conversation")
		return m.Role == System && ok
	})
}

// listUserMessages returns a summary of transcript that lists the user's messages.
func listUserMessages(transcript string) string {
	out := "So far the user asked for:"
	for line := range strings.Lines(transcript) {
		if text, ok := cutKeyword(line, "user: "); ok && len(out) < 1000 {
			out += "\n- " + truncate(text, 200)
		}
	}
	return out
}

// offersTool reports whether tools contains the tool name.
func offersTool(tools []Definition, name string) bool {
	return slices.ContainsFunc(tools, func(d Definition) bool { return d.Name == name })
}

// A demoCommand is a tool call or, if tool is "", text to say.
type demoCommand struct {
	tool string
	args map[string]string
	text string // the command, or the text to say
}

// toolCall returns the tool call of o. n, the number of messages, makes its ID unique.
func (o demoCommand) toolCall(n int) ToolCall {
	args, err := json.Marshal(o.args)
	if err != nil { // cannot happen: only strings
		args = []byte("{}")
	}
	return ToolCall{ID: fmt.Sprintf("call_demo_%d", n), Type: "function", Function: Function{Name: o.tool, Arguments: string(args)}}
}

// isRedo reports whether text comes from a hook that makes the agent continue. The runtime ends such a
// message with the number of the attempt.
func isRedo(text string) bool {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	last := lines[len(lines)-1]
	var n, of int
	got, err := fmt.Sscanf(last, "(attempt %d of %d)", &n, &of)
	return got == 2 && err == nil
}

// parseCommands returns the commands in text, one per line. If redo is set, they may be in the middle
// of a sentence.
func parseCommands(text string, redo bool) []demoCommand {
	var out []demoCommand
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := cutKeyword(line, "your goal:"); ok {
			line = rest
		}
		o, ok := parseCommand(line)
		for _, word := range [...]string{"run:", "say:", "send:"} {
			if i := strings.Index(strings.ToLower(line), word); !ok && redo && i > 0 && i < len(line) {
				o, ok = parseCommand(line[i:])
			}
		}
		if ok {
			out = append(out, o)
		}
	}
	return out
}

// parseCommand parses line as a command. It reports false if it is not one.
func parseCommand(line string) (demoCommand, bool) {
	if cmd, ok := cutKeyword(line, "run:"); ok && cmd != "" {
		return demoCommand{"shell", map[string]string{"cmd": cmd}, line}, true
	}
	if _, ok := cutKeyword(line, "list files"); ok {
		return demoCommand{"shell", map[string]string{"cmd": "ls"}, line}, true
	}
	if text, ok := cutKeyword(line, "say:"); ok && text != "" {
		return demoCommand{text: text}, true
	}
	if text, ok := cutKeyword(line, "send:"); ok && text != "" {
		return demoCommand{"send_message", map[string]string{"message": text}, line}, true
	}
	if rest, ok := cutKeyword(line, "write "); ok {
		path, text, found := strings.Cut(rest, ":")
		path = trimQuotes(path)
		return demoCommand{"write_file", map[string]string{"path": path, "content": strings.TrimSpace(text)}, line}, found && path != ""
	}
	for _, w := range [...]struct{ word, tool string }{{"delegate to ", "transfer_task"}, {"background ", "run_background_agent"}} {
		if rest, ok := cutKeyword(line, w.word); ok {
			who, task, found := strings.Cut(rest, ":")
			who, task = trimQuotes(who), strings.TrimSpace(task)
			return demoCommand{w.tool, map[string]string{"agent": who, "task": task}, line}, found && who != "" && task != ""
		}
	}
	if who, ok := cutKeyword(line, "hand off to "); ok {
		who = trimQuotes(strings.TrimRight(who, "."))
		return demoCommand{"handoff", map[string]string{"agent": who}, line}, who != ""
	}
	for _, word := range [...]string{"read:", "read "} {
		if path, ok := cutKeyword(line, word); ok {
			path = trimQuotes(path)
			return demoCommand{"read_file", map[string]string{"path": path}, line}, path != ""
		}
	}
	return demoCommand{}, false
}

// cutKeyword returns line without word at its beginning, ignoring case. It reports false if line does
// not begin with word.
func cutKeyword(line, word string) (string, bool) {
	if len(line) < len(word) || !strings.EqualFold(line[:len(word)], word) {
		return "", false
	}
	return strings.TrimSpace(line[len(word):]), true
}

// trimQuotes returns s without spaces and quotes around it.
func trimQuotes(s string) string { return strings.Trim(strings.TrimSpace(s), "\"'`") }

// reportResults returns a text with the results of the tool calls in list.
func reportResults(list []Message) string {
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
			fmt.Fprintf(&b, "%s %s: %s\n", c.Function.Name, verb, truncate(strings.TrimSpace(list[i].Content), 600))
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

// truncate returns s, shortened to about limit bytes without splitting a character.
func truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + " …"
}
