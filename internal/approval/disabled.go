package approval

import (
	"encoding/json"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A Disabled names a hook that the person switched off by itself. It goes by name: what the
// hook does may change meanwhile.
type Disabled struct {
	File  string `json:"file"` // "" = it comes with checkrein
	Event string `json:"event"`
	ID    string `json:"id"`
}

// DisabledOf is the name of a hook.
func DisabledOf(h *checkrein.Hook) Disabled {
	file := h.From.File
	if file != "" {
		file = Real(file)
	}
	return Disabled{File: file, Event: EventOf(h), ID: h.ID}
}

// SetDisabled switches hooks off by themselves, or on again. It returns those for which
// that is a change.
func SetDisabled(dir state.Dir, hooks []Disabled, off bool) ([]Disabled, error) {
	var done []Disabled
	err := change(dir, off, func(b *book) (bool, error) {
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

// Disabled lists the hooks that are switched off by themselves.
func (s *Store) Disabled() []Disabled {
	if s.book.unsealed {
		return nil
	}
	return s.book.disabled
}

// IsDisabled reports whether a hook is one of them. A managed one never is.
func (s *Store) IsDisabled(h *checkrein.Hook) bool {
	list := s.Disabled()
	return len(list) > 0 && h.From.Scope != checkrein.ScopeManaged && slices.Contains(list, DisabledOf(h))
}

// encodeDisabled is the member of the book that lists them, "" when there are none.
func (b *book) encodeDisabled() (string, error) {
	if len(b.disabled) == 0 {
		return "", nil
	}
	list, err := json.Marshal(b.disabled)
	return `"disabled":` + string(list) + ",", err
}
