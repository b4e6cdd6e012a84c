package hostlab

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// addSettings adds the settings that the host needs to a file in the home directory. It keeps existing
// settings, and does not change a file that is not a JSON object.
func (s *Space) addSettings() error {
	if s.Host.recipe.Settings == nil {
		return nil
	}
	name, need := s.Host.recipe.Settings(s)
	path := filepath.Join(s.Home, filepath.FromSlash(name))
	have := map[string]any{}
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case json.Unmarshal(b, &have) != nil:
		return nil
	}
	if !addMissing(have, need) {
		return nil
	}
	if b, err = json.MarshalIndent(have, "", "  "); err != nil {
		return err
	}
	return s.Write(s.Home, map[string]string{name: string(b)})
}

// addMissing adds the members of need that are missing in have, and reports whether there were any.
func addMissing(have, need map[string]any) (changed bool) {
	for k, v := range need {
		old, there := have[k]
		if !there {
			have[k], changed = v, true
			continue
		}
		if sub, ok := v.(map[string]any); ok {
			if oldSub, ok := old.(map[string]any); ok && addMissing(oldSub, sub) {
				changed = true
			}
		}
	}
	return changed
}
