package host

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/host/wire"
)

// TestAsksReachAPerson checks for hosts and their processes whether an ask reaches the user. A host
// must describe where it asks if, and only if, one of its events honours an ask.
func TestAsksReachAPerson(t *testing.T) {
	t.Parallel()
	const yes = ""
	terminal, none := wire.HostProcess{Terminal: true}, wire.HostProcess{}
	at := func(args ...string) wire.HostProcess { return wire.HostProcess{Terminal: true, Args: args} }
	driven := func(agent bool, args ...string) wire.HostProcess {
		return wire.HostProcess{Args: args, Agent: func(bool) bool { return agent }}
	}
	tests := []struct {
		host, native string
		seat         wire.HostProcess
		want         string // in the reason; "" = it reaches a person
	}{
		{"claude", "PreToolUse", terminal, yes},
		{"claude", "PreToolUse", none, "Claude Code cannot ask without a terminal"},
		{"claude", "PreToolUse", at("claude", "-p", "do it"), "Claude Code does not ask when it was started with -p"},
		{"claude", "PreToolUse", at("node", "cli.js", "--print"), "started with --print"},
		{"claude", "PreToolUse", at("claude", "--", "-p"), yes},
		{"claude", "PreToolUse", driven(false, "claude", "-p", "--permission-prompt-tool", "stdio"), yes},
		{"claude", "PreToolUse", driven(true, "claude", "-p", "--permission-prompt-tool", "stdio"), "Another agent may have started Claude Code"},
		{"claude", "PreToolUse", wire.HostProcess{Terminal: true, Agent: func(driven bool) bool { return !driven }}, "Another agent may have started Claude Code"},
		{"claude", "PreToolUse", wire.HostProcess{Terminal: true, Agent: func(driven bool) bool { return driven }}, yes},
		{"claude", "PreToolUse", driven(false, "claude", "-p", "--permission-prompt-tool", "mcp__robot__yes"), "started with -p"},
		{"codex", "PreToolUse", terminal, "Codex CLI cannot ask from a hook"},
		{"gemini", "BeforeTool", terminal, yes},
		{"gemini", "BeforeTool", none, "without a terminal"},
		{"gemini", "BeforeTool", at("node", "gemini.js", "--prompt=x"), "started with --prompt"},
		{"opencode", "tool.execute.before", terminal, "OpenCode cannot ask from a hook"},
		{"copilot", "preToolUse", terminal, yes},
		{"copilot", "preToolUse", none, "without a terminal"},
		{"copilot", "preToolUse", at("copilot", "-p", "x"), "started with -p"},
		{"cursor", "beforeShellExecution", none, yes},
		{"cursor", "beforeShellExecution", at("cursor-agent", "-p"), "started with -p"},
		{"cursor", "preToolUse", none, "Cursor cannot ask on preToolUse"},
		{"qwen", "PreToolUse", terminal, "cannot ask from a hook"},
		{"openclaw", "before_tool_call", none, yes},
		{"openclaw", "before_tool_call", at("openclaw", "agent", "--local"), "started with --local"},
		{"pi", "tool_call", terminal, yes},
		{"pi", "tool_call", none, "Pi cannot ask without a terminal"},
		{"grok", "PreToolUse", terminal, yes},
		{"grok", "PreToolUse", none, "Grok cannot ask without a terminal"},
		{"grok", "PreToolUse", at("grok", "--always-approve"), "started with --always-approve"},
		{"droid", "PreToolUse", terminal, "cannot ask from a hook"},
		{"kimi", "PreToolUse", terminal, "cannot ask from a hook"},
		{"hermes", "pre_tool_call", terminal, yes},
		{"hermes", "pre_tool_call", none, "without a terminal"},
		{"docker-agent", "pre_tool_use", terminal, yes},
		{"docker-agent", "pre_tool_use", none, "without a terminal"},
		{"cline", "PreToolUse", terminal, "cannot ask from a hook"},
		{"windsurf", "pre_run_command", terminal, "cannot ask from a hook"},
		{"kiro", "preToolUse", terminal, "cannot ask from a hook"},
		{"ahp", "tool.before", terminal, "cannot ask from a hook"},
	}
	seen := map[string]bool{}
	for _, tt := range tests {
		seen[tt.host] = true
		ev := checkrein.Event{Kind: checkrein.PreToolUse, Host: tt.host, Native: tt.native}
		if h, ok := Find(tt.host); !ok || h.FindEvent(tt.native) == nil {
			t.Errorf("%s has no %s", tt.host, tt.native)
		}
		got := WhyCannotAsk(&ev, func() wire.HostProcess { return tt.seat })
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s %s %q: %q, want %q", tt.host, tt.native, tt.seat.Args, got, tt.want)
		}
	}
	for _, h := range Table() {
		honoured := false
		for i := range h.Events {
			for _, r := range h.Events[i].Rows {
				honoured = honoured || r.Honours&checkrein.CanAsk != 0
			}
		}
		if !seen[h.Name] || honoured != (h.Asks.Reach != wire.Never) {
			t.Errorf("%s: tested %t, honours an ask %t, reach %d", h.Name, seen[h.Name], honoured, h.Asks.Reach)
		}
	}
}

// TestWhyCannotAskInspectsLazily checks that the host's process is inspected only if the answer
// depends on it.
func TestWhyCannotAskInspectsLazily(t *testing.T) {
	t.Parallel()
	look := func() wire.HostProcess { t.Error("looked where the host runs"); return wire.HostProcess{} }
	for _, ev := range []checkrein.Event{
		{Kind: checkrein.PreToolUse, Host: "codex", Native: "PreToolUse"},
		{Kind: checkrein.PreToolUse, Host: "cursor", Native: "preToolUse"},
		{Kind: checkrein.PreToolUse, Host: "native"},
	} {
		WhyCannotAsk(&ev, look)
	}
}
