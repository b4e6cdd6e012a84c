package dockeragent

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// hasEvent reports whether docker-agent has an event. Its names are checkrein's, so only events from
// other systems are exceptions.
func hasEvent(k checkrein.Kind) bool {
	switch k {
	case checkrein.Other, checkrein.PostToolUseFailure, checkrein.OnResponseEnd, checkrein.OnCompletionClaim,
		checkrein.OnOutboundMessage, checkrein.SubagentStart, checkrein.PreCommit, checkrein.PrePush, checkrein.Scrub:
		return false
	}
	return true
}

// write writes an agent file with one agent that has the hooks. Its owner must add the other settings
// of an agent.
func write(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	w := grammar.Writer{Rules: grammar.Rules{Dialect: "docker-agent", GateFaultsBlock: true}, Has: hasEvent, ToolName: toolName, Indent: "      "}
	// Implied hooks are left out: reading the file adds them again.
	own := slices.DeleteFunc(slices.Clone(hooks), func(h checkrein.Hook) bool { return h.Implied && h.Dialect == "docker-agent" })
	for i := range own {
		switch h := &own[i]; {
		case !isSaferShell(h):
		case rawjson.Equal(h.If, []byte(shellOnly)):
			h.If = nil
		default:
			w.Losses = append(w.Losses, hookfile.Loss{Hook: h.Label(), What: "tools", Why: "in the target format, safer_shell checks only shell calls"})
		}
	}
	block := w.WriteHooks(own)
	text := "agents:\n  root:\n    hooks:"
	if block == "" {
		text += " {}\n"
	} else {
		text += "\n" + block
	}
	return []hookfile.Document{{Name: "agent.yaml", Data: []byte(text)}}, w.Losses
}
