package hostlab

import (
	"context"
	"fmt"
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
	ctx, cancel := context.WithTimeout(ctx, s.Host.Timeout())
	defer cancel()
	args := append([]string{"app-server"}, codexConfig(s, false)...)
	_, err = s.converse(ctx, args, nil, func(t *talk) error {
		approved, err = t.approve(s.Project)
		return err
	})
	return approved, err
}

func (t *talk) approve(project string) (int, error) {
	if err := t.helloCodex(); err != nil {
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
	if err := t.call("hooks/list", map[string]any{"cwds": []string{project}}, &list, nil); err != nil {
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
	return len(trust), t.call("config/batchWrite", map[string]any{"edits": []any{edit}, "reloadUserConfig": true}, nil, nil)
}
