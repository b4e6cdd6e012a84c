package bundle

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/hook/config"
	"github.com/checkrein/checkrein/internal/shell/files"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Limits of a bundle, so that a machine needs little to unpack one.
const (
	MaxArchive = 8 << 20  // bytes of the archive
	maxContent = 32 << 20 // bytes of all files together
	maxFiles   = 2000
	maxPath    = 100 // bytes of a path, which is also the limit of the archive format
	maxName    = 40  // bytes of a bundle's name
)

// An Info is the content of bundle.json, which names a bundle.
type Info struct {
	Name    string    `json:"name"`    // lower-case letters, digits and -
	Version int64     `json:"version"` // at least 1
	Created time.Time `json:"created"`
	// Private are patterns of the directories of projects whose records stay on the machine, such as
	// /home/*/private/**.
	Private []string `json:"private,omitempty"`
	// Approvals lets machines send the hub the calls that wait for an answer, and take the answers of the
	// fleet's approvers. Without it, whoever controls the hub cannot allow a call.
	Approvals bool `json:"approvals,omitempty"`
}

// IsPrivate reports whether records of the project at root stay on the machine.
func (i *Info) IsPrivate(root string) bool {
	return i != nil && slices.ContainsFunc(i.Private, func(p string) bool { return files.MatchGlob(p, root) })
}

// Target returns the path of the bundle's archive in a repository.
func (i Info) Target() string { return fmt.Sprintf("bundles/%s-%d.tar.gz", i.Name, i.Version) }

// String returns the name and version for people.
func (i Info) String() string { return fmt.Sprintf("%s %d", i.Name, i.Version) }

// exampleNote is a bundle.json.
const exampleNote = `{"name": "base", "version": 1}`

// parseInfo parses the content of bundle.json.
func parseInfo(data []byte) (Info, error) {
	var i Info
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&i); err != nil {
		return Info{}, fmt.Errorf(`%s: %w: write %s`, config.BundleNote, err, exampleNote)
	}
	isPlain := func(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' }
	switch {
	case i.Name == "" || len(i.Name) > maxName || strings.Trim(i.Name, "-") != i.Name || strings.IndexFunc(i.Name, func(r rune) bool { return !isPlain(r) }) >= 0:
		return Info{}, fmt.Errorf("%s: the name %q must have 1 to %d lower-case letters, digits and -", config.BundleNote, i.Name, maxName)
	case i.Version < 1:
		return Info{}, fmt.Errorf("%s: the version %d must be at least 1", config.BundleNote, i.Version)
	}
	return i, nil
}

// A Bundle is the content of an archive.
type Bundle struct {
	Info
	Files []File // sorted by name, among them bundle.json
}

// A File is a regular file of a bundle.
type File struct {
	Name string // with slashes
	Data []byte
	Exec bool
}

// Build returns the archive of the directory dir. The same files yield the same bytes, by the same build of
// checkrein.
func Build(dir string) ([]byte, *Bundle, error) {
	var files []File
	total := 0
	err := filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && file == dir {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case strings.HasPrefix(e.Name(), "."):
			return fmt.Errorf("%s: hidden files are not distributed: remove it", name)
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			return fmt.Errorf("%s: a bundle has regular files only: replace it with one", name)
		case len(files) == maxFiles:
			return fmt.Errorf("the bundle has more than %d files", maxFiles)
		}
		if err := checkPath(name); err != nil {
			return err
		}
		data, err := state.ReadRegular(file, maxContent)
		if err != nil {
			return err
		}
		if total += len(data); total > maxContent {
			return fmt.Errorf("the bundle is larger than %d MiB", maxContent>>20)
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		files = append(files, File{name, data, info.Mode()&0o100 != 0})
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
	archive, err := encode(files)
	if err != nil {
		return nil, nil, err
	}
	b, err := Parse(archive)
	return archive, b, err
}

// encode returns the archive of files.
func encode(files []File) ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zip)
	for _, f := range files {
		mode := int64(0o644)
		if f.Exec {
			mode = 0o755
		}
		err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.Name, Size: int64(len(f.Data)), Mode: mode, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR})
		if err == nil {
			_, err = w.Write(f.Data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	err = errors.Join(w.Close(), zip.Close())
	return out.Bytes(), err
}

// Parse returns the content of an archive. It refuses everything that Build would not have written:
// links, paths that lead elsewhere or differ in case only, and data before or after the files.
func Parse(archive []byte) (*Bundle, error) {
	if len(archive) > MaxArchive {
		return nil, fmt.Errorf("the archive is larger than %d MiB", MaxArchive>>20)
	}
	in := bytes.NewReader(archive)
	zip, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("the archive is not compressed by gzip: %w", err)
	}
	zip.Multistream(false)
	content := &io.LimitedReader{R: zip, N: maxContent + (maxFiles+2)*1024} // and a header and padding for each file
	b := &Bundle{}
	names := pathSet{}
	for r := tar.NewReader(content); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the archive is damaged: %w", err)
		}
		f, err := readFile(r, h)
		if err == nil {
			err = names.add(f.Name)
		}
		if err == nil && len(b.Files) == maxFiles {
			err = fmt.Errorf("the bundle has more than %d files", maxFiles)
		}
		if err != nil {
			return nil, err
		}
		b.Files = append(b.Files, f)
	}
	if n, err := io.Copy(io.Discard, content); n > 0 || err != nil || in.Len() > 0 || content.N == 0 {
		return nil, errors.New("the archive has data after its files")
	}
	i := slices.IndexFunc(b.Files, func(f File) bool { return f.Name == config.BundleNote })
	if i < 0 {
		return nil, fmt.Errorf("the bundle has no %s, which holds its name and version: write %s", config.BundleNote, exampleNote)
	}
	b.Info, err = parseInfo(b.Files[i].Data)
	return b, err
}

// readFile reads the file with the header h.
func readFile(r io.Reader, h *tar.Header) (File, error) {
	switch {
	case h.Typeflag != tar.TypeReg || h.Format != tar.FormatUSTAR || h.Linkname != "":
		return File{}, fmt.Errorf("%q is not a regular file", h.Name)
	case h.Mode != 0o644 && h.Mode != 0o755:
		return File{}, fmt.Errorf("%q has the mode %o: use 644 or 755", h.Name, h.Mode)
	case h.Size > maxContent:
		return File{}, fmt.Errorf("%q is larger than %d MiB", h.Name, maxContent>>20)
	}
	if err := checkPath(h.Name); err != nil {
		return File{}, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return File{}, fmt.Errorf("%s: the archive is damaged or larger than %d MiB: %w", h.Name, maxContent>>20, err)
	}
	return File{h.Name, data, h.Mode == 0o755}, nil
}

// checkPath returns an error if name is not a path that means the same on every system.
func checkPath(name string) error {
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+@/", r)
	}
	switch {
	case !fs.ValidPath(name) || name == "." || len(name) > maxPath:
		return fmt.Errorf("%q is not a path of at most %d bytes below the bundle", name, maxPath)
	case strings.IndexFunc(name, func(r rune) bool { return !isPlain(r) }) >= 0:
		return fmt.Errorf("%q has a character other than letters, digits, '.', '_', '-', '+' and '@'", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part[0] == '.' || strings.HasSuffix(part, ".") {
			return fmt.Errorf("%q has a part that begins or ends with a dot", name)
		}
	}
	return nil
}

// A pathSet is the set of the paths of files and of the directories that hold them.
type pathSet map[string]pathKind

type pathKind struct {
	name  string // as it was first spelled
	isDir bool
}

// add adds the path of a file. It returns an error if the path cannot be unpacked beside the others on
// systems that ignore case.
func (s pathSet) add(name string) error {
	if old, twice := s[strings.ToLower(name)]; twice {
		return fmt.Errorf("%q and %q are the same path on some systems", old.name, name)
	}
	s[strings.ToLower(name)] = pathKind{name: name}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		old, known := s[strings.ToLower(dir)]
		if known && (!old.isDir || old.name != dir) {
			return fmt.Errorf("%q and the directory of %q are the same path on some systems", old.name, name)
		}
		s[strings.ToLower(dir)] = pathKind{dir, true}
	}
	return nil
}

// unpack writes the files to dir, which must not exist, and flushes them to the disk.
func (b *Bundle) unpack(dir string) error {
	dirs := []string{dir}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, f := range b.Files {
		file := filepath.Join(dir, filepath.FromSlash(f.Name))
		for up := filepath.Dir(file); !slices.Contains(dirs, up); up = filepath.Dir(up) {
			dirs = append(dirs, up)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if f.Exec {
			mode = 0o755
		}
		if err := writeSynced(file, f.Data, mode); err != nil {
			return err
		}
	}
	for _, d := range dirs {
		if err := errors.Join(os.Chmod(d, 0o755), syncDir(d)); err != nil { // whatever the umask is
			return err
		}
	}
	return nil
}

// writeSynced writes a new file and flushes it to the disk.
func writeSynced(file string, data []byte, mode fs.FileMode) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}

// syncDir flushes the names in dir to the disk.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	_ = f.Sync() // not every file system and system supports it
	return nil
}
