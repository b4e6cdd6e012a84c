package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	contentFolder = "approved" // beside the book, a file for each digest
	maxKept       = 256 << 10  // of one file; of a larger one only the digest is known
	maxKeptAll    = 16 << 20   // of what is approved at once
)

// A shelf holds what is about to be approved, by its digest, as it was read to
// be digested.
type shelf struct {
	content map[string][]byte
	size    int
}

// add puts content on the shelf, if there is room, and returns its digest.
func (s *shelf) add(content []byte) string {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	s.put(digest, content)
	return digest
}

func (s *shelf) put(digest string, content []byte) {
	if _, has := s.content[digest]; has || len(content) > maxKept || s.size+len(content) > maxKeptAll {
		return
	}
	if s.content == nil {
		s.content = make(map[string][]byte)
	}
	s.content[digest] = content
	s.size += len(content)
}

// keep writes what is on the shelf to the disk. The book must be locked, or
// another could drop it before an approval names it.
func (s *shelf) keep(dir state.Dir) error {
	for digest, content := range s.content {
		name := contentFolder + "/" + digest
		if info, err := os.Lstat(dir.Path(contentFolder, digest)); err == nil && info.Size() == int64(len(content)) {
			continue
		}
		if err := dir.Write(name, content); err != nil {
			return fmt.Errorf("saving the approved files: %w", err)
		}
	}
	return nil
}

// contentOf returns what was approved under a digest, and whether it was kept.
// What is not what it was counts as not kept.
func contentOf(dir state.Dir, digest string) ([]byte, bool) {
	if len(digest) != hex.EncodedLen(sha256.Size) {
		return nil, false
	}
	content, err := dir.Read(contentFolder+"/"+digest, maxKept)
	if err != nil {
		return nil, false
	}
	sum := sha256.Sum256(content)
	return content, hex.EncodeToString(sum[:]) == digest
}

// dropContent removes what no approval names. What cannot be removed is left to
// the next one: nothing depends on it.
func dropContent(dir state.Dir, approvals []Approval) {
	names, err := dir.Names(contentFolder)
	if errors.Is(err, fs.ErrNotExist) || len(names) == 0 {
		return
	}
	needed := make(map[string]bool)
	for i := range approvals {
		needed[approvals[i].Text] = true
		for _, f := range approvals[i].Parts { // never of files that may be read only
			needed[f.SHA256] = true
		}
	}
	for _, name := range names {
		if !needed[name] {
			_ = dir.Remove(contentFolder + "/" + name)
		}
	}
}
