package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
)

// A Kind describes what an entry is the text of.
type Kind uint8

const (
	File    Kind = iota // a file
	Link                // a symbolic link: its content is where it leads
	Message             // the message of a commit
	Tag                 // the message of an annotated tag
	Before              // a file as it was, which is listed by who asks for it
)

// An Entry is one content that is about to leave.
type Entry struct {
	Kind   Kind
	ID     string // the object's; of a message the commit's or the tag's
	Path   string // as git has it, which may be any bytes; "" for messages
	Commit string // in which it is new; "" in the index and for tags
	// Was are the objects that a file was before: one, or one of each parent of a merge.
	Was []string
}

// Counts say what a listing came to.
type Counts struct {
	Commits, Tags int
	Files         int // entries that are files or links
	Submodules    int // whose contents are in a repository of their own
}

// Staged lists what the next commit adds or changes, as it is in the index: what
// the working tree has does not matter.
func (r *Repo) Staged(ctx context.Context) ([]Entry, Counts, error) {
	var list []Entry
	var n Counts
	args := []string{"diff-index", "--cached", "-r", "-z", "--raw", "--no-abbrev", "-M", "HEAD", "--"}
	parse := func(out io.Reader) error {
		return changes(out, func(c *change) error {
			list = c.add(list, &n)
			return nil
		})
	}
	if _, err := r.git(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		var exit *ExitError
		if !errors.As(err, &exit) {
			return nil, n, err
		}
		// The first commit has nothing to be compared with: all of the index is new.
		args = []string{"ls-files", "--cached", "--stage", "-z", "--full-name", "--", ":/"}
		parse = func(out io.Reader) error {
			return files(out, func(c *change) error {
				list = c.add(list, &n)
				return nil
			})
		}
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, n, err
	}
	err = parse(bytes.NewReader(out))
	return list, n, err
}

// Changes reports what each of some commits adds or changes, with its message:
// every content once for each path, with the first of the commits that has it.
// Of a merge it is what none of the parents has.
func (r *Repo) Changes(ctx context.Context, commits []string, report func(Entry) error) (Counts, error) {
	n := Counts{Commits: len(commits)}
	for _, id := range commits {
		if err := report(Entry{Kind: Message, ID: id, Commit: id}); err != nil {
			return n, err
		}
	}
	if len(commits) == 0 {
		return n, nil
	}
	known := seen{set: make(map[seenKey]struct{})}
	err := r.stream(ctx, commits, func(out io.Reader) error {
		return changes(out, func(c *change) error {
			for _, e := range c.add(nil, &n) {
				if !known.add(e.ID, e.Path) {
					n.Files--
					continue
				}
				if err := report(e); err != nil {
					return err
				}
			}
			return nil
		})
	}, "diff-tree", "--stdin", "-r", "-c", "--root", "-z", "--raw", "--no-abbrev", "-M")
	return n, err
}

// A change is one line of git's raw format.
type change struct {
	commit, mode, id, path string
	was                    []string
}

// add adds the content that a change brings, if it brings one.
func (c *change) add(list []Entry, n *Counts) []Entry {
	switch {
	case zero(c.id): // removed, or in conflict, which cannot be committed
		return list
	case c.mode == "160000":
		n.Submodules++
		return list
	}
	n.Files++
	e := Entry{Kind: File, ID: c.id, Path: c.path, Commit: c.commit, Was: c.was}
	if c.mode == "120000" {
		e.Kind = Link
	}
	return append(list, e)
}

// zero reports whether an object id is that of nothing, in any format.
func zero(id string) bool { return strings.Trim(id, "0") == "" }

// changes reads the raw format with NUL between things: the id of a commit
// before its changes, then for each the modes of all sides, their ids and a
// status; then the path, of a renamed file the old one before it. Of several sides the
// last is what came out.
func changes(r io.Reader, report func(*change) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var c change
	for {
		head, err := field(in)
		if err != nil {
			return end(err)
		}
		colons := 0
		for colons < len(head) && head[colons] == ':' {
			colons++
		}
		if colons == 0 {
			c.commit = head
			continue
		}
		words := strings.Fields(head[colons:])
		if len(words) != 2*colons+3 {
			return fmt.Errorf("cannot parse git's list of changes: %q", head)
		}
		if c.path, err = field(in); err != nil {
			return fmt.Errorf("git's list of changes ends early: %w", err)
		}
		if status := words[2*colons+2]; colons == 1 && (status[0] == 'R' || status[0] == 'C') {
			if c.path, err = field(in); err != nil {
				return fmt.Errorf("git's list of changes ends early: %w", err)
			}
		}
		c.mode, c.id = words[colons], words[2*colons+1]
		c.was = slices.DeleteFunc(words[colons+1:2*colons+1:2*colons+1], zero)
		if err := report(&c); err != nil {
			return err
		}
	}
}

// files reads the format of ls-files --stage and of ls-tree.
func files(r io.Reader, report func(*change) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := field(in)
		if err != nil {
			return end(err)
		}
		head, path, ok := strings.Cut(line, "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 {
			return fmt.Errorf("cannot parse git's list of files: %q", line)
		}
		c := change{mode: words[0], id: words[1], path: path}
		if words[1] == "blob" || words[1] == "commit" { // ls-tree
			c.id = words[2]
		}
		if err := report(&c); err != nil {
			return err
		}
	}
}

// field reads up to a NUL.
func field(in *bufio.Reader) (string, error) {
	s, err := in.ReadString(0)
	if err != nil {
		if s != "" {
			err = io.ErrUnexpectedEOF
		}
		return "", err
	}
	return s[:len(s)-1], nil
}

func end(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("git's list of changes: %w", err)
}

// seen remembers contents with their paths, in little memory.
type seen struct {
	seed maphash.Seed
	set  map[seenKey]struct{}
}

type seenKey struct{ a, b uint64 }

// add reports whether a content is new at a path. Two differ in all of 128 bits
// under a key that nobody knows.
func (s *seen) add(id, path string) bool {
	if s.seed == (maphash.Seed{}) {
		s.seed = maphash.MakeSeed()
	}
	k := seenKey{a: maphash.String(s.seed, id), b: maphash.String(s.seed, path)}
	if _, known := s.set[k]; known {
		return false
	}
	s.set[k] = struct{}{}
	return true
}
