package git

import (
	"context"
	"errors"
	"path/filepath"
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

// Ignored counts what git ignores below the directory; a folder counts once.
func (r *Repo) Ignored(ctx context.Context) (int, error) {
	out, err := r.git(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	return strings.Count(string(out), "\x00"), err
}

// probe is the name of a file that nobody has a rule about.
const probe = "checkrein-any-file"

// Output reports whether the directory is one whose files git is meant to ignore,
// though it may track one that keeps it there: rules like dist/* or a .gitignore
// of its own say so. A rule that ignores everything everywhere does not.
func (r *Repo) Output(ctx context.Context) (bool, error) {
	rel, err := filepath.Rel(r.Top, r.dir)
	if r.Top == "" || err != nil || rel == "." {
		return false, nil
	}
	out, err := r.feed(ctx, []byte(probe+"\x00"), "check-ignore", "--no-index", "--verbose", "--stdin", "-z")
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return false, nil // no rule is about it
	}
	fields := strings.Split(string(out), "\x00") // file, line, rule, path
	if err != nil || len(fields) < 4 || strings.HasPrefix(fields[2], "!") {
		return false, err
	}
	if fields[0] == filepath.ToSlash(rel)+"/.gitignore" {
		return true, nil
	}
	prefix := strings.TrimRight(fields[2], "*")
	return strings.HasSuffix(prefix, "/") && strings.Trim(prefix, "*/") != "", nil
}
