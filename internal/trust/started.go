package trust

import (
	"slices"

	"github.com/checkrein/checkrein"
)

// Started returns the programs that a command hook starts by a name with a
// slash, whether they are there or not. What an interpreter is given is not
// among them: it need not be executable. Root is as for [NamedFiles].
func Started(root string, h *checkrein.Hook) []string {
	if h.Run != "command" || folderOf(h) != "" {
		return nil
	}
	root = rootOf(root, h)
	w, err := walked(root, h)
	if err != nil {
		return nil
	}
	var out []string
	for _, m := range w.mentions[:min(len(w.mentions), maxMentions)] {
		if !m.must {
			continue
		}
		at := slices.IndexFunc(m.paths, func(p string) bool { return kindOf(root, p) != other })
		if at < 0 {
			at = len(m.paths) - 1
		}
		if path := m.paths[at]; !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out
}
