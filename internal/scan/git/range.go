package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// everything are the words of a range that stand for all refs of a kind.
var everything = []string{"--all", "--branches", "--tags", "--remotes"}

// List returns the ids of the commits of a range, the oldest first. A range is
// what git takes for one: A..B, A...B, a name for all that led to it, several of
// these with white space between, ^C without what led to C, and --all.
func (r *Repo) List(ctx context.Context, words string) ([]string, error) {
	args := []string{"rev-list", "--reverse"}
	var revs []string
	for _, w := range strings.Fields(words) {
		switch {
		case slices.Contains(everything, w):
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
	return r.list(ctx, append(args, "--")...)
}

func (r *Repo) list(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}

// Resolve returns the id of the object that a name stands for, and its type.
// It reports false when there is none here.
func (r *Repo) Resolve(ctx context.Context, name string) (id, kind string, ok bool, err error) {
	if strings.ContainsAny(name, "\n\x00") {
		return "", "", false, nil
	}
	line, err := r.feed(ctx, []byte(name+"\n"), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	words := strings.Fields(string(line))
	if err != nil || len(words) != 2 || !object(words[1]) {
		return "", "", false, err
	}
	return words[0], words[1], true, nil
}

func object(kind string) bool {
	return kind == "commit" || kind == "tag" || kind == "tree" || kind == "blob"
}
