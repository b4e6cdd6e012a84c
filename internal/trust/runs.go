package trust

import (
	"slices"

	"github.com/checkrein/checkrein"
)

// Runs returns those of [NamedFiles] that a command hook runs: programs by a name
// with a slash, and the scripts of interpreters. What a command only names is not
// among them, such as the file that cat shows; nor is what lies in directories of
// the system.
func Runs(root string, h *checkrein.Hook) []string {
	if h.Run != "command" {
		return nil
	}
	if folder := folderOf(h); folder != "" {
		files, _ := scriptsOf(Real(folder))
		return files
	}
	root = rootOf(root, h)
	w, err := walked(root, h)
	if err != nil {
		return nil
	}
	var files []string
	found := make(map[int]bool) // interpreters whose script was found
	for _, m := range w.mentions[:min(len(w.mentions), maxMentions)] {
		if !m.must && (m.script.of == 0 || found[m.script.of]) {
			continue
		}
		for _, path := range m.paths {
			is := kindOf(root, path)
			found[m.script.of] = found[m.script.of] || m.script.last || (is == regular || is == system) && !m.script.preload
			if is == regular && !slices.Contains(files, path) {
				files = append(files, path)
			}
		}
	}
	return files
}
