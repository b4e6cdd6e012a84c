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
	contentFolder = "approved" // next to the book, with one file for each digest
	maxKept       = 256 << 10  // bytes of one file; of a larger one only the digest is kept
	maxKeptAll    = 16 << 20   // bytes of all files that are approved together
)

// A pendingContent holds, by digest, the contents that are about to be approved. They are the same
// bytes that the digests were computed from.
type pendingContent struct {
	content map[string][]byte
	size    int
}

// addContent stores content, if there is room, and returns its digest.
func (s *pendingContent) addContent(content []byte) string {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	s.put(digest, content)
	return digest
}

// put stores content under its digest, if there is room.
func (s *pendingContent) put(digest string, content []byte) {
	if _, has := s.content[digest]; has || len(content) > maxKept || s.size+len(content) > maxKeptAll {
		return
	}
	if s.content == nil {
		s.content = make(map[string][]byte)
	}
	s.content[digest] = content
	s.size += len(content)
}

// save writes the contents to the state directory. The caller must hold the lock of the book, or
// another process could remove the contents before an approval names them.
func (s *pendingContent) save(dir state.Dir) error {
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

// readContent returns the stored contents with this digest. It reports false if they were not kept, or
// no longer match the digest.
func readContent(dir state.Dir, digest string) ([]byte, bool) {
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

// removeUnusedContent removes stored contents that none of approvals names. It ignores errors, since a
// later call tries again and nothing depends on it.
func removeUnusedContent(dir state.Dir, approvals []Approval) {
	names, err := dir.Names(contentFolder)
	if errors.Is(err, fs.ErrNotExist) || len(names) == 0 {
		return
	}
	needed := make(map[string]bool)
	for i := range approvals {
		needed[approvals[i].Text] = true
		for _, f := range approvals[i].Parts { // contents of Files are never kept: some of them are only read
			needed[f.SHA256] = true
		}
	}
	for _, name := range names {
		if !needed[name] {
			_ = dir.Remove(contentFolder + "/" + name)
		}
	}
}
