package app

import (
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/hook/config"
)

// A namedFile is a file that counts because somebody names it, such as the agent file of
// `run`: no project and no person's directory reads it by itself.
type namedFile struct {
	path  string
	scope checkrein.Scope // by its place
}

// noteNamed notes which of the files that were read count by name.
func (k *Kit) noteNamed(c *config.Options) {
	files := c.Files
	if !c.ByPlace {
		files = nil // the person's word counts for them, and nothing is approved
	}
	if c.AgentFile != "" {
		files = append(slices.Clone(files), c.AgentFile)
	}
	for _, f := range files {
		if _, read := c.ReadBy(f); !read && !approval.Within(c.User, f) && !approval.Within(c.Managed, f) && !approval.Within(c.Agents, f) {
			k.byName = append(k.byName, namedFile{filepath.Clean(f), c.ScopeOf(f)})
		}
	}
}

// namedBy is the file of this path that counts by name, nil if it does not.
func (k *Kit) namedBy(path string) *namedFile {
	for i := range k.byName {
		if k.byName[i].path == path {
			return &k.byName[i]
		}
	}
	return nil
}

// isVouchedFor reports whether the person vouches for the whole directory in which hooks
// run, by naming a file of theirs that lies in it: an agent file and the scripts beside
// it are one thing. That is so for what lies in no repository, and only they can write.
func (k *Kit) isVouchedFor(h *checkrein.Hook) bool {
	g := k.namedBy(h.From.File)
	return g != nil && g.scope == checkrein.ScopeUser && !k.inRepo && !k.shared && approval.Within(k.root, approval.Real(g.path))
}

// filesToName are the files that commands about their hooks must name.
func (k *Kit) filesToName() []string {
	out := slices.Clone(k.named)
	for _, f := range k.byName {
		out = append(out, f.path)
	}
	return out
}

// Remedy is the command that approves or revokes a hook, for a person to copy.
func (k *Kit) Remedy(verb string, h *checkrein.Hook) string {
	return k.view().trust.Remedy(verb, h.From.File, h.From.Agent, h.ID)
}

// FileOf is the file that a hook of a review was written in. A person's own that runs
// a project's files is approved under a name of that project.
func (k *Kit) FileOf(h *checkrein.Hook) string {
	if file, own := approval.OwnFile(k.root, h.From.File); own {
		return file
	}
	return h.From.File
}
