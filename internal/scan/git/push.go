package git

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
)

// An Update is what a push wants to do to one ref.
type Update struct {
	LocalRef  string // "(delete)" when the ref goes
	LocalID   string
	RemoteRef string
	RemoteID  string // what the remote has there; zeros when nothing
}

// Deletes reports whether the ref goes, so that nothing is sent for it.
func (u *Update) Deletes() bool { return zero(u.LocalID) }

// Creates reports whether the ref is new.
func (u *Update) Creates() bool { return zero(u.RemoteID) }

// ReadUpdates reads what git tells a pre-push hook on stdin: for each ref one
// line of local ref, local id, remote ref and remote id.
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
		if k < 1 || !isID(words[k]) || !isID(words[k+2]) {
			return nil, fmt.Errorf("line %d of the refs to push is not valid: %q", n, lines.Text())
		}
		list = append(list, Update{LocalRef: strings.Join(words[:k], " "), LocalID: words[k], RemoteRef: words[k+1], RemoteID: words[k+2]})
	}
	return list, lines.Err()
}

// isID reports whether a word is an object id: 40 or 64 digits.
func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// A Push is what one update sends: objects that the remote does not have, as far
// as is known here.
type Push struct {
	Update
	Commits []string // the oldest first
	Others  []Entry  // messages of tags, and files that a tag without a commit names
	// Nothing is why there is nothing to look at; "" when there is something.
	Nothing string
	// Forced is set if commits the remote has are not part of what is pushed.
	Forced bool
	// Unknown is set if the remote's commit is not here, so that more may be
	// listed than is sent.
	Unknown bool
}

// Pushed returns what an update sends to a remote that has some commits; see
// [Repo.Has].
func (r *Repo) Pushed(ctx context.Context, has []string, u Update) (Push, error) {
	p := Push{Update: u}
	if u.Deletes() {
		p.Nothing = "the push deletes this ref"
		return p, nil
	}
	id, kind, err := r.peel(ctx, &p)
	if err != nil {
		return p, err
	}
	switch kind {
	case "blob":
		p.Others = append(p.Others, Entry{Kind: File, ID: id})
	case "tree":
		err = r.tree(ctx, &p, id)
	default:
		err = r.commits(ctx, &p, has, id)
	}
	if err == nil && len(p.Commits)+len(p.Others) == 0 {
		p.Nothing = "the remote already has all its commits"
	}
	return p, err
}

// peel follows annotated tags to what they name, keeping their messages.
func (r *Repo) peel(ctx context.Context, p *Push) (id, kind string, err error) {
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
		out, err := r.git(ctx, "cat-file", "tag", id)
		if err != nil {
			return "", "", err
		}
		line, _, _ := strings.Cut(string(out), "\n")
		target, named := strings.CutPrefix(line, "object ")
		if !named || !isID(target) {
			return "", "", fmt.Errorf("tag %s does not point to an object", id)
		}
		next = target
	}
}

func (r *Repo) tree(ctx context.Context, p *Push, id string) error {
	out, err := r.git(ctx, "ls-tree", "-r", "-z", "--full-tree", id)
	if err != nil {
		return err
	}
	var n Counts
	return files(bytes.NewReader(out), func(c *change) error {
		p.Others = c.add(p.Others, &n)
		return nil
	})
}

// commits lists what led to a commit and the remote does not have.
func (r *Repo) commits(ctx context.Context, p *Push, has []string, id string) error {
	args := []string{"rev-list", "--reverse", id}
	if !p.Creates() {
		_, _, ok, err := r.Resolve(ctx, p.RemoteID+"^{commit}")
		if err != nil {
			return err
		}
		if p.Unknown = !ok; ok {
			args = append(args, "^"+p.RemoteID)
			lost, err := r.line(ctx, "rev-list", "--max-count=1", p.RemoteID, "^"+id)
			if err != nil {
				return err
			}
			p.Forced = lost != ""
		}
	}
	list, err := r.revs(ctx, args, has)
	p.Commits = list
	return err
}

// revs lists commits without those that led to others, which may be too many
// for a command line.
func (r *Repo) revs(ctx context.Context, args, without []string) ([]string, error) {
	var stdin strings.Builder
	for _, id := range without {
		stdin.WriteString("^" + id + "\n")
	}
	out, err := r.feed(ctx, []byte(stdin.String()), append(args, "--stdin")...)
	if err != nil {
		return nil, err
	}
	return strings.Fields(string(out)), nil
}
