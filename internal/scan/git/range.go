package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// refGroups lists the words of a range that denote all refs of a kind.
var refGroups = []string{"--all", "--branches", "--tags", "--remotes"}

// ListRange returns the ids of the commits in the range words, oldest first. A range is what git
// accepts as one: A..B, A...B, a name for all its ancestors, several of these separated by white
// space, ^C to exclude the ancestors of C, and --all.
func (r *Repo) ListRange(ctx context.Context, words string) ([]string, error) {
	args := []string{"rev-list", "--reverse"}
	var revs []string
	for _, w := range strings.Fields(words) {
		switch {
		case slices.Contains(refGroups, w):
			args = append(args, w)
		case strings.HasPrefix(w, "-"):
			return nil, fmt.Errorf("range %q: %q is not a range; write A..B, a name or --all", words, w)
		default:
			revs = append(revs, w)
		}
	}
	if len(revs) == 0 && len(args) == 2 {
		return nil, errors.New("the range is empty: write A..B, a name or --all")
	}
	if len(revs) > 0 {
		args = append(append(args, "--end-of-options"), revs...)
	}
	return r.gitOutputFields(ctx, append(args, "--")...)
}

// gitOutputFields runs git with args and returns the words of its output.
func (r *Repo) gitOutputFields(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.gitOutput(ctx, args...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// Resolve returns the id and the type of the object that name denotes. It reports false if the
// repository has no such object.
func (r *Repo) Resolve(ctx context.Context, name string) (id, kind string, ok bool, err error) {
	if strings.ContainsAny(name, "\n\x00") {
		return "", "", false, nil
	}
	line, err := r.gitOutputWithInput(ctx, []byte(name+"\n"), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	words := strings.Fields(string(line))
	if err != nil || len(words) != 2 || !isObjectType(words[1]) {
		return "", "", false, err
	}
	return words[0], words[1], true, nil
}

// isObjectType reports whether kind is a type of git objects.
func isObjectType(kind string) bool {
	return kind == "commit" || kind == "tag" || kind == "tree" || kind == "blob"
}
