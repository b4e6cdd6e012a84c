package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
)

// An Update is the change that a push makes to one ref.
type Update struct {
	LocalRef  string // "(delete)" if the ref is deleted
	LocalID   string
	RemoteRef string
	RemoteID  string // the current id at the remote; zeros if the ref does not exist there
}

// Deletes reports whether the ref is deleted, so that nothing is sent for it.
func (u *Update) Deletes() bool { return isZeroID(u.LocalID) }

// Creates reports whether the ref does not exist at the remote.
func (u *Update) Creates() bool { return isZeroID(u.RemoteID) }

// ReadUpdates parses in, the standard input of a pre-push hook. Each line has the local ref, local id,
// remote ref and remote id of one ref.
func ReadUpdates(in io.Reader) ([]Update, error) {
	var list []Update
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		// A local ref can be an expression with spaces, as in HEAD@{2 days ago}.
		words := strings.Split(lines.Text(), " ")
		k := len(words) - 3
		if k < 1 || !isObjectID(words[k]) || !isObjectID(words[k+2]) {
			return nil, fmt.Errorf("line %d of the refs to push is not valid: %q", n, lines.Text())
		}
		list = append(list, Update{LocalRef: strings.Join(words[:k], " "), LocalID: words[k], RemoteRef: words[k+1], RemoteID: words[k+2]})
	}
	return list, lines.Err()
}

// isObjectID reports whether s is an object id: 40 or 64 hex digits.
func isObjectID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// A Push is what one update sends: the objects that the remote does not have, as far as the local
// repository shows.
type Push struct {
	Update
	Commits []string // oldest first
	Others  []Entry  // messages of tags, and files of a tag that does not point to a commit
	// Nothing is the reason why there is nothing to scan, or "" if there is something.
	Nothing string
	// Forced is set if the remote ref has commits that are not ancestors of the pushed commit.
	Forced bool
	// Unknown is set if the remote's commit is not in the local repository, so that more may be
	// listed than is sent.
	Unknown bool
}

// ResolvePush returns what u sends to a remote that has the commits has; see [Repo.RemoteCommits].
func (r *Repo) ResolvePush(ctx context.Context, has []string, u Update) (Push, error) {
	p := Push{Update: u}
	if u.Deletes() {
		p.Nothing = "the push deletes this ref"
		return p, nil
	}
	id, kind, err := r.peelTags(ctx, &p)
	if err != nil {
		return p, err
	}
	switch kind {
	case "blob":
		p.Others = append(p.Others, Entry{Kind: File, ID: id})
	case "tree":
		err = r.addTree(ctx, &p, id)
	default:
		err = r.addCommits(ctx, &p, has, id)
	}
	if err == nil && len(p.Commits)+len(p.Others) == 0 {
		p.Nothing = "the remote already has all its commits"
	}
	return p, err
}

// peelTags follows annotated tags from p.LocalID to the object that they point to, and adds their
// messages to p. It returns the id and the type of that object.
func (r *Repo) peelTags(ctx context.Context, p *Push) (id, kind string, err error) {
	for next := p.LocalID; ; {
		id, kind, ok, err := r.Resolve(ctx, next)
		switch {
		case err != nil:
			return "", "", err
		case !ok:
			return "", "", fmt.Errorf("%s is to be pushed to %s, but no object here has that ID", next, p.RemoteRef)
		case kind != "tag":
			return id, kind, nil
		}
		p.Others = append(p.Others, Entry{Kind: Tag, ID: id})
		out, err := r.gitOutput(ctx, "cat-file", "tag", id)
		if err != nil {
			return "", "", err
		}
		line, _, _ := strings.Cut(string(out), "\n")
		target, named := strings.CutPrefix(line, "object ")
		if !named || !isObjectID(target) {
			return "", "", fmt.Errorf("tag %s does not point to an object", id)
		}
		next = target
	}
}

// addTree adds the files of the tree id to p.
func (r *Repo) addTree(ctx context.Context, p *Push, id string) error {
	out, err := r.gitOutput(ctx, "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return err
	}
	var n Counts
	return parseFiles(bytes.NewReader(out), func(c *change) error {
		p.Others = c.appendEntry(p.Others, &n)
		return nil
	})
}

// addCommits adds the ancestors of the commit id that the remote does not have to p.
func (r *Repo) addCommits(ctx context.Context, p *Push, has []string, id string) error {
	args := []string{"rev-list", "--reverse", id}
	if !p.Creates() {
		_, _, ok, err := r.Resolve(ctx, p.RemoteID+"^{commit}")
		if err != nil {
			return err
		}
		if p.Unknown = !ok; ok {
			args = append(args, "^"+p.RemoteID)
			lost, err := r.gitOutputLine(ctx, "rev-list", "--max-count=1", p.RemoteID, "^"+id)
			if err != nil {
				return err
			}
			p.Forced = lost != ""
		}
	}
	list, err := r.listExcluding(ctx, args, has)
	p.Commits = list
	return err
}

// listExcluding runs git with args, a rev-list command, and returns the commits that are not ancestors
// of without. These may be too many for a command line.
func (r *Repo) listExcluding(ctx context.Context, args, without []string) ([]string, error) {
	var stdin strings.Builder
	for _, id := range without {
		stdin.WriteString("^" + id + "\n")
	}
	out, err := r.gitOutputWithInput(ctx, []byte(stdin.String()), append(args, "--stdin")...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}
