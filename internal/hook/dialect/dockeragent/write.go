package dockeragent

import (
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/hook/grammar"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// hasEvent reports whether docker-agent has events of kind k. It has the same names as checkrein,
// except for events that come from other systems.
func hasEvent(k checkrein.Kind) bool {
	switch k {
	case checkrein.Other, checkrein.PostToolUseFailure, checkrein.OnResponseEnd, checkrein.OnCompletionClaim,
		checkrein.OnOutboundMessage, checkrein.SubagentStart, checkrein.PreCommit, checkrein.PrePush, checkrein.Scrub:
		return false
	}
	return true
}

// writeFile returns an agent file with one agent that has the hooks. The user must add the agent's
// other settings.
func writeFile(hooks []checkrein.Hook) ([]hookfile.Document, []hookfile.Loss) {
	w := grammar.Writer{Rules: grammar.Rules{Dialect: "docker-agent", GateFaultsBlock: true}, Has: hasEvent, ToolName: toolName, Indent: "      "}
	// Implied hooks are left out, because reading the file adds them again.
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
