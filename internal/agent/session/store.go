package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/checkrein/checkrein/internal/agent/model"
	"github.com/checkrein/checkrein/internal/secret"
	"github.com/checkrein/checkrein/internal/sys/state"
)

const (
	folder  = "runs"
	suffix  = ".jsonl"
	maxSize = 64 << 20 // of one session
	maxAge  = 30 * 24 * time.Hour
)

// A Store holds the sessions of a user.
type Store struct {
	Dir state.Dir
	Now func() time.Time
}

// A Log is an open session, which other processes cannot open meanwhile. It is not safe for concurrent
// use.
type Log struct {
	file *state.File
	size int64
}

// ErrUnknown means that a session does not exist.
var ErrUnknown = errors.New("no such session")

// Create creates the file of the session id, and removes old sessions. It returns an error if the
// session exists.
func (s Store) Create(id string) (*Log, error) {
	if err := checkID(id); err != nil {
		return nil, err
	}
	s.pruneOld()
	log, items, err := s.openLog(id)
	if err == nil && len(items) > 0 {
		log.Close()
		return nil, fmt.Errorf("session %s already exists", id)
	}
	return log, err
}

// Resume opens the session id and returns its items. It removes an incomplete last line, which a
// process that was killed may have left. The error is ErrUnknown if there is no such session.
func (s Store) Resume(id string) (*Log, []Item, error) {
	if err := checkID(id); err != nil {
		return nil, nil, err
	}
	if _, err := os.Lstat(s.Dir.Path(folder, id+suffix)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: %s", ErrUnknown, id)
	}
	return s.openLog(id)
}

// checkID returns an error if id is not a valid session ID, such as one that could be a path.
func checkID(id string) error {
	plain := func(r rune) bool {
		return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	}
	if id == "" || len(id) > 128 || strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("%q is not a valid session ID: use letters, digits, - and _", id)
	}
	return nil
}

// openLog opens the file of the session id, creates it if it does not exist, and returns its items.
func (s Store) openLog(id string) (*Log, []Item, error) {
	f, err := s.Dir.OpenLocked(folder + "/" + id + suffix)
	if err != nil {
		return nil, nil, fmt.Errorf("session %s cannot be opened; it may be open in another process: %w", id, err)
	}
	log := &Log{file: f}
	items, err := log.readItems()
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("session %s: %w", id, err)
	}
	return log, items, nil
}

// readItems returns the items in the complete lines of the file, and truncates the rest.
func (l *Log) readItems() ([]Item, error) {
	size, err := l.file.Size()
	if err != nil {
		return nil, err
	}
	if size > maxSize {
		return nil, fmt.Errorf("the session file is larger than %d MiB", maxSize>>20)
	}
	data := make([]byte, size)
	n, err := l.file.ReadAt(data, 0)
	if int64(n) < size && err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	if int64(whole) < size {
		if err := l.file.Truncate(int64(whole)); err != nil {
			return nil, err
		}
	}
	l.size = int64(whole)
	var items []Item
	number := 0
	for line := range bytes.Lines(data[:whole]) {
		number++
		var it Item
		if err := json.Unmarshal(line, &it); err != nil {
			return nil, fmt.Errorf("line %d is damaged: %w", number, err)
		}
		items = append(items, it)
	}
	return items, nil
}

// Append adds items, with secrets replaced by markers. Each item is written completely or not at all,
// even if the process is killed.
func (l *Log) Append(items ...Item) error {
	var buf bytes.Buffer
	for _, it := range items {
		line, err := json.Marshal(redactItem(it))
		if err != nil {
			return err
		}
		buf.Write(line)
		buf.WriteByte('\n')
	}
	if l.size+int64(buf.Len()) > maxSize {
		return fmt.Errorf("the session would be larger than %d MiB: start a new one", maxSize>>20)
	}
	n, err := l.file.WriteAt(buf.Bytes(), l.size)
	if err != nil {
		// An incomplete line would damage the next one.
		return errors.Join(err, l.file.Truncate(l.size))
	}
	l.size += int64(n)
	return nil
}

// Close closes the session, so that other processes can open it.
func (l *Log) Close() error { return l.file.Close() }

// redactItem returns it with secrets replaced by markers.
func redactItem(it Item) Item {
	c := secret.Cleaner{Want: secret.Secrets}
	it.Text, _ = c.RedactText(it.Text)
	if it.Message == nil {
		return it
	}
	m := *it.Message
	m.Content, _ = c.RedactText(m.Content)
	m.ToolCalls = slices.Clone(m.ToolCalls)
	for i := range m.ToolCalls {
		f := &m.ToolCalls[i].Function
		f.Name, _ = c.RedactText(f.Name) // it may be anything if there is no such tool
		f.Arguments = redactArguments(&c, f.Arguments)
	}
	it.Message = &m
	return it
}

// redactArguments returns the arguments of a call with secrets replaced by markers.
func redactArguments(c *secret.Cleaner, arguments string) string {
	if json.Valid([]byte(arguments)) {
		out, _ := c.RedactJSON([]byte(arguments))
		return string(out)
	}
	out, _ := c.RedactText(arguments)
	return out
}

// An Entry describes a session in a list.
type Entry struct {
	ID    string    `json:"id"`
	Began time.Time `json:"began"`
	Last  time.Time `json:"last"`
	Dir   string    `json:"dir"`
	File  string    `json:"file"`
	First string    `json:"first"` // the first message of the user
	Ended bool      `json:"ended"`
}

// List returns the sessions, newest first.
func (s Store) List() ([]Entry, error) {
	names, err := s.Dir.Names(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, n := range names {
		id, ok := strings.CutSuffix(n, suffix)
		if !ok {
			continue
		}
		if e, ok := s.readEntry(id); ok {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b Entry) int { return b.Last.Compare(a.Last) })
	return out, nil
}

// readEntry returns the entry of the session id, which may be open in another process. It reports
// false if it cannot be read or has no items.
func (s Store) readEntry(id string) (Entry, bool) {
	data, err := s.Dir.Read(folder+"/"+id+suffix, maxSize)
	if err != nil {
		return Entry{}, false
	}
	e := Entry{ID: id}
	for line := range bytes.Lines(data) {
		var it Item
		if json.Unmarshal(line, &it) != nil {
			break
		}
		e.Last = it.At
		switch {
		case it.Kind == Begin:
			e.Began, e.Dir, e.File = it.At, it.Dir, it.File
		case it.Kind == Said && e.First == "" && it.Message != nil && it.Message.Role == model.User:
			e.First = it.Message.Content
		}
		e.Ended = it.Kind == Ended
	}
	return e, !e.Last.IsZero()
}

// pruneOld removes sessions that were not changed for maxAge. It ignores errors, since the next call
// tries again.
func (s Store) pruneOld() {
	names, err := s.Dir.Names(folder)
	if err != nil {
		return
	}
	for _, n := range names {
		info, err := os.Lstat(s.Dir.Path(folder, n))
		if err == nil && strings.HasSuffix(n, suffix) && s.Now().Sub(info.ModTime()) > maxAge {
			_ = s.Dir.Remove(folder + "/" + n) // if it fails, the next time
		}
	}
}
