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

// A Kind is the kind of an entry.
type Kind uint8

const (
	File    Kind = iota // a file
	Link                // a symlink, whose content is its target
	Message             // the message of a commit
	Tag                 // the message of an annotated tag
	Before              // an earlier version of a file; no listing returns it
)

// An Entry is a file or message that is about to leave the machine.
type Entry struct {
	Kind   Kind
	ID     string // the object's id; for a message, that of the commit or tag
	Path   string // as git stores it, possibly with arbitrary bytes; "" for messages
	Commit string // the commit that adds it; "" in the index and for tags
	// Was holds the object ids of earlier versions of a file: one, or one per parent of a merge.
	Was []string
}

// Counts holds the numbers of things that a listing returned.
type Counts struct {
	Commits, Tags int
	Files         int // files and symlinks
	Submodules    int // submodules, whose contents are in their own repositories
}

// StagedEntries returns the files that the next commit adds or changes according to the index, and
// their number. The working tree does not matter.
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
	if _, err := r.gitOutput(ctx, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err != nil {
		var exit *ExitError
		if !errors.As(err, &exit) {
			return nil, n, err
		}
		// There is no commit to compare with, so everything in the index is new.
		args = []string{"ls-files", "--cached", "--stage", "-z", "--full-name", "--", ":/"}
		parse = func(out io.Reader) error {
			return parseFiles(out, func(c *change) error {
				list = c.appendEntry(list, &n)
				return nil
			})
		}
	}
	out, err := r.gitOutput(ctx, args...)
	if err != nil {
		return nil, n, err
	}
	err = parse(bytes.NewReader(out))
	return list, n, err
}

// ReportChanges calls report for the message of each of commits, and for the files that it adds or
// changes: every content once per path, with the first commit that has it. For a merge, it reports
// only contents that none of the parents has.
func (r *Repo) ReportChanges(ctx context.Context, commits []string, report func(Entry) error) (Counts, error) {
	n := Counts{Commits: len(commits)}
	for _, id := range commits {
		if err := report(Entry{Kind: Message, ID: id, Commit: id}); err != nil {
			return n, err
		}
	}
	if len(commits) == 0 {
		return n, nil
	}
	known := contentSet{set: make(map[contentKey]struct{})}
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

// A change is one record of git's raw diff format.
type change struct {
	commit, mode, id, path string
	was                    []string
}

// appendEntry appends the file that c adds or changes to list, if there is one, and counts it in n.
func (c *change) appendEntry(list []Entry, n *Counts) []Entry {
	switch {
	case isZeroID(c.id): // a removed file, or one with conflicts, which cannot be committed
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

// isZeroID reports whether id consists of zeros, whatever the hash function.
func isZeroID(id string) bool { return strings.Trim(id, "0") == "" }

// parseChanges parses git's raw diff format with NUL separators, and calls report with each change.
// The id of a commit precedes its changes. A change consists of the modes of all sides, their ids and
// a status, followed by the path; a renamed file has its old path first. The last of several sides is
// the result.
func parseChanges(r io.Reader, report func(*change) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var c change
	for {
		head, err := readField(in)
		if err != nil {
			return listError(err)
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

// parseFiles parses the output of ls-files --stage or of ls-tree, and calls report with each file.
func parseFiles(r io.Reader, report func(*change) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readField(in)
		if err != nil {
			return listError(err)
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

// readField returns the text up to the next NUL. The error is io.ErrUnexpectedEOF if the text ends
// without one.
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

// listError returns nil if err is io.EOF, the end of a list, otherwise err with its context.
func listError(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("git's list of changes: %w", err)
}

// A contentSet is a set of contents with their paths, which uses little memory.
type contentSet struct {
	seed maphash.Seed
	set  map[contentKey]struct{}
}

// A contentKey holds the hashes of an object id and a path.
type contentKey struct{ a, b uint64 }

// add adds the content id at path, and reports whether it was not in the set. Contents are compared by
// a 128-bit hash with a random key.
func (s *contentSet) add(id, path string) bool {
	if s.seed == (maphash.Seed{}) {
		s.seed = maphash.MakeSeed()
	}
	k := contentKey{a: maphash.String(s.seed, id), b: maphash.String(s.seed, path)}
	if _, known := s.set[k]; known {
		return false
	}
	s.set[k] = struct{}{}
	return true
}
