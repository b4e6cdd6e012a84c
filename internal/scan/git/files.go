package git

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
)

// ListFiles returns the files below the directory of r that git tracks or does not ignore, relative to
// that directory and unsorted. A nested repository is one entry.
func (r *Repo) ListFiles(ctx context.Context) ([]string, error) {
	out, err := r.gitOutput(ctx, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	if err != nil || len(out) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), nil
}

// CountIgnored returns the number of files below the directory of r that git ignores. An ignored
// directory counts once.
func (r *Repo) CountIgnored(ctx context.Context) (int, error) {
	out, err := r.gitOutput(ctx, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z")
	return strings.Count(string(out), "\x00"), err
}

// probeName is a file name that no ignore rule mentions.
const probeName = "checkrein-any-file"

// IsOutputDir reports whether git is meant to ignore the files of the directory of r, even if it
// tracks a placeholder in it. Rules such as dist/* or a .gitignore in the directory indicate that. A
// rule that ignores everything everywhere does not.
func (r *Repo) IsOutputDir(ctx context.Context) (bool, error) {
	rel, err := filepath.Rel(r.Top, r.dir)
	if r.Top == "" || err != nil || rel == "." {
		return false, nil
	}
	out, err := r.gitOutputWithInput(ctx, []byte(probeName+"\x00"), "check-ignore", "--no-index", "--verbose", "--stdin", "-z")
	var exit *ExitError
	if errors.As(err, &exit) && exit.Code == 1 {
		return false, nil // no rule matches
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
