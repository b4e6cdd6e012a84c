// Package provenance finds the tool call that wrote a line, by the fingerprints of written lines in
// the ledger.
//
// It reads the whole ledger, a hundred megabytes in a fraction of a second, so it is used only when
// something is blocked anyway.
package provenance

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/secret/fingerprint"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// An Origin is the tool call that wrote a line.
type Origin struct {
	Seq     uint64 // of the record, for 'checkrein explain'
	Time    time.Time
	Host    string
	Session string // the host's id; "" means unknown
	Agent   string
	Tool    string // the host's name of the tool
	Call    string // its id; "" means unknown
}

// String describes the call for display.
func (o *Origin) String() string {
	text := o.Host
	if o.Agent != "" {
		text += " (agent " + o.Agent + ")"
	}
	if o.Session != "" {
		text += ", session " + o.Session
	}
	text += ", " + o.Time.Local().Format(time.DateTime) + ", tool " + o.Tool
	if o.Call != "" {
		text += ", call " + o.Call
	}
	return text + fmt.Sprintf(" (checkrein explain %d)", o.Seq)
}

// AppendJSON appends o as a JSON object to b.
func (o *Origin) AppendJSON(b []byte) []byte {
	out := append(rawjson.Object(b), '{')
	out.Int("seq", int(o.Seq))
	out.Text("time", o.Time.UTC().Format(time.RFC3339Nano))
	out.Text("host", o.Host)
	out.Text("session", o.Session)
	out.Text("agent", o.Agent)
	out.Text("tool", o.Tool)
	out.Text("call_id", o.Call)
	out.Close()
	return out
}

// A Finder finds the calls that wrote lines, in a ledger. It is safe for concurrent use. A nil Finder
// finds nothing.
type Finder struct {
	dir state.Dir
	top string
	key fingerprint.Key
}

// Open returns the finder for the state directory dir, or nil if there is no ledger. The finder
// prefers calls of sessions that worked below top, a project's directory.
func Open(dir state.Dir, top string) (*Finder, error) {
	raw, err := dir.Read(ledger.Folder+"/key", 64)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := ledger.ParseKey(raw)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(top); err == nil {
		top = real // records contain real paths
	}
	lines := key.Derive(ledger.LabelLines)
	return &Finder{dir: dir, top: top, key: fingerprint.Key(lines[:16])}, nil
}

// Fingerprint returns the fingerprint of text, which does not reveal it, or 0 if text is too short to
// identify who wrote it. If text has several lines, the longest counts, since the lines around a key
// are not specific.
func (b *Finder) Fingerprint(text string) uint64 {
	if b == nil {
		return 0
	}
	longest := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if len(line) > len(longest) && !strings.HasPrefix(line, "-----BEGIN ") && !strings.HasPrefix(line, "-----END ") {
			longest = line
		}
	}
	fp, _ := fingerprint.HashLine(b.key, longest)
	return fp
}

// A Line is a line to find.
type Line struct {
	Mark uint64 // see [Finder.Fingerprint]; 0 matches nothing
	Path string // relative to the top of the project; "" means unknown
}

// Find returns, for each line, the call that wrote it, or nil if the ledger has none. Calls that name
// the file take precedence, then calls that worked in the project; among equals, it returns the
// earliest.
func (b *Finder) Find(ctx context.Context, lines []Line) ([]*Origin, error) {
	found := make([]*Origin, len(lines))
	s := newSearch(lines)
	if b == nil || len(s.wanted) == 0 {
		return found, nil
	}
	s.top = b.top
	err := s.readLedger(ctx, b.dir.Path(ledger.Folder))
	for i := range s.best {
		found[i] = s.best[i].origin
	}
	return found, err
}

// A search looks for many lines at once.
type search struct {
	top    string
	lines  []Line
	wanted map[uint64][]int // fingerprint → indexes of lines
	best   []candidate
}

// A candidate is the best match for a line so far.
type candidate struct {
	origin *Origin
	rank   int
}

// How well a call matches.
const (
	isAnywhere = iota
	isNear     // it worked in the project
	isFile     // it names the file
)

func newSearch(lines []Line) *search {
	s := &search{lines: lines, wanted: make(map[uint64][]int), best: make([]candidate, len(lines))}
	for i := range lines {
		if m := lines[i].Mark; m != 0 {
			s.wanted[m] = append(s.wanted[m], i)
		}
	}
	return s
}

// readLedger searches the ledger in dir for the wanted lines.
func (s *search) readLedger(ctx context.Context, dir string) error {
	r := ledger.NewReader(dir, ledger.Position{})
	defer r.Close()
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if !e.Damaged && e.Line.Kind == ledger.KindEvent && bytes.Contains(e.Line.Raw, []byte(`"lines":"`)) {
			s.matchRecord(&e.Line)
		}
	}
}

// matchRecord compares the lines that the call in line wrote with the wanted ones, and updates the
// candidates.
func (s *search) matchRecord(line *ledger.Line) {
	packed, err := base64.StdEncoding.DecodeString(rawjson.GetText(line.Raw, "lines"))
	if err != nil {
		return
	}
	var origin *Origin // created when needed
	var file string
	rank := isAnywhere
	for ; len(packed) >= fingerprint.Size; packed = packed[fingerprint.Size:] {
		b := packed[:fingerprint.Size]
		fp := uint64(b[0])<<40 | uint64(b[1])<<32 | uint64(b[2])<<24 | uint64(b[3])<<16 | uint64(b[4])<<8 | uint64(b[5])
		for _, i := range s.wanted[fp] {
			if origin == nil {
				if !isSuccessful(line.Raw) {
					return
				}
				if origin, file = originOf(line), targetFile(line.Raw); s.isInProject(line.Raw) {
					rank = isNear
				}
			}
			fits := rank
			if rank == isNear && s.isSameFile(file, s.lines[i].Path) {
				fits = isFile
			}
			if best := &s.best[i]; best.origin == nil || fits > best.rank {
				*best = candidate{origin, fits}
			}
		}
	}
}

// isSuccessful reports whether the call in the record raw was neither denied nor failed.
func isSuccessful(raw []byte) bool {
	failed, _ := rawjson.Lookup(raw, "tool", "failed")
	return rawjson.GetText(raw, "decision") != "deny" && string(failed) != "true"
}

// isInProject reports whether the session of the record raw worked in the project.
func (s *search) isInProject(raw []byte) bool {
	for _, member := range []string{"dir", "root"} {
		dir := rawjson.GetText(raw, member)
		if dir == "" {
			continue
		}
		if rel, err := filepath.Rel(s.top, dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// fileMembers lists the arguments that name the file which a tool writes.
var fileMembers = []string{"file_path", "path", "filePath", "notebook_path", "target_file", "filename"}

// targetFile returns the file that the call in the record raw names, as it is spelled; for a patch,
// the first one. It returns "" if there is none.
func targetFile(raw []byte) string {
	input, _ := rawjson.Lookup(raw, "subject", "input", "json")
	for _, member := range fileMembers {
		if file := rawjson.GetText(input, member); file != "" {
			return file
		}
	}
	for _, member := range []string{"command", "input", "patch"} {
		if _, rest, ok := strings.Cut(rawjson.GetText(input, member), " File: "); ok { // *** Add File: name
			file, _, _ := strings.Cut(rest, "\n")
			return strings.TrimSpace(file)
		}
	}
	return ""
}

// isSameFile reports whether file is the file at path in the project.
func (s *search) isSameFile(file, path string) bool {
	if file == "" || path == "" {
		return false
	}
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(filepath.Clean(file)) == path
	}
	rel, err := filepath.Rel(s.top, file)
	return err == nil && filepath.ToSlash(rel) == path
}

// originOf returns the call that the record line is about.
func originOf(line *ledger.Line) *Origin {
	tool, _ := rawjson.Get(line.Raw, "tool")
	return &Origin{
		Seq: line.Seq, Time: line.Time, Host: rawjson.GetText(line.Raw, "host"), Session: rawjson.GetText(line.Raw, "session"),
		Agent: rawjson.GetText(line.Raw, "agent"), Tool: rawjson.GetText(tool, "name"), Call: rawjson.GetText(tool, "call_id"),
	}
}
