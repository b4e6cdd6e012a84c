package setup

import (
	"encoding/json"
	"path/filepath"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Claude Code runs in the lab.
var Lab = hostlab.Recipe{
	Name: "claude", Package: "@anthropic-ai/claude-code", Version: "2.1.325",
	InstallDirs:  []string{".claude/local"},
	DelegateArgs: map[string]any{"subagent_type": "general-purpose"},
	Entry:        "@anthropic-ai/claude-code-*/claude", Timeout: time.Minute,
	Args: labArgs, Driver: labDriver, Env: labEnv, Files: labFiles,
}

// labArgs returns the arguments of a run. It approves tools in advance, because a headless Claude Code
// refuses most calls otherwise, and that would look like a hook's denial.
func labArgs(s *hostlab.Space, r hostlab.Run) []string {
	args := []string{"-p", r.Prompt, "--allowedTools", "Bash,Read,Write,Edit,Glob,Grep,WebFetch,Agent"}
	if s.ToolsURL() != "" {
		args[3] += ",mcp__" + hostlab.ToolServer
		args = append(args, "--mcp-config", s.LabFile("mcp.json"), "--strict-mcp-config")
	}
	return args
}

// labEnv returns the environment of a run. It turns tool search off: newer builds make the model
// search for MCP tools, but a scripted model calls only tools that it is offered.
func labEnv(s *hostlab.Space) map[string]string {
	return map[string]string{
		"CLAUDE_CONFIG_DIR":                        filepath.Join(s.Home, ".claude"),
		"ANTHROPIC_BASE_URL":                       s.Model().URL(),
		"ANTHROPIC_API_KEY":                        hostlab.FakeKey,
		"ENABLE_TOOL_SEARCH":                       "false",
		"DISABLE_AUTOUPDATER":                      "1",
		"DISABLE_TELEMETRY":                        "1",
		"DISABLE_ERROR_REPORTING":                  "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
	}
}

func labFiles(s *hostlab.Space) map[string]any {
	if s.ToolsURL() == "" {
		return nil
	}
	return map[string]any{"mcp.json": hostlab.MCPServers(map[string]any{"type": "http", "url": s.ToolsURL()})}
}

// labDriver drives Claude Code as editors and the SDK do: messages go in both directions, and
// questions are control requests.
var labDriver = hostlab.Driver{
	Args: func(s *hostlab.Space, r hostlab.Run) []string {
		args := labArgs(s, r)
		args[1] = "--verbose" // the prompt is sent as a message
		return append(args, "--input-format", "stream-json", "--output-format", "stream-json", "--permission-prompt-tool", "stdio")
	},
	Talk: func(t *hostlab.Talk, _ *hostlab.Space, r hostlab.Run) error {
		prompt := map[string]any{"role": "user", "content": r.Prompt}
		if err := t.Send(map[string]any{"type": "user", "message": prompt, "session_id": "", "parent_tool_use_id": nil}); err != nil {
			return err
		}
		for {
			var m struct {
				Type    string          `json:"type"`
				ID      string          `json:"request_id"`
				Request json.RawMessage `json:"request"`
			}
			if err := t.ReadNext(&m); err != nil {
				return err
			}
			switch m.Type {
			case "result":
				return nil
			case "control_request":
				if err := answerRequest(t, m.ID, m.Request); err != nil {
					return err
				}
			}
		}
	},
}

// answerRequest answers a control request. A question about a tool gets the decision of the test's
// user.
func answerRequest(t *hostlab.Talk, id string, request json.RawMessage) error {
	var q struct {
		Subtype string          `json:"subtype"`
		Input   json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(request, &q); err != nil {
		return err
	}
	answer := map[string]any{"subtype": "error", "request_id": id, "error": "unknown request"}
	if q.Subtype == "can_use_tool" {
		said := map[string]any{"behavior": "deny", "message": "the user said no"}
		if t.Ask(request) {
			said = map[string]any{"behavior": "allow", "updatedInput": q.Input}
		}
		answer = map[string]any{"subtype": "success", "request_id": id, "response": said}
	}
	return t.Send(map[string]any{"type": "control_response", "response": answer})
}
