package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/agent/tool"
	"github.com/checkrein/checkrein/internal/text/card"
)

// Outbox is the channel that needs no account. It is a file.
const Outbox = "outbox"

// A Message is text for the user.
type Message struct {
	Channel string // Outbox, or the name of another channel
	Text    string
}

// A messageTool is a tool that sends a message.
type messageTool struct {
	name, about, params string
	send                threadTool
}

// messageTools returns send_message, which takes the name of a channel, and a tool for each messenger
// for which Starchild's agents have one. Models cannot choose addresses.
func (r *Runtime) messageTools() []messageTool {
	names, _ := json.Marshal(append([]string{Outbox}, r.opts.Channels...))
	list := []messageTool{{"send_message", "Send a message to the person: to a channel that is set up, or else to the outbox.",
		`{"type":"object","properties":{"message":{"type":"string"},"channel":{"type":"string","enum":` + string(names) + `}},"required":["message"]}`, sendMessage}}
	for _, messenger := range []string{"telegram", "wechat"} {
		name := "send_to_" + messenger
		list = append(list, messageTool{name, "Send a message to the person's " + messenger + ".", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
			func(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
				return t.sendAsHooksAllow(ctx, name, messenger, input)
			}})
	}
	return list
}

// sendMessage sends a message to the channel that input names, by default the outbox.
func sendMessage(ctx context.Context, t *thread, input json.RawMessage) (string, error) {
	var in struct {
		Channel string `json:"channel"`
	}
	if err := tool.ParseArguments(input, &in); err != nil {
		return "", err
	}
	known := append([]string{Outbox}, t.rt.opts.Channels...)
	if in.Channel == "" {
		in.Channel = Outbox
	}
	if !slices.Contains(known, in.Channel) {
		return "", fmt.Errorf("there is no channel %q: choose one of %s", in.Channel, strings.Join(known, ", "))
	}
	return t.sendAsHooksAllow(ctx, "send_message", in.Channel, input)
}

// sendAsHooksAllow sends the message in args to channel, as hooks rewrite it, unless they deny it.
// toolName is the tool that was called. It returns a confirmation for the model.
func (t *thread) sendAsHooksAllow(ctx context.Context, toolName, channel string, args json.RawMessage) (confirmation string, err error) {
	var in struct {
		Message string `json:"message"`
		File    string `json:"file_path"`
	}
	if err := tool.ParseArguments(args, &in); err != nil {
		return "", err
	}
	switch {
	case in.File != "":
		return "", errors.New("files cannot be sent: send a message that says where the file is")
	case strings.TrimSpace(in.Message) == "":
		return "", errors.New("there is nothing to send: write a message")
	}
	out := t.fire(ctx, checkrein.OnOutboundMessage, withText(in.Message), withDetail("channel", channel), withDetail("type", "message"))
	if isDenied(&out) {
		card := card.FromReason(denialReason(&out))
		t.report(Report{Type: Blocked, Event: "on_outbound_message", Tool: toolName, Text: denialReason(&out), Card: &card, Source: "hook"})
		return "", fmt.Errorf("a hook blocked the message: %s", denialReason(&out))
	}
	message := Message{Channel: channel, Text: rewrittenText(&out, in.Message)}
	if err := t.rt.opts.Send(ctx, message); err != nil {
		err = fmt.Errorf("the message was not sent: %w", err)
		t.report(Report{Type: Warning, Tool: toolName, Channel: channel, Text: err.Error()})
		return "", err
	}
	t.report(Report{Type: Sent, Channel: channel, Text: message.Text})
	return "sent to " + channel, nil
}
