package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A Remote is the destination of a push as git passes it to its hook: a name and a URL, or the URL
// twice.
type Remote struct{ Name, URL string }

// RemoteCommits returns commits that remote has according to refs/remotes. These refs describe the
// repository that was fetched from, at the time of the fetch. If updates or the URL show that the
// destination is another repository, it returns no commits, and doubt is the reason.
func (r *Repo) RemoteCommits(ctx context.Context, remote Remote, updates []Update) (ids []string, doubt string, err error) {
	name := remote.Name
	if name == "" || strings.ContainsAny(name, ":*?[\\ \n") || name[0] == '/' || name[0] == '.' || name[0] == '-' {
		return nil, "", nil // the name is a URL
	}
	from, err := r.gitOutputLine(ctx, "remote", "get-url", name)
	if err != nil {
		var exit *ExitError
		if errors.As(err, &exit) {
			err = nil // a path that looks like a name
		}
		return nil, "", err
	}
	refs, err := r.gitOutputFields(ctx, "for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes/"+name+"/")
	if err != nil || len(refs) == 0 {
		return nil, "", err
	}
	if !isSameRepo(from, remote.URL) {
		return nil, "pushes to " + name + " go to another repository than the one that is fetched from", nil
	}
	known := make(map[string]bool, len(refs)/2)
	for i := 0; i+1 < len(refs); i += 2 {
		known[refs[i]] = true
		ids = append(ids, refs[i+1])
	}
	for i := range updates {
		if doubt, err = r.remoteDoubt(ctx, name, known, &updates[i]); doubt != "" || err != nil {
			return nil, doubt, err
		}
	}
	return ids, "", nil
}

// remoteDoubt returns the reason why u contradicts the refs known in refs/remotes/name, or "".
func (r *Repo) remoteDoubt(ctx context.Context, name string, known map[string]bool, u *Update) (string, error) {
	branch, ok := strings.CutPrefix(u.RemoteRef, "refs/heads/")
	switch {
	case u.Deletes():
		return "", nil
	case u.Creates() && ok && known["refs/remotes/"+name+"/"+branch]:
		return fmt.Sprintf("%s has no branch %s, although refs/remotes lists it. To scan fewer next time, run git fetch --prune %s", name, branch, name), nil
	case u.Creates():
		return "", nil
	}
	_, _, here, err := r.Resolve(ctx, u.RemoteID)
	if err == nil && !here {
		return fmt.Sprintf("the commit at %s on %s was never fetched. To scan fewer commits next time, run git fetch %s", u.RemoteRef, name, name), nil
	}
	return "", err
}

// isSameRepo reports whether the URLs a and b denote the same repository, whatever the protocol.
func isSameRepo(a, b string) bool { return a == b || repoKey(a) == repoKey(b) }

// repoKey returns the host and the path of the URL s, or s itself if it is a local path, without a
// final .git.
func repoKey(s string) string {
	host, path := "", s
	if _, rest, ok := strings.Cut(s, "://"); ok { // protocol://user@host:port/path
		host, path, _ = strings.Cut(rest, "/")
		host = host[strings.LastIndexByte(host, '@')+1:]
		host, _, _ = strings.Cut(host, ":")
	} else if before, after, ok := strings.Cut(s, ":"); ok && !strings.Contains(before, "/") { // user@host:path
		host, path = before[strings.LastIndexByte(before, '@')+1:], after
	}
	path = strings.TrimSuffix(strings.TrimRight(path, "/"), ".git")
	if host == "" {
		return path
	}
	return strings.ToLower(host) + "/" + strings.TrimLeft(path, "/")
}
