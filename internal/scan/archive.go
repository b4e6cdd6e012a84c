package scan

import (
	"bytes"
	"io"
)

// An Unpack reads archive and calls yield with the path and the content of each member, including
// those of nested archives. It limits how much it unpacks. The content of a member is valid until
// yield returns.
type Unpack func(archive io.Reader, yield func(path string, content io.Reader) error) error

// isArchive reports whether head is the start of an archive that can be unpacked.
func isArchive(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("\x1f\x8b\x08")) ||
		len(head) > 262 && string(head[257:262]) == "ustar"
}

// isCompressed reports whether head is the start of an archive or another compressed file, which must
// be unpacked before its text can be read.
func isCompressed(head []byte) bool {
	for _, mark := range [...]string{"\xfd7zXZ\x00", "BZh", "\x28\xb5\x2f\xfd", "7z\xbc\xaf\x27\x1c", "Rar!\x1a\x07"} {
		if bytes.HasPrefix(head, []byte(mark)) {
			return true
		}
	}
	return isArchive(head)
}

// scanMembers scans the members of the archive it, whose content is r.
func (s *scanner) scanMembers(it Item, r io.Reader) (outcome, error) {
	plain := *s.scan
	plain.Unpack = nil // Unpack also unpacks nested archives
	inner := newScanner(&plain)
	out := outcome{form: isOpened}
	err := s.scan.Unpack(r, func(path string, content io.Reader) error {
		member := it
		member.Path, member.Shown = it.Path+"!/"+path, it.DisplayName()+"!/"+path
		got, err := inner.scanStream(member, content)
		out.bytes += got.bytes
		out.found = append(out.found, got.found...)
		switch got.form {
		case isText, isDense:
			out.members++
		case isPieces:
			out.binaries++
		case isUnopened:
			out.sealed++
		}
		return err
	})
	return out, err
}
