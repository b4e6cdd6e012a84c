package undo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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
}

// appendLine appends the line of f to dst.
func (f *file) appendLine(dst []byte) []byte {
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
	dst = strconv.AppendQuote(dst, f.path)
	dst = append(dst, ' ')
	dst = strconv.AppendQuote(dst, f.target)
	return append(dst, '\n')
}

// parseFile parses a line of appendLine.
func parseFile(line string) (f file, err error) {
	part := strings.SplitN(line, " ", 8)
	if len(part) != 8 || len(part[0]) != 1 {
		return f, errors.New("a line has too few fields")
	}
	mode, err1 := strconv.ParseUint(part[1], 8, 32)
	number, err2 := strconv.Atoi(part[2])
	size, err3 := strconv.ParseInt(part[4], 10, 64)
	mtime, err4 := strconv.ParseInt(part[5], 10, 64)
	inode, err5 := strconv.ParseUint(part[6], 10, 64)
	path, err6 := strconv.QuotedPrefix(part[7])
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		return f, err
	}
	target := strings.TrimPrefix(part[7][len(path):], " ")
	f = file{kind: kind(part[0][0]), mode: fs.FileMode(mode), number: number, linked: part[3] == "true", size: size, mtime: mtime, inode: inode}
	if f.path, err = strconv.Unquote(path); err != nil {
		return f, err
	}
	f.target, err = strconv.Unquote(target)
	return f, err
}

// writeManifest stores m in the directory name, which makes the save complete.
func (s *Store) writeManifest(name string, m *manifest) error {
	m.Entry.Files = len(m.files)
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	body = append(body, '\n')
	for i := range m.files {
		body = m.files[i].appendLine(body)
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
	for line := range strings.Lines(string(rest)) {
		f, err := parseFile(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return &manifest{}, fmt.Errorf("the save %s: %w", id, err)
		}
		m.files = append(m.files, f)
	}
	return m, nil
}
