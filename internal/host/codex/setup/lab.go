package setup

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/host/hostlab"
)

// Lab describes how Codex CLI runs in the lab.
var Lab = hostlab.Recipe{
	Name: "codex", Package: "@openai/codex", Version: "0.166.0",
	Entry: "@openai/codex/bin/codex.js", Node: true, Timeout: time.Minute,
	Args: labArgs, Driver: labDriver, Env: labEnv,
	Folders: []string{".codex"}, Approve: approveHooks,
}

// labArgs returns the arguments of a run. It passes settings as flags, so that the configuration files
// are the test's own. It turns Codex's own sandbox off, because it does not start everywhere.
func labArgs(s *hostlab.Space, r hostlab.Run) []string {
	args := []string{"exec", "--skip-git-repo-check", "-s", "danger-full-access"}
	args = append(args, labConfig(s, r.Untrusted)...)
	if r.Unapproved {
		args = append(args, "--dangerously-bypass-hook-trust")
	}
	return append(args, r.Prompt)
}

// labConfig returns settings as flags. Codex knows this model, so it offers the patch tool.
func labConfig(s *hostlab.Space, untrusted bool) []string {
	level := "trusted"
	if untrusted {
		level = "untrusted"
	}
	args := []string{
		"-c", `model="gpt-5.5"`,
		"-c", `model_provider="mock"`,
		"-c", `model_providers.mock={name="mock",base_url=` + strconv.Quote(s.Model().URL()+"/v1") +
			`,wire_api="responses",env_key="MOCK_KEY",request_max_retries=0,stream_max_retries=0}`,
		"-c", `projects={` + strconv.Quote(s.Project) + `={trust_level="` + level + `"}}`,
		"-c", "analytics.enabled=false",
		"-c", `otel.metrics_exporter="none"`,
		"-c", "features.plugins=false", // they need the network
		"-c", "check_for_update_on_startup=false",
	}
	if s.ToolsURL() != "" {
		args = append(args, "-c", "mcp_servers."+hostlab.ToolServer+"={url="+strconv.Quote(s.ToolsURL())+"}")
	}
	return args
}

func labEnv(s *hostlab.Space) map[string]string {
	return map[string]string{"CODEX_HOME": filepath.Join(s.Home, ".codex"), "MOCK_KEY": hostlab.FakeKey}
}

// labDriver drives Codex's app server, as editors do.
var labDriver = hostlab.Driver{
	Args: func(s *hostlab.Space, r hostlab.Run) []string {
		args := append([]string{"app-server"}, labConfig(s, r.Untrusted)...)
		return append(args, "-c", `sandbox_mode="danger-full-access"`, "-c", `approval_policy="on-request"`)
	},
	Talk: func(t *hostlab.Talk, s *hostlab.Space, r hostlab.Run) error {
		if err := initialize(t); err != nil {
			return err
		}
		var thread struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
		}
		if err := t.Call("thread/start", map[string]any{"cwd": s.Project}, &thread, nil); err != nil {
			return err
		}
		input := []any{map[string]any{"type": "text", "text": r.Prompt}}
		turn := map[string]any{"threadId": thread.Thread.ID, "input": input}
		done := false
		serve := func(m *hostlab.Message) (any, bool) {
			done = done || m.Method == "turn/completed"
			return answerQuestion(t, m)
		}
		if err := t.Call("turn/start", turn, nil, serve); err != nil {
			return err
		}
		for !done {
			var m hostlab.Message
			if err := t.ReadNext(&m); err != nil {
				return err
			}
			if m.Method == "" {
				continue
			}
			if err := t.Serve(&m, serve); err != nil {
				return err
			}
		}
		return nil
	},
}

// answerQuestion answers a request for approval with the decision of the test's user.
func answerQuestion(t *hostlab.Talk, m *hostlab.Message) (any, bool) {
	if !strings.HasSuffix(m.Method, "/requestApproval") {
		return nil, false
	}
	decision := "decline"
	if t.Ask(m.Params) {
		decision = "accept"
	}
	return map[string]any{"decision": decision}, true
}

// initialize starts a conversation with Codex's app server.
func initialize(t *hostlab.Talk) error {
	client := map[string]any{"name": "hostlab", "version": "0"}
	hello := map[string]any{"clientInfo": client, "capabilities": map[string]any{"experimentalApi": true}}
	return cmp.Or(t.Call("initialize", hello, nil, nil), t.Send(map[string]any{"method": "initialized"}))
}

// approveHooks makes Codex trust all hooks, through its app server, and returns how many it did not
// trust before.
func approveHooks(ctx context.Context, s *hostlab.Space) (approved int, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Host.Timeout())
	defer cancel()
	args := append([]string{"app-server"}, labConfig(s, false)...)
	_, err = s.Converse(ctx, args, nil, func(t *hostlab.Talk) error {
		approved, err = acceptListedHooks(t, s.Project)
		return err
	})
	return approved, err
}

// acceptListedHooks makes Codex trust the hooks that it lists for project, and returns how many it did
// not trust before.
func acceptListedHooks(t *hostlab.Talk, project string) (int, error) {
	if err := initialize(t); err != nil {
		return 0, err
	}
	var list struct {
		Data []struct {
			Hooks []struct {
				Key         string `json:"key"`
				CurrentHash string `json:"currentHash"`
				TrustStatus string `json:"trustStatus"`
			} `json:"hooks"`
		} `json:"data"`
	}
	if err := t.Call("hooks/list", map[string]any{"cwds": []string{project}}, &list, nil); err != nil {
		return 0, err
	}
	trust := map[string]any{}
	for _, d := range list.Data {
		for _, h := range d.Hooks {
			if h.TrustStatus != "trusted" {
				trust[h.Key] = map[string]any{"trusted_hash": h.CurrentHash}
			}
		}
	}
	if len(trust) == 0 {
		return 0, nil
	}
	edit := map[string]any{"keyPath": "hooks.state", "mergeStrategy": "upsert", "value": trust}
	return len(trust), t.Call("config/batchWrite", map[string]any{"edits": []any{edit}, "reloadUserConfig": true}, nil, nil)
}
