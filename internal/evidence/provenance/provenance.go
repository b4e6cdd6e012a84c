// Package provenance says which tool call wrote a line, by the fingerprints that
// the ledger keeps of what agents wrote.
//
// It reads the whole ledger, a hundred megabytes in a fraction of a second, so
// it is asked when something is stopped anyway.
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
	Session string // the host's id, "" = unknown
	Agent   string
	Tool    string // the host's name of it
	Call    string // its id, "" = unknown
}

// String returns who wrote the line, for people.
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

// AppendJSON appends the origin as an object.
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

// A Book is the ledger, asked for the writers of lines. It is safe for
// concurrent use; the nil Book knows nothing.
type Book struct {
	dir state.Dir
	top string
	key fingerprint.Key
}

// Open returns the book of a state directory, nil where there is no ledger. Calls
// that worked below top, a project's directory, are preferred.
func Open(dir state.Dir, top string) (*Book, error) {
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
		top = real // as records have it
	}
	lines := key.Derive(ledger.LabelLines)
	return &Book{dir: dir, top: top, key: fingerprint.Key(lines[:16])}, nil
}

// Mark returns what a line can be found by, which does not tell the line; 0 when
// it says too little to be anyone's. Of several lines it is the longest: those
// between which a key stands are everybody's.
func (b *Book) Mark(text string) uint64 {
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
	fp, _ := fingerprint.Line(b.key, longest)
	return fp
}

// A Line is one whose writer is asked for.
type Line struct {
	Mark uint64 // see [Book.Mark]; 0 is nobody's
	Path string // from the top of the project; "" = unknown
}

// Find returns for each line the call that wrote it; nil where the ledger knows
// none. Of several it is one that names the file, else one that worked in the
// project, and of these the first.
func (b *Book) Find(ctx context.Context, lines []Line) ([]*Origin, error) {
	found := make([]*Origin, len(lines))
	s := newSearch(lines)
	if b == nil || len(s.wanted) == 0 {
		return found, nil
	}
	s.top = b.top
	err := s.read(ctx, b.dir.Path(ledger.Folder))
	for i := range s.best {
		found[i] = s.best[i].origin
	}
	return found, err
}

// A search looks for many lines at once.
type search struct {
	top    string
	lines  []Line
	wanted map[uint64][]int // mark → whose it is
	best   []candidate
}

// A candidate is the best that is known so far.
type candidate struct {
	origin *Origin
	rank   int
}

// How well a call fits.
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

// read goes through the ledger.
func (s *search) read(ctx context.Context, dir string) error {
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
			s.record(&e.Line)
		}
	}
}

// record looks at what one call wrote.
func (s *search) record(line *ledger.Line) {
	packed, err := base64.StdEncoding.DecodeString(rawjson.GetText(line.Raw, "lines"))
	if err != nil {
		return
	}
	var origin *Origin // made when it is needed
	var file string
	rank := isAnywhere
	for ; len(packed) >= fingerprint.Size; packed = packed[fingerprint.Size:] {
		b := packed[:fingerprint.Size]
		fp := uint64(b[0])<<40 | uint64(b[1])<<32 | uint64(b[2])<<24 | uint64(b[3])<<16 | uint64(b[4])<<8 | uint64(b[5])
		for _, i := range s.wanted[fp] {
			if origin == nil {
				if !happened(line.Raw) {
					return
				}
				if origin, file = originOf(line), fileOf(line.Raw); s.near(line.Raw) {
					rank = isNear
				}
			}
			fits := rank
			if rank == isNear && s.isAt(file, s.lines[i].Path) {
				fits = isFile
			}
			if best := &s.best[i]; best.origin == nil || fits > best.rank {
				*best = candidate{origin, fits}
			}
		}
	}
}

// happened reports whether the call was neither denied nor failed.
func happened(raw []byte) bool {
	failed, _ := rawjson.Lookup(raw, "tool", "failed")
	return rawjson.GetText(raw, "decision") != "deny" && string(failed) != "true"
}

// near reports whether the call's session worked in the project.
func (s *search) near(raw []byte) bool {
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

// fileMembers are what tools call the file that they write.
var fileMembers = []string{"file_path", "path", "filePath", "notebook_path", "target_file", "filename"}

// fileOf is the file that a call names, as it names it; of a patch the first.
func fileOf(raw []byte) string {
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

// isAt reports whether a file is the one at a path of the project.
func (s *search) isAt(file, path string) bool {
	if file == "" || path == "" {
		return false
	}
	if !filepath.IsAbs(file) {
		return filepath.ToSlash(filepath.Clean(file)) == path
	}
	rel, err := filepath.Rel(s.top, file)
	return err == nil && filepath.ToSlash(rel) == path
}

func originOf(line *ledger.Line) *Origin {
	tool, _ := rawjson.Get(line.Raw, "tool")
	return &Origin{
		Seq: line.Seq, Time: line.Time, Host: rawjson.GetText(line.Raw, "host"), Session: rawjson.GetText(line.Raw, "session"),
		Agent: rawjson.GetText(line.Raw, "agent"), Tool: rawjson.GetText(tool, "name"), Call: rawjson.GetText(tool, "call_id"),
	}
}
