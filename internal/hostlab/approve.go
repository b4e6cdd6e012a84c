package hostlab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// ApproveHooks does for the hooks that stand in home and project what a person
// does who looks at them and says yes, and returns how many that was. Only
// Codex wants that; for other hosts there is nothing to do. It goes the host's
// own way, so that what it proves holds for people, too.
func (s *Space) ApproveHooks(ctx context.Context) (int, error) {
	if s.Host.Name != "codex" {
		return 0, nil
	}
	n, err := s.approveCodex(ctx)
	if err != nil {
		return n, fmt.Errorf("approving hooks of codex: %w", err)
	}
	return n, nil
}

func (s *Space) approveCodex(ctx context.Context) (approved int, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Host.spec.timeout)
	defer cancel()
	defer sweep(s.Home)
	argv := append(append([]string{}, s.Host.argv...), "app-server")
	argv = append(argv, codexConfig(s, false)...)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.Project, s.Environ(nil)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { // it ends when its input does
		err = errors.Join(err, stdin.Close(), cmd.Wait())
	}()
	c := rpc{w: stdin, r: bufio.NewReader(stdout)}
	return c.approve(s.Project)
}

// An rpc talks to Codex's server: JSON-RPC, one message a line.
type rpc struct {
	w    io.Writer
	r    *bufio.Reader
	last int
}

func (c *rpc) approve(project string) (int, error) {
	client := map[string]any{"name": "hostlab", "version": "0"}
	hello := map[string]any{"clientInfo": client, "capabilities": map[string]any{"experimentalApi": true}}
	if err := c.call("initialize", hello, nil); err != nil {
		return 0, err
	}
	if err := c.send(map[string]any{"method": "initialized"}); err != nil {
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
	if err := c.call("hooks/list", map[string]any{"cwds": []string{project}}, &list); err != nil {
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
	return len(trust), c.call("config/batchWrite", map[string]any{"edits": []any{edit}, "reloadUserConfig": true}, nil)
}

// call asks and waits for the answer; whatever else the server says meanwhile
// is not for us.
func (c *rpc) call(method string, params, result any) error {
	c.last++
	if err := c.send(map[string]any{"id": c.last, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := c.r.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: waiting for the answer: %w", method, err)
		}
		var m struct {
			ID     *int            `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil || *m.ID != c.last || m.Method != "" {
			continue
		}
		if len(m.Error) > 0 {
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
}

func (c *rpc) send(m map[string]any) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.w.Write(append(b, '\n'))
	return err
}
