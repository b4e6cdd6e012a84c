package approval

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	bookName    = state.TrustFile
	bookVersion = 1
	bookLimit   = 8 << 20 // bytes, about ten thousand approvals
)

// A book is what trust.json holds.
type book struct {
	unsealed  bool // an older build wrote it, and no person has adopted it: what it switches off stays on
	off       bool
	disabled  []Disabled
	approvals []Approval
}

// read returns the book as it is on disk. A missing one is empty, and so is the
// one beside an error.
func read(dir state.Dir) (book, error) {
	data, unsealed, err := dir.ReadSealed(bookName, bookLimit)
	if state.Missing(err) {
		return book{}, nil
	}
	if err != nil {
		return book{}, fmt.Errorf("reading approvals: %w", err)
	}
	b, err := decode(data)
	if err != nil {
		return book{}, fmt.Errorf("%s is damaged: run %s in your own terminal, then approve your hooks again: %w", dir.Path(bookName), state.ResealCommand, err)
	}
	b.unsealed = unsealed
	return b, nil
}

// change alters the book under its lock, and writes it when alter says so. A
// damaged book is not replaced: that would forget what a person decided.
// Content that no approval names any more goes with the old book. With loosens,
// the change is made only if the ledger can record it.
func change(dir state.Dir, loosens bool, alter func(*book) (bool, error)) error {
	unlock, err := dir.Lock(bookName)
	if err != nil {
		return fmt.Errorf("saving approvals: %w", err)
	}
	defer unlock()
	b, err := read(dir)
	if err != nil {
		return err
	}
	if b.unsealed {
		b.off, b.disabled = false, nil
	}
	if altered, err := alter(&b); err != nil || !altered {
		return err
	}
	return b.save(dir, loosens)
}

func (b *book) save(dir state.Dir, loosens bool) error {
	data, err := b.encode()
	if err != nil {
		return fmt.Errorf("saving approvals: %w", err)
	}
	if err := dir.WriteSealed(bookName, data, loosens); err != nil && (loosens || !errors.Is(err, state.ErrNotRecorded)) {
		return fmt.Errorf("saving approvals: %w", err)
	}
	dropContent(dir, b.approvals)
	return nil
}

// encode puts each approval on a line of its own: less to read for every hook
// call, and still something for people.
func (b *book) encode() ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf) // ends each value with a newline
	enc.SetEscapeHTML(false)     // people read commands here
	disabled, err := b.encodeDisabled()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&buf, "{\"version\":%d,\"off\":%t,%s\"approvals\":[\n", bookVersion, b.off, disabled)
	for i := range b.approvals {
		if i > 0 {
			buf.WriteByte(',')
		}
		if err := enc.Encode(&b.approvals[i]); err != nil {
			return nil, err
		}
	}
	buf.WriteString("]}\n")
	if buf.Len() > bookLimit {
		return nil, errors.New("there are too many approvals: revoke some")
	}
	return buf.Bytes(), nil
}

// decode reads what encode wrote. It goes by hand because every hook call pays
// for it, and it trusts nothing: what it cannot read is an error.
func decode(data []byte) (book, error) {
	if err := rawjson.CheckObject(data); err != nil {
		return book{}, err
	}
	var b book
	var version string
	r := recordReader{}
	rawjson.Each(data, func(key string, val []byte) bool {
		switch key {
		case "version":
			version = string(val)
		case "off":
			b.off = r.flag(key, val)
		case "disabled":
			r.list(key, val, func(val []byte) { b.disabled = append(b.disabled, r.disabled(val)) })
		case "approvals":
			b.approvals = nil
			r.list(key, val, func(val []byte) { b.approvals = append(b.approvals, r.approval(val)) })
		}
		return r.err == nil
	})
	if r.err == nil && version != strconv.Itoa(bookVersion) {
		return book{}, fmt.Errorf("version is %q, but must be %d", version, bookVersion)
	}
	if r.err != nil {
		return book{}, r.err
	}
	return b, nil
}

// A recordReader reads the values of records and keeps the first error.
type recordReader struct{ err error }

func (r *recordReader) approval(val []byte) Approval {
	var a Approval
	r.object(val, func(key string, val []byte) {
		switch key {
		case "file":
			a.File = r.text(key, val)
		case "root":
			a.Root = r.text(key, val)
		case "agent":
			a.Agent = r.text(key, val)
		case "by_name":
			a.ByName = r.flag(key, val)
		case "event":
			a.Event = r.text(key, val)
		case "key":
			a.Key = r.text(key, val)
		case "id":
			a.ID = r.text(key, val)
		case "shows":
			a.Shows = r.text(key, val)
		case "gate":
			a.Gate = r.flag(key, val)
		case "tools":
			a.Tools = r.tools(val)
		case "digest":
			a.Digest = r.digest(key, val)
		case "text":
			a.Text = r.digest(key, val)
		case "files":
			a.Files = r.files(key, val)
		case "plan":
			a.Plan = int(r.number(key, val))
		case "parts":
			a.Parts = r.files(key, val)
		case "unsure":
			a.Unsure = r.texts(key, val)
		case "seen":
			if rawjson.Kind(val) != '[' {
				r.fail(key, "not a list")
			}
			a.Seen = val // most are never looked at
		case "vars":
			a.Vars = r.texts(key, val)
		case "inputs":
			a.Inputs = r.text(key, val)
		case "at":
			a.At = r.time(key, val)
		}
	})
	if a.File == "" || a.Event == "" || a.Key == "" || a.Digest == "" {
		r.fail("approvals", "a record is incomplete")
	}
	return a
}

func (r *recordReader) files(key string, val []byte) (out []FileSum) {
	r.list(key, val, func(val []byte) { out = append(out, r.file(val)) })
	return out
}

func (r *recordReader) texts(key string, val []byte) (out []string) {
	r.list(key, val, func(val []byte) { out = append(out, r.text(key, val)) })
	return out
}

func (r *recordReader) tools(val []byte) *Tools {
	var t Tools
	r.object(val, func(key string, val []byte) {
		switch key {
		case "match":
			t.Match = r.text(key, val)
		case "by":
			if t.By = checkrein.MatchRule(r.number(key, val)); t.By > checkrein.MatchWords {
				r.fail(key, "out of range")
			}
		case "dialect":
			t.Dialect = r.text(key, val)
		case "on_fault":
			if err := t.OnFault.UnmarshalText([]byte(r.text(key, val))); err != nil {
				r.fail(key, err.Error())
			}
		}
	})
	return &t
}

func (r *recordReader) file(val []byte) FileSum {
	var f FileSum
	r.object(val, func(key string, val []byte) {
		switch key {
		case "path":
			f.Path = r.text(key, val)
		case "name":
			f.Name = r.text(key, val)
		case "sha256":
			f.SHA256 = r.digest(key, val)
		case "mtime":
			f.MTime = r.time(key, val)
		case "size":
			f.Size = r.number(key, val)
		}
	})
	if f.Path == "" || f.SHA256 == "" {
		r.fail("files", "a record is incomplete")
	}
	return f
}

func (r *recordReader) object(val []byte, fn func(key string, val []byte)) {
	if rawjson.Kind(val) != '{' {
		r.fail("approvals", "a record is not an object")
	}
	rawjson.Each(val, func(key string, val []byte) bool {
		fn(key, val)
		return r.err == nil
	})
}

func (r *recordReader) list(key string, val []byte, fn func(val []byte)) {
	if rawjson.Kind(val) != '[' {
		r.fail(key, "not a list")
	}
	rawjson.Elements(val, func(_ int, val []byte) bool {
		fn(val)
		return r.err == nil
	})
}

func (r *recordReader) text(key string, val []byte) string {
	s, ok := rawjson.Text(val)
	if !ok {
		r.fail(key, "not a string")
	}
	return s
}

func (r *recordReader) flag(key string, val []byte) bool {
	if rawjson.Kind(val) != 'b' {
		r.fail(key, "must be true or false")
	}
	return string(val) == "true"
}

func (r *recordReader) digest(key string, val []byte) string {
	s := r.text(key, val)
	if sum, err := hex.DecodeString(s); err != nil || len(sum) != 32 {
		r.fail(key, "not a SHA-256 hash")
	}
	return s
}

func (r *recordReader) time(key string, val []byte) time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.text(key, val))
	if err != nil {
		r.fail(key, "not a time")
	}
	return t
}

func (r *recordReader) number(key string, val []byte) int64 {
	n, err := strconv.ParseInt(string(val), 10, 64)
	if err != nil {
		r.fail(key, "not a number")
	}
	return n
}

func (r *recordReader) fail(key, problem string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: %s", key, problem)
	}
}
