package approval

import (
	"encoding/json"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A DisabledHook identifies a single hook that a person disabled. It does so by file, event and id,
// since the hook's definition may change.
type DisabledHook struct {
	File  string `json:"file"` // "" means that it comes with checkrein
	Event string `json:"event"`
	ID    string `json:"id"`
}

// NewDisabledHook returns the DisabledHook that identifies h.
func NewDisabledHook(h *checkrein.Hook) DisabledHook {
	file := h.From.File
	if file != "" {
		file = RealPath(file)
	}
	return DisabledHook{File: file, Event: EventName(h), ID: h.ID}
}

// SetDisabled disables hooks if off is set, and otherwise enables them again. It returns the hooks
// whose state changed.
func SetDisabled(dir state.Dir, hooks []DisabledHook, off bool) ([]DisabledHook, error) {
	var done []DisabledHook
	err := changeBook(dir, off, func(b *book) (bool, error) {
		for _, h := range hooks {
			i := slices.Index(b.disabled, h)
			switch {
			case off && i < 0:
				b.disabled = append(b.disabled, h)
			case !off && i >= 0:
				b.disabled = slices.Delete(b.disabled, i, i+1)
			default:
				continue
			}
			done = append(done, h)
		}
		return len(done) > 0, nil
	})
	if err != nil {
		return nil, err
	}
	return done, nil
}

// DisabledHooks returns the hooks that a person disabled one by one.
func (s *Store) DisabledHooks() []DisabledHook {
	if s.book.unsealed {
		return nil
	}
	return s.book.disabled
}

// IsDisabled reports whether a person disabled h. Managed hooks cannot be disabled.
func (s *Store) IsDisabled(h *checkrein.Hook) bool {
	list := s.DisabledHooks()
	return len(list) > 0 && h.From.Scope != checkrein.ScopeManaged && slices.Contains(list, NewDisabledHook(h))
}

// encodeDisabled returns the JSON member that lists the disabled hooks, or "" if there are none.
func (b *book) encodeDisabled() (string, error) {
	if len(b.disabled) == 0 {
		return "", nil
	}
	list, err := json.Marshal(b.disabled)
	return `"disabled":` + string(list) + ",", err
}
