// Package archive unpacks zip, tar and gzip archives, including archives inside archives. An archive
// may be made to exhaust the machine, so everything that is unpacked is limited.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// Limits limit what is read from one archive.
type Limits struct {
	Depth   int   // how deeply archives may be nested
	Members int   // the number of members in all nested archives
	Bytes   int64 // the number of unpacked bytes at all levels
	Zip     int64 // the size of a zip file, which is held in memory
}

// Standard holds the limits for scans.
var Standard = Limits{Depth: 5, Members: 200_000, Bytes: 2 << 30, Zip: 512 << 20}

// ErrTooMuch means that a limit was reached, so that part of the archive was not read.
var ErrTooMuch = errors.New("the archive is too large to scan when unpacked")

// A walker unpacks one archive and the archives in it.
type walker struct {
	Limits
	yield func(string, io.Reader) error
}

// Walk calls yield with the path and content of every member that is not itself an archive. It returns
// the error of yield, or ErrTooMuch if a limit was reached.
func Walk(r io.Reader, l Limits, yield func(path string, content io.Reader) error) error {
	w := &walker{l, yield}
	return w.walkContent("", r, 0)
}

// walkContent unpacks r if it is an archive, and otherwise passes it to yield.
func (w *walker) walkContent(name string, r io.Reader, depth int) error {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	head = head[:n]
	all := io.MultiReader(bytes.NewReader(head), r)
	kind := detectKind(head)
	if kind == none {
		return w.yield(name, all)
	}
	if depth >= w.Depth {
		return fmt.Errorf("%s: %w: archives are nested more than %d levels deep", name, ErrTooMuch, w.Depth)
	}
	switch kind {
	case isZip:
		return w.walkZip(name, all, depth)
	case isTar:
		return w.walkTar(name, all, depth)
	}
	return w.walkGzip(name, all, depth)
}

type kind uint8

const (
	none kind = iota
	isZip
	isTar
	isGzip
)

// detectKind returns the kind of archive that begins with head.
func detectKind(head []byte) kind {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return isZip
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		return isGzip
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return isTar
	}
	return none
}

func (w *walker) walkZip(name string, r io.Reader, depth int) error {
	data, err := io.ReadAll(io.LimitReader(r, w.Zip+1))
	if err != nil {
		return err
	}
	if int64(len(data)) > w.Zip {
		return fmt.Errorf("%s: %w: a zip file of more than %d bytes", name, ErrTooMuch, w.Zip)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	for _, f := range z.File {
		if f.Mode().IsDir() && f.UncompressedSize64 == 0 {
			continue // a directory with content is read as a file
		}
		if err := w.walkZipMember(name, f, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) walkZipMember(name string, f *zip.File, depth int) error {
	in, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", joinPath(name, f.Name), err)
	}
	defer in.Close()
	return w.walkMember(joinPath(name, f.Name), in, depth)
}

func (w *walker) walkTar(name string, r io.Reader, depth int) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return checkPadding(name, r)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch h.Typeflag {
		case tar.TypeLink, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeDir, tar.TypeFifo, tar.TypeXGlobalHeader:
			continue // these have no content
		}
		if err := w.walkMember(joinPath(name, h.Name), t, depth); err != nil {
			return err
		}
	}
}

// checkPadding returns an error if anything but zeros, such as another tar archive, follows the end of
// a tar archive.
func checkPadding(name string, r io.Reader) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		for _, c := range buf[:n] {
			if c != 0 {
				return fmt.Errorf("%s: there is unchecked data after the end of the archive: unpack and inspect it by hand", name)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *walker) walkGzip(name string, r io.Reader, depth int) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	inside := name
	if z.Name != "" {
		inside = joinPath(name, path.Base(z.Name))
	}
	return w.walkMember(inside, z, depth)
}

// walkMember reads a member within the limits.
func (w *walker) walkMember(name string, r io.Reader, depth int) error {
	if w.Members--; w.Members < 0 {
		return fmt.Errorf("%w: too many members", ErrTooMuch)
	}
	return w.walkContent(name, &boundedReader{r: r, w: w}, depth+1)
}

// A boundedReader returns ErrTooMuch after too many bytes were read.
type boundedReader struct {
	r io.Reader
	w *walker
}

func (b *boundedReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.w.Bytes -= int64(n); b.w.Bytes < 0 {
		return 0, ErrTooMuch
	}
	return n, err
}

// joinPath returns the path of a member: the path of its archive, "!/" and its own path.
func joinPath(outer, inner string) string {
	inner = strings.TrimLeft(path.Clean("/"+inner), "/")
	if outer == "" {
		return inner
	}
	return outer + "!/" + inner
}
