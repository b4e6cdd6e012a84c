package checkrein

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Apply returns ev with its subject rewritten as v requires, and reports whether that changed
// anything. It does not change the event that it was given. It returns an error if the rewrite does
// not fit the subject.
func Apply(ev Event, v *Verdict) (Event, bool, error) {
	if !v.rewrites() {
		return ev, false, nil
	}
	row := ContractOf(ev.Kind)
	changed := false
	if v.Input != nil && row.Can(CanRewriteInput) && ev.Tool != nil {
		input, err := rawjson.Patch(ev.Tool.Input, v.Input)
		if err != nil {
			return ev, false, fmt.Errorf("rewriting the tool's input: %w", err)
		}
		if !rawjson.EqualForEveryReader(inputOrEmpty(ev.Tool.Input), input) {
			tool := *ev.Tool
			tool.Input = input
			ev.Tool, changed = &tool, true
		}
	}
	if row.Can(CanRewriteOutput) && (v.Output != nil || v.Append != "") {
		next, differs, err := applyOutput(ev, row, v)
		if err != nil {
			return ev, false, err
		}
		ev, changed = next, changed || differs
	}
	if v.Messages != nil && row.Can(CanRewriteMessages) {
		if rawjson.Kind(v.Messages) != '[' {
			return ev, false, fmt.Errorf("rewriting the messages: not a list")
		}
		if err := rawjson.Check(v.Messages); err != nil {
			return ev, false, fmt.Errorf("rewriting the messages: %w", err)
		}
		changed = changed || !rawjson.EqualForEveryReader(ev.Messages, v.Messages)
		ev.Messages = v.Messages
	}
	return ev, changed, nil
}

// inputOrEmpty returns input, or {} if it is empty.
func inputOrEmpty(input []byte) []byte {
	if len(input) == 0 {
		return []byte("{}")
	}
	return input
}

// applyOutput rewrites the output of a tool or the text of ev as v requires, and reports whether that
// changed it.
func applyOutput(ev Event, row *Contract, v *Verdict) (Event, bool, error) {
	if row.Subject == SubjectText {
		text := ev.Text
		if v.Output != nil {
			s, ok := rawjson.Text(v.Output)
			if !ok {
				return ev, false, fmt.Errorf("rewriting %s: not a string", row.Text)
			}
			text = s
		}
		text = joinLines(text, v.Append)
		differs := text != ev.Text
		ev.Text = text
		return ev, differs, nil
	}
	if ev.Tool == nil {
		return ev, false, nil
	}
	out := []byte(ev.Tool.Output)
	if v.Output != nil {
		if err := rawjson.Check(v.Output); err != nil {
			return ev, false, fmt.Errorf("rewriting the tool's output: %w", err)
		}
		out = v.Output
	}
	if v.Append != "" {
		out = appendOutput(out, v.Append)
	}
	if rawjson.EqualForEveryReader(ev.Tool.Output, out) {
		return ev, false, nil
	}
	tool := *ev.Tool
	tool.Output = out
	ev.Tool = &tool
	return ev, true, nil
}

// appendOutput returns a tool's output with a note added. Output that is not text becomes text,
// because a note inside a structure could be mistaken for part of it.
func appendOutput(out []byte, note string) []byte {
	text, ok := rawjson.Text(out)
	if !ok {
		text = string(out)
	}
	return rawjson.Quote(joinLines(text, note))
}
