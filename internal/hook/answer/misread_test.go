package answer_test

import (
	"errors"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/answer"
)

// TestAnswerToAnUnreadPayloadIsAFault checks that a gate that could not read its payload does not
// count as consenting.
func TestAnswerToAnUnreadPayloadIsAFault(t *testing.T) {
	t.Parallel()
	for _, stderr := range []string{
		"parse error: Invalid string: control characters from U+0000 through U+001F must be escaped at line 2, column 1\n",
		"x\njq: parse error: Exceeds depth limit for parsing at line 1, column 257\n",
		"gojq: invalid json: <stdin>\n",
		"Traceback (most recent call last):\n  File \"g.py\", line 1\njson.decoder.JSONDecodeError: Invalid control character at: line 1 column 2 (char 1)\n",
		"SyntaxError: Unexpected token \n in JSON at position 4\n",
		"guard.rb:1:in `parse': unexpected token (JSON::ParserError)\n",
	} {
		for _, stdout := range []string{"", `{"continue": true}`, `{"hook_specific_output":{"permission_decision":"allow"}}`} {
			err := wantFault(t, hookOn(checkrein.PreToolUse), dockerForm, answer.Output{Stdout: []byte(stdout), Stderr: []byte(stderr)})
			if !errors.Is(err, answer.ErrMisread) {
				t.Errorf("%q: %v", stderr, err)
			}
		}
		got, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), dockerForm, answer.Output{Stdout: []byte(`{"decision":"block","reason":"no"}`), Stderr: []byte(stderr)})
		if err != nil || got.Decision != checkrein.Deny || got.Reason != "no" {
			t.Errorf("a denial beside %q is %v %q, %v", stderr, got.Decision, got.Reason, err)
		}
		if _, err := answer.ReadOutput(hookOn(checkrein.TurnEnd), dockerForm, answer.Output{Stderr: []byte(stderr)}); err != nil {
			t.Errorf("an observer beside %q: %v", stderr, err)
		}
	}
	for _, stderr := range []string{"", "checked", "jq: error (at <stdin>:1): Cannot iterate over null (null)", "no parse error", "SyntaxError: invalid syntax", "lint: a.json: parse error: expected }"} {
		if _, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), dockerForm, answer.Output{Stderr: []byte(stderr)}); err != nil {
			t.Errorf("%q is a fault: %v", stderr, err)
		}
	}
}

// TestAnswerWithoutAReaderIsAFault checks that a gate without the program that reads its payload does
// not count as consenting.
func TestAnswerWithoutAReaderIsAFault(t *testing.T) {
	t.Parallel()
	for _, stderr := range []string{"/bin/bash: line 2: jq: command not found\n", "x\n/bin/sh: 1: jq: not found\n", "sh: jq: not found", "zsh:1: command not found: jq\n", "./guard.sh: line 3: gojq: command not found"} {
		for _, stdout := range []string{"", `{"continue": true}`} {
			err := wantFault(t, hookOn(checkrein.PreToolUse), dockerForm, answer.Output{Stdout: []byte(stdout), Stderr: []byte(stderr)})
			if !errors.Is(err, answer.ErrNoReader) {
				t.Errorf("%q: %v", stderr, err)
			}
		}
		if got, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), dockerForm, answer.Output{Stdout: []byte(`{"decision":"block","reason":"no"}`), Stderr: []byte(stderr)}); err != nil || got.Reason != "no" {
			t.Errorf("a denial beside %q: %q, %v", stderr, got.Reason, err)
		}
		if _, err := answer.ReadOutput(hookOn(checkrein.TurnEnd), dockerForm, answer.Output{Stderr: []byte(stderr)}); err != nil {
			t.Errorf("an observer beside %q: %v", stderr, err)
		}
	}
	for _, stderr := range []string{"notify-send: command not found", "jq: error: x/0 is not defined", "the key jq is not found", "/bin/sh: 1: myjq: not found"} {
		if _, err := answer.ReadOutput(hookOn(checkrein.PreToolUse), dockerForm, answer.Output{Stderr: []byte(stderr)}); err != nil {
			t.Errorf("%q is a fault: %v", stderr, err)
		}
	}
}
