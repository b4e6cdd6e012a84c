package app

import (
	"path/filepath"
	"slices"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/hook/config"
)

// A namedFile is a file that counts only because it was named, such as the agent file of run. It would
// not be read as part of a project or of the user's directory.
type namedFile struct {
	path  string
	scope checkrein.Scope // the scope that its directory determines
}

// addNamedFiles adds the files that count only because they were named to k.byName.
func (k *Kit) addNamedFiles(c *config.Options) {
	files := c.Files
	if !c.ByPlace {
		files = nil // the user vouches for them, so they need no approval
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

// isVouchedFor reports whether the user vouches for the whole directory in which hooks run, by naming
// the file of h in it, since an agent file and the scripts beside it belong together. That holds only
// outside repositories, and only if no other user can write there.
func (k *Kit) isVouchedFor(h *checkrein.Hook) bool {
	g := k.findNamed(h.From.File)
	return g != nil && g.scope == checkrein.ScopeUser && !k.inRepo && !k.shared && approval.IsBelow(k.root, approval.RealPath(g.path))
}

// filesToName returns the files that commands about the kit's hooks must name.
func (k *Kit) filesToName() []string {
	out := slices.Clone(k.named)
	for _, f := range k.byName {
		out = append(out, f.path)
	}
	return out
}

// RemedyCommand returns the command that approves or revokes h, for the user to copy. verb is approve
// or revoke, perhaps with flags.
func (k *Kit) RemedyCommand(verb string, h *checkrein.Hook) string {
	return k.view().approvals.RemedyCommand(verb, h.From.File, h.From.Agent, h.ID)
}

// FileOf returns the file that declares h, a hook of a review. The user's own hook that runs a
// project's files is approved under a special name, which FileOf resolves.
func (k *Kit) FileOf(h *checkrein.Hook) string {
	if file, own := approval.OwnFile(k.root, h.From.File); own {
		return file
	}
	return h.From.File
}
