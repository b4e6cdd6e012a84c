package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// A Remote is where a push goes, as git tells its hook: a name, or the URL twice.
type Remote struct{ Name, URL string }

// Has lists commits that a remote has, as far as the refs below refs/remotes tell.
// They tell of the place that was fetched from, at that time. Where a push shows
// that this is another place, nothing is known, and doubt says why.
func (r *Repo) Has(ctx context.Context, remote Remote, updates []Update) (ids []string, doubt string, err error) {
	name := remote.Name
	if name == "" || strings.ContainsAny(name, ":*?[\\ \n") || name[0] == '/' || name[0] == '.' || name[0] == '-' {
		return nil, "", nil // a URL
	}
	from, err := r.line(ctx, "remote", "get-url", name)
	if err != nil {
		var exit *ExitError
		if errors.As(err, &exit) {
			err = nil // a path that looks like a name
		}
		return nil, "", err
	}
	refs, err := r.list(ctx, "for-each-ref", "--format=%(refname) %(objectname)", "refs/remotes/"+name+"/")
	if err != nil || len(refs) == 0 {
		return nil, "", err
	}
	if !samePlace(from, remote.URL) {
		return nil, "pushes to " + name + " go to another repository than the one that is fetched from", nil
	}
	known := make(map[string]bool, len(refs)/2)
	for i := 0; i+1 < len(refs); i += 2 {
		known[refs[i]] = true
		ids = append(ids, refs[i+1])
	}
	for i := range updates {
		if doubt, err = r.denies(ctx, name, known, &updates[i]); doubt != "" || err != nil {
			return nil, doubt, err
		}
	}
	return ids, "", nil
}

// denies returns why what the remote has at a ref does not go with what is known.
func (r *Repo) denies(ctx context.Context, name string, known map[string]bool, u *Update) (string, error) {
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
		return fmt.Sprintf("the commit that %s has as %s was never fetched. To scan fewer next time, run git fetch %s", name, u.RemoteRef, name), nil
	}
	return "", err
}

// samePlace reports whether two URLs mean one repository: over another protocol
// it is the same.
func samePlace(a, b string) bool { return a == b || placeOf(a) == placeOf(b) }

// placeOf is host and path of a URL; of a path the path.
func placeOf(s string) string {
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
