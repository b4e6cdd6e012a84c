package boundary

import (
	"bytes"
	"io"
)

// An Unpack reads an archive and calls yield with the path in the archive and
// the content of each of its members, also of those in archives inside it. It
// bounds what comes out. A member's content is good until yield returns.
type Unpack func(archive io.Reader, yield func(path string, content io.Reader) error) error

// isArchive reports whether a content begins like an archive that can be read.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("\x1f\x8b\x08")) ||
		len(head) > 262 && string(head[257:262]) == "ustar"
}

// members looks at what is in an archive. It reports false for what is none.
func (s *scanner) members(it Item, r io.Reader, out *outcome) (bool, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF || !isArchive(head[:n]) {
		return false, nil
	}
	plain := *s.scan
	plain.Unpack = nil // archives inside are unpacked already
	inner := newScanner(&plain)
	out.form = isPacked
	err = s.scan.Unpack(io.MultiReader(bytes.NewReader(head[:n]), r), func(path string, content io.Reader) error {
		member := it
		member.Path, member.Shown = it.Path+"!/"+path, it.Name()+"!/"+path
		got, err := inner.stream(member, content)
		out.bytes += got.bytes
		out.found = append(out.found, got.found...)
		switch got.form {
		case isText, isDense:
			out.members++
		case isBinary:
			out.binaries++
		}
		return err
	})
	return true, err
}
