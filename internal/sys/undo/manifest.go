package undo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	manifestName = "manifest"
	maxManifest  = 64 << 20 // bytes
)

// A manifest describes what a save holds.
type manifest struct {
	Entry
	Repos []repoState `json:"git,omitempty"`
	files []file
}

// A kind is what is at a path.
type kind byte

// The kinds.
const (
	regular   kind = 'f'
	directory kind = 'd'
	symlink   kind = 'l'
	absent    kind = '-' // nothing; restoring removes what is there
)

// A file is what was at a path.
type file struct {
	path   string
	kind   kind
	mode   fs.FileMode
	number int    // of the copy, for a regular file
	linked bool   // the copy is a hard link
	target string // of a symlink
	size   int64
	mtime  int64  // in nanoseconds since 1970
	inode  uint64 // of a file that is written in place and has further names; 0 = it has none

	inPlace bool // the call writes into the file; not in the manifest
}

// appendLine appends the line of f to dst. It leaves out the directory of f if that is dir, and returns
// the directory for the next line. Zero bytes end names, which may contain anything else.
func (f *file) appendLine(dst []byte, dir string) ([]byte, string) {
	dst = append(dst, byte(f.kind), ' ')
	dst = strconv.AppendUint(dst, uint64(f.mode), 8)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, int64(f.number), 10)
	dst = append(dst, ' ')
	dst = strconv.AppendBool(dst, f.linked)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, f.size, 10)
	dst = append(dst, ' ')
	dst = strconv.AppendInt(dst, f.mtime, 10)
	dst = append(dst, ' ')
	dst = strconv.AppendUint(dst, f.inode, 10)
	dst = append(dst, ' ')
	at := strings.LastIndexByte(f.path, filepath.Separator) + 1
	name := f.path
	if name[:at] == dir {
		name = name[at:]
	}
	dst = append(append(dst, name...), 0)
	return append(append(dst, f.target...), 0), f.path[:at]
}

// unquoteLines returns lines of builds of 18 November 2026, which quoted names, in the form of
// appendLine.
func unquoteLines(text string) (string, error) {
	var out strings.Builder
	for line := range strings.Lines(text) {
		at := strings.IndexByte(line, '"')
		if at < 0 {
			return "", errors.New("a line has no name")
		}
		out.WriteString(line[:at])
		for rest := strings.TrimSuffix(line[at:], "\n"); rest != ""; rest = strings.TrimPrefix(rest, " ") {
			quoted, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return "", err
			}
			name, _ := strconv.Unquote(quoted) // QuotedPrefix found it valid
			out.WriteString(name + "\x00")
			rest = rest[len(quoted):]
		}
	}
	return out.String(), nil
}

// parseFiles parses the lines of appendLine.
func parseFiles(text string) ([]file, error) {
	var out []file
	if !strings.Contains(text, "\x00") {
		var err error
		if text, err = unquoteLines(text); err != nil {
			return nil, err
		}
	}
	dir := ""
	for text != "" {
		line, rest, _ := strings.Cut(text, "\x00")
		target, rest, _ := strings.Cut(rest, "\x00")
		part := strings.SplitN(line, " ", 8)
		if len(part) != 8 || len(part[0]) != 1 {
			return nil, errors.New("a line has too few fields")
		}
		mode, err1 := strconv.ParseUint(part[1], 8, 32)
		number, err2 := strconv.Atoi(part[2])
		size, err3 := strconv.ParseInt(part[4], 10, 64)
		mtime, err4 := strconv.ParseInt(part[5], 10, 64)
		inode, err5 := strconv.ParseUint(part[6], 10, 64)
		if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
			return nil, err
		}
		path := part[7]
		if !filepath.IsAbs(path) {
			path = dir + path
		}
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("the name %q is not absolute", path)
		}
		dir = path[:strings.LastIndexByte(path, filepath.Separator)+1]
		out = append(out, file{path: path, kind: kind(part[0][0]), mode: fs.FileMode(mode), number: number, linked: part[3] == "true", target: target, size: size, mtime: mtime, inode: inode})
		text = rest
	}
	return out, nil
}

// writeManifest stores m with the files of groups in the directory name, which makes the save complete.
func (s *Store) writeManifest(name string, m *manifest, groups []*group) error {
	size := 0
	for _, g := range groups {
		size += len(g.lines)
	}
	head, err := json.Marshal(m)
	if err != nil {
		return err
	}
	body := append(slices.Grow(head, size+1), '\n')
	for _, g := range groups {
		body = append(body, g.lines...)
	}
	file := Folder + "/" + name + "/" + manifestName
	sealed, err := s.state.SealNote(manifestLabel(m.ID, m.Time), body)
	if err != nil {
		return err
	}
	return s.state.WriteFast(file, sealed)
}

// manifestLabel returns the name under which a manifest is sealed, so that it fits one save only.
func manifestLabel(id string, at time.Time) string {
	return Folder + "/" + strconv.FormatInt(at.UnixMilli(), 36) + "-" + id
}

// readManifest returns the manifest in the directory name.
func (s *Store) readManifest(name string) (*manifest, error) {
	data, err := s.state.Read(Folder+"/"+name+"/"+manifestName, maxManifest)
	if err != nil {
		return &manifest{}, err
	}
	at, id, _ := parseName(name)
	body, ok := s.state.UnsealNote(manifestLabel(id, at), data)
	if !ok {
		return &manifest{}, fmt.Errorf("the save %s: %w: remove it with checkrein undo --forget %s", id, state.ErrTampered, id)
	}
	head, rest, _ := bytes.Cut(body, []byte{'\n'})
	m := new(manifest)
	if err := json.Unmarshal(head, m); err != nil {
		return &manifest{}, fmt.Errorf("the save %s: %w", id, err)
	}
	m.Entry.name = name
	if m.files, err = parseFiles(string(rest)); err != nil {
		return &manifest{}, fmt.Errorf("the save %s: %w", id, err)
	}
	return m, nil
}
