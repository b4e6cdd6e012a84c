package app

import (
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/hook/config"
)

// A namedFile is a file that counts because it was named, such as the agent file of `run`: it would
// not be read as part of a project or of the person's directory.
type namedFile struct {
	path  string
	scope checkrein.Scope // by where it lies
}

// addNamedFiles adds the files that were read because they were named.
func (k *Kit) addNamedFiles(c *config.Options) {
	files := c.Files
	if !c.ByPlace {
		files = nil // the person vouches for them, so they need no approval
	}
	if c.AgentFile != "" {
		files = append(slices.Clone(files), c.AgentFile)
	}
	for _, f := range files {
		if _, read := c.ProjectOf(f); !read && !approval.IsBelow(c.User, f) && !approval.IsBelow(c.Managed, f) && !approval.IsBelow(c.Agents, f) {
			k.byName = append(k.byName, namedFile{filepath.Clean(f), c.ScopeOf(f)})
		}
	}
}

// findNamed returns the named file with this path, or nil if there is none.
func (k *Kit) findNamed(path string) *namedFile {
	for i := range k.byName {
		if k.byName[i].path == path {
			return &k.byName[i]
		}
	}
	return nil
}

// isVouchedFor reports whether the person vouches for the whole directory in which hooks run, by
// naming a file of theirs in it: an agent file and the scripts beside it belong together. That holds
// only outside repositories, where no one else can write.
func (k *Kit) isVouchedFor(h *checkrein.Hook) bool {
	g := k.findNamed(h.From.File)
	return g != nil && g.scope == checkrein.ScopeUser && !k.inRepo && !k.shared && approval.IsBelow(k.root, approval.RealPath(g.path))
}

// filesToName returns the files that commands about their hooks must name.
func (k *Kit) filesToName() []string {
	out := slices.Clone(k.named)
	for _, f := range k.byName {
		out = append(out, f.path)
	}
	return out
}

// Remedy returns the command that approves or revokes a hook, for a person to copy.
func (k *Kit) Remedy(verb string, h *checkrein.Hook) string {
	return k.view().approvals.RemedyCommand(verb, h.From.File, h.From.Agent, h.ID)
}

// FileOf returns the file that declares a hook of a review. A person's own hook that runs a project's
// files is approved under a name of that project.
func (k *Kit) FileOf(h *checkrein.Hook) string {
	if file, own := approval.OwnFile(k.root, h.From.File); own {
		return file
	}
	return h.From.File
}
