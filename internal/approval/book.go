package approval

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

const (
	bookName    = state.TrustFile
	bookVersion = 1
	bookLimit   = 8 << 20 // bytes, about ten thousand approvals
)

// A book is the contents of the file of approvals, trust.json.
type book struct {
	unsealed  bool // an older build wrote it and no person has adopted it: what it turns off stays on
	off       bool
	disabled  []DisabledHook
	approvals []Approval
}

// readBook reads the book from disk. It returns an empty book if the file is missing, or together with
// an error.
func readBook(dir state.Dir) (book, error) {
	data, unsealed, err := dir.ReadSealed(bookName, bookLimit)
	if state.IsMissing(err) {
		return book{}, nil
	}
	if err != nil {
		return book{}, fmt.Errorf("reading approvals: %w", err)
	}
	b, err := decodeBook(data)
	if err != nil {
		return book{}, fmt.Errorf("%s is damaged: run %s in your own terminal, then approve your hooks again: %w", dir.Path(bookName), state.ResealCommand, err)
	}
	b.unsealed = unsealed
	return b, nil
}

// changeBook calls alter with the book while it holds the lock, and writes the book if alter returns
// true. It does not replace a damaged book, since that would lose a person's decisions. It removes
// stored contents that no approval names any more. If loosens is set, the change is made only if the
// ledger can record it.
func changeBook(dir state.Dir, loosens bool, alter func(*book) (bool, error)) error {
	unlock, err := dir.Lock(bookName)
	if err != nil {
		return fmt.Errorf("saving approvals: %w", err)
	}
	defer unlock()
	b, err := readBook(dir)
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

// save writes the book and removes contents that it does not name; see changeBook for loosens.
func (b *book) save(dir state.Dir, loosens bool) error {
	data, err := b.encode()
	if err != nil {
		return fmt.Errorf("saving approvals: %w", err)
	}
	if err := dir.WriteSealed(bookName, data, loosens); err != nil && (loosens || !errors.Is(err, state.ErrNotRecorded)) {
		return fmt.Errorf("saving approvals: %w", err)
	}
	removeUnusedContent(dir, b.approvals)
	return nil
}

// encode returns the book as JSON with one approval per line, which every hook call can read quickly
// and people can read too.
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
		return nil, errors.New("there are too many approvals: revoke some with checkrein hooks revoke")
	}
	return buf.Bytes(), nil
}

// decodeBook decodes what encode returns. It returns an error if data is invalid or of another
// version.
func decodeBook(data []byte) (book, error) {
	var as struct {
		Version   int            `json:"version"`
		Off       bool           `json:"off"`
		Disabled  []DisabledHook `json:"disabled"`
		Approvals []Approval     `json:"approvals"`
	}
	if err := json.Unmarshal(data, &as); err != nil {
		return book{}, err
	}
	if as.Version != bookVersion {
		return book{}, fmt.Errorf("version is %d, but must be %d", as.Version, bookVersion)
	}
	for i := range as.Disabled {
		if d := &as.Disabled[i]; d.Event == "" || d.ID == "" {
			return book{}, errors.New("disabled: a record is incomplete")
		}
	}
	for i := range as.Approvals {
		if err := as.Approvals[i].validate(); err != nil {
			return book{}, fmt.Errorf("approvals: %w", err)
		}
	}
	return book{off: as.Off, disabled: as.Disabled, approvals: as.Approvals}, nil
}

// validate returns an error if a, as read from disk, is invalid.
func (a *Approval) validate() error {
	switch {
	case a.File == "" || a.Event == "" || a.Key == "":
		return errors.New("a record is incomplete")
	case !isDigest(a.Digest) || a.Text != "" && !isDigest(a.Text):
		return errors.New("a record has no SHA-256 hash of its definition")
	case a.Tools != nil && a.Tools.By > 1:
		return errors.New("a record has an unknown matching rule")
	case len(a.Seen) > 0 && rawjson.Kind(a.Seen) != '[':
		return errors.New("the observations of a record are not a list")
	}
	for _, files := range [...][]FileDigest{a.Files, a.Parts} {
		for i := range files {
			if files[i].Path == "" || !isDigest(files[i].SHA256) {
				return errors.New("the record of a file is incomplete")
			}
		}
	}
	return nil
}

func isDigest(s string) bool {
	sum, err := hex.DecodeString(s)
	return err == nil && len(sum) == sha256.Size
}
