// Package scan scans what is about to leave a machine: files, staged changes, commits that
// are pushed, or standard input. A [Source] yields texts, workers check them against a
// policy, and findings are reported in the order of the texts.
package scan

import (
	"io"

	"github.com/checkrein/checkrein/internal/evidence/provenance"
	"github.com/checkrein/checkrein/internal/scan/policy"
)

// An Item is one text that a source yields.
type Item struct {
	// Path is relative to the top of the project, with slashes; policies use it. It is "" for
	// standard input and messages.
	Path string
	// Shown is the path as the user wrote it; "" means Path.
	Shown string
	// Commit is the commit that changed the file or has the message; "" outside git's history.
	Commit string
	// Object is git's id of the file, or of the commit or tag of a message; "" for texts outside git.
	Object  string
	Message bool // the text is the message of a commit or a tag
	Outside bool // Shown is an absolute path outside the project

	before *lineSet // lines of earlier versions, in which findings are not reported; see [Scan.Added]
}

// DisplayName returns the name of the text for display.
func (it *Item) DisplayName() string {
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

// A Content is the content of an item: either Reader, which is valid until yield returns, or Open,
// which may be called once, at any time and by any goroutine.
type Content struct {
	Reader io.Reader
	Size   int64 // approximate size of what Reader returns; 0 means unknown
	Open   func() (io.ReadCloser, error)
}

// A Source calls yield for each of its texts, one at a time and in a fixed order. It returns the error
// of yield, or its own. Counts that only the source knows, such as the number of commits, must be
// added to the totals separately.
type Source func(yield func(Item, Content) error) error

// A Finding is a finding in an item. Its positions refer to the file, not to decoded text.
type Finding struct {
	Item
	policy.Finding
	Char             int // the column in characters, from 1
	EndLine, EndChar int // the position of the character after the finding
	// ID identifies the finding over time. It depends on the rule, the path and the line without
	// the found text, about which it reveals nothing.
	ID string
	// Digest is the SHA-256 of the found text; see [Scan.Digests].
	Digest string
	// Excerpt is the line around the finding, without the found text; see [Scan.Excerpts].
	Excerpt *Excerpt
	// Mark is the result of [Scan.Mark] for the lines of the finding.
	Mark uint64
	// Origin is the tool call that wrote the line; nil means unknown, see [Origins].
	Origin *provenance.Origin

	hash uint64 // hash of rule, path and found text, valid in this process only
}

// Totals holds the counts of a scan.
type Totals struct {
	Commits    int   // commits whose changes or messages were scanned
	Files      int   // texts other than messages
	Messages   int   // messages of commits and tags
	Repeated   int   // findings that an earlier commit also has at the same path
	Bytes      int64 // bytes that were scanned
	Binary     int   // binary files, which were searched for tokens and keys only
	Compressed int   // archives and other compressed files that were not unpacked
	Dense      int   // files that are generated or minified; see policy.FindDense
	Skipped    int   // symlinks, devices and similar files
	Ignored    int   // files and folders that git ignores
	Excluded   int   // files that the policy or .checkreinignore excludes
}

// IsEmpty reports whether nothing was scanned.
func (t *Totals) IsEmpty() bool { return t.Commits+t.Files+t.Messages+t.Binary+t.Compressed == 0 }
