// Package hostgiven lists the files that hosts give their models without an event: a secret in there is
// known to the model, whatever hooks replaced.
package hostgiven

import "strings"

// Files are the files that hosts give their models without a word, in a project, in the
// directories above and below, and in the homes of hosts.
var Files = []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md", "QWEN.md", ".cursorrules", ".windsurfrules", ".github/copilot-instructions.md",
	".claude/CLAUDE.md", ".codex/AGENTS.md", ".codex/AGENTS.override.md", ".gemini/GEMINI.md", ".qwen/QWEN.md", ".config/opencode/AGENTS.md", ".copilot/copilot-instructions.md"}

// Folders are those of which hosts give their models files: rules, commands that people
// type, skills, agents, styles and what models keep for themselves.
var Folders = []string{".claude/rules", ".claude/commands", ".claude/skills", ".claude/agents", ".claude/output-styles", ".claude/agent-memory", ".claude/plugins",
	".agents", ".cursor/rules", ".cursor/commands", ".windsurf/rules", ".clinerules", ".github/instructions", ".github/prompts", ".github/agents", ".copilot/agents",
	".codex/prompts", ".codex/skills", ".codex/memories", ".gemini/commands", ".gemini/agents", ".gemini/skills", ".qwen/commands", ".qwen/agents", ".qwen/skills",
	".opencode/command", ".opencode/agent", ".config/opencode/command", ".config/opencode/agent"}

// ClaudeFolder is the name under which Claude Code keeps what belongs to a directory, its
// memory among it.
func ClaudeFolder(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, dir)
}
