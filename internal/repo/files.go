package repo

import (
	"context"
	"strings"
)

// Files lists the files below the directory that git tracks or does not ignore,
// from that directory on and as git has their names, in no order. A repository
// inside is one entry.
func (r *Repo) Files(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}
