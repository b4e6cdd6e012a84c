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

// A Kind is the kind of text of an entry.
type Kind uint8

const (
	File    Kind = iota // a file
	Link                // a symlink: its content is its target
	Message             // the message of a commit
	Tag                 // the message of an annotated tag
	Before              // an earlier version of a file; listed only on request
)

// An Entry is one content that is about to leave the machine.
type Entry struct {
	Kind   Kind
	ID     string // the object's id; for a message, that of the commit or tag
	Path   string // as git has it, possibly with arbitrary bytes; "" for messages
	Commit string // the commit in which it is new; "" in the index and for tags
	// Was holds the earlier objects of a file: one, or one for each parent of a merge.
	Was []string
}

// Counts are the results of a listing.
type Counts struct {
	Commits, Tags int
	Files         int // files and symlinks
	Submodules    int // submodules, whose contents are in their own repositories
}

// StagedEntries returns what the next commit adds or changes according to the index. The working tree
// does not matter.
func (r *Repo) StagedEntries(ctx context.Context) ([]Entry, Counts, error) {
	var list []Entry
	var n Counts
	args := []string{"diff-index", "--cached", "-r", "-z", "--raw", "--no-abbrev", "-M", "HEAD", "--"}
	parse := func(out io.Reader) error {
		return parseChanges(out, func(c *change) error {
			list = c.appendEntry(list, &n)
			return nil
		})
	}
	if _, err := r.output(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		var exit *ExitError
		if !errors.As(err, &exit) {
			return nil, n, err
		}
		// There is no commit to compare with: everything in the index is new.
		args = []string{"ls-files", "--cached", "--stage", "-z", "--full-name", "--", ":/"}
		parse = func(out io.Reader) error {
			return parseFiles(out, func(c *change) error {
				list = c.appendEntry(list, &n)
				return nil
			})
		}
	}
	out, err := r.output(ctx, args...)
	if err != nil {
		return nil, n, err
	}
	err = parse(bytes.NewReader(out))
	return list, n, err
}

// Changes calls report for what each commit adds or changes, and for its message: every content once
// for each path, with the first commit that has it. For a merge, it reports only what none of the
// parents has.
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
	known := contentSet{set: make(map[seenKey]struct{})}
	err := r.runStreaming(ctx, commits, func(out io.Reader) error {
		return parseChanges(out, func(c *change) error {
			for _, e := range c.appendEntry(nil, &n) {
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

// appendEntry adds the content of a change to list, if it has one.
func (c *change) appendEntry(list []Entry, n *Counts) []Entry {
	switch {
	case isZeroID(c.id): // removed, or in conflict, which cannot be committed
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

// isZeroID reports whether an object id consists of zeros, in any format.
func isZeroID(id string) bool { return strings.Trim(id, "0") == "" }

// parseChanges parses git's raw format with NUL separators: the id of a commit before its changes,
// then for each the modes of all sides, their ids and a status, followed by the path; a renamed file
// has its old path first. The last of several sides is the result.
func parseChanges(r io.Reader, report func(*change) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var c change
	for {
		head, err := readField(in)
		if err != nil {
			return listEnd(err)
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
		if c.path, err = readField(in); err != nil {
			return fmt.Errorf("git's list of changes ends early: %w", err)
		}
		if status := words[2*colons+2]; colons == 1 && (status[0] == 'R' || status[0] == 'C') {
			if c.path, err = readField(in); err != nil {
				return fmt.Errorf("git's list of changes ends early: %w", err)
			}
		}
		c.mode, c.id = words[colons], words[2*colons+1]
		c.was = slices.DeleteFunc(words[colons+1:2*colons+1:2*colons+1], isZeroID)
		if err := report(&c); err != nil {
			return err
		}
	}
}

// parseFiles parses the format of ls-files --stage and of ls-tree.
func parseFiles(r io.Reader, report func(*change) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readField(in)
		if err != nil {
			return listEnd(err)
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

// readField reads up to a NUL.
func readField(in *bufio.Reader) (string, error) {
	s, err := in.ReadString(0)
	if err != nil {
		if s != "" {
			err = io.ErrUnexpectedEOF
		}
		return "", err
	}
	return s[:len(s)-1], nil
}

func listEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("git's list of changes: %w", err)
}

// A contentSet remembers contents with their paths, in little memory.
type contentSet struct {
	seed maphash.Seed
	set  map[seenKey]struct{}
}

type seenKey struct{ a, b uint64 }

// add reports whether a content is new at a path. Different contents differ in a 128-bit hash with a
// random key.
func (s *contentSet) add(id, path string) bool {
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
