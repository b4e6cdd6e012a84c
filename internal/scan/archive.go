package scan

import (
	"bytes"
	"io"
)

// An Unpack reads an archive and calls yield with the path and the content of each member, including
// those of nested archives. It limits how much it unpacks. A member's content is valid until yield
// returns.
type Unpack func(archive io.Reader, yield func(path string, content io.Reader) error) error

// isArchive reports whether head begins an archive that can be read.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("\x1f\x8b\x08")) ||
		len(head) > 262 && string(head[257:262]) == "ustar"
}

// isPacked reports whether head begins an archive or another compressed file, which must be unpacked
// before its text can be read.
func isPacked(head []byte) bool {
	for _, mark := range [...]string{"\xfd7zXZ\x00", "BZh", "\x28\xb5\x2f\xfd", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return isArchive(head)
}

// scanMembers scans the members of an archive.
func (s *scanner) scanMembers(it Item, r io.Reader) (outcome, error) {
	plain := *s.scan
	plain.Unpack = nil // archives inside are unpacked already
	inner := newScanner(&plain)
	out := outcome{form: isOpened}
	err := s.scan.Unpack(r, func(path string, content io.Reader) error {
		member := it
		member.Path, member.Shown = it.Path+"!/"+path, it.Name()+"!/"+path
		got, err := inner.scanStream(member, content)
		out.bytes += got.bytes
		out.found = append(out.found, got.found...)
		switch got.form {
		case isText, isDense:
			out.members++
		case isPieces:
			out.binaries++
		case isSealed:
			out.sealed++
		}
		return err
	})
	return out, err
}
