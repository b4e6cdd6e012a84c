// Package scan looks at what is about to leave a machine: files, what is
// staged, commits that are pushed, a text on stdin. A [Source] yields texts,
// workers hold them against a policy, and findings come out in the order of the
// texts.
package scan

import (
	"io"

	"github.com/checkrein/checkrein/internal/evidence/provenance"
	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An Item is one text that a source yields.
type Item struct {
	// Path is from the top of the project, with slashes; policies go by it. It
	// is "" for a text that has none: stdin and commit messages.
	Path string
	// Shown is how the person who asked knows the path; "" = Path.
	Shown string
	// Commit is the commit that a file was changed in or that a message is of;
	// "" outside git's history.
	Commit string
	// Object is git's id of the content, or of the commit that a message is of;
	// "" when git does not have it.
	Object  string
	Message bool // the text is the message of a commit or a tag
	Outside bool // Shown is an absolute path outside the project

	before *lineSet // the lines that were there before, of which nothing counts; see [Scan.Added]
}

// Name is how people know the text.
func (it *Item) Name() string {
	switch {
	case it.Shown != "":
		return it.Shown
	case it.Message && it.Commit == "":
		return "tag " + it.Object
	case it.Message:
		return "commit message"
	case it.Path == "":
		return "-"
	}
	return it.Path
}

// A Content is what an item holds: a reader that is good until yield returns,
// or a function that opens it, once, at any time and by anyone.
type Content struct {
	Reader io.Reader
	Size   int64 // of what Reader has, about; 0 = unknown
	Open   func() (io.ReadCloser, error)
}

// A Source calls yield for each of its texts, one at a time and in an order that
// is the same each time. It returns the error that yield returned, or its own.
// What it knows beyond that, like the number of commits, its maker adds to the
// totals.
type Source func(yield func(Item, Content) error) error

// A Finding is one in an item. Its places are those in the file.
type Finding struct {
	Item
	policy.Finding
	Char             int // the column in characters, from 1
	EndLine, EndChar int // where it ends, the character behind it
	// ID distinguishes the finding from others over time: rule, path and the line
	// without what was found. It says nothing about that.
	ID string
	// Digest is the SHA-256 of what was found: see [Scan.Digests].
	Digest string
	// Excerpt is the line around the finding, without what was found: see [Scan.Excerpts].
	Excerpt *Excerpt
	// Mark is what [Scan.Mark] made of the line.
	Mark uint64
	// Origin is the tool call that wrote the line; nil = unknown, see [Origins].
	Origin *provenance.Origin

	sum uint64 // of rule, path and what was found, in this process only
}

// Totals are what a scan looked at.
type Totals struct {
	Commits  int   // whose changes or messages were looked at
	Files    int   // texts that are no messages
	Messages int   // of commits and tags
	Repeated int   // findings that an earlier commit has at the same path
	Bytes    int64 // that were looked at
	Binary   int   // files that are no text, searched for tokens and keys only
	Sealed   int   // archives and other compressed files that were not looked into
	Dense    int   // of the files, generated or minified: see policy.FindDense
	Skipped  int   // links, devices and the like
	Ignored  int   // files and folders that git ignores
	Left     int   // files that the policy or .checkreinignore leaves out
}

// Nothing reports whether there was nothing to look at.
func (t *Totals) Nothing() bool { return t.Commits+t.Files+t.Messages+t.Binary+t.Sealed == 0 }
