package approval

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// StoredApprovals is what a file of approvals holds that is not in force, or not in full.
type StoredApprovals struct {
	Approvals []Approval
	Off       bool           // it turns the master switch off
	Disabled  []DisabledHook // hooks that it disables
}

// UnsealedApprovals returns what an older build left without a seal and no person has adopted yet, or
// nil if there is nothing.
func (s *Store) UnsealedApprovals() *StoredApprovals {
	if !s.book.unsealed {
		return nil
	}
	return s.book.storedApprovals()
}

func (b *book) storedApprovals() *StoredApprovals {
	return &StoredApprovals{b.approvals, b.off, b.disabled}
}

// ReadUnverified returns what the file of approvals holds without checking its seal, or nil if there
// is no file.
func ReadUnverified(dir state.Dir) (*StoredApprovals, error) {
	b, err := readUnverifiedBook(dir)
	if state.IsMissing(err) {
		return nil, nil
	}
	return b.storedApprovals(), err
}

// readUnverifiedBook reads the book without checking its seal.
func readUnverifiedBook(dir state.Dir) (book, error) {
	data, err := dir.Read(bookName, bookLimit)
	if err != nil {
		return book{}, err
	}
	b, err := decodeBook(state.UncheckedBody(data))
	if err != nil {
		return book{}, fmt.Errorf("%s is damaged: %w", dir.Path(bookName), err)
	}
	return b, nil
}

// Adopt seals the approvals that an older build left. A person runs it in a terminal.
func Adopt(dir state.Dir) error { return sealBook(dir, readBook) }

// Reseal seals the approvals in the file after a person saw and confirmed them. Everything that the
// file turns off is turned on. A file that cannot be read is replaced by one without approvals.
func Reseal(dir state.Dir) error {
	return sealBook(dir, func(dir state.Dir) (book, error) {
		b, err := readUnverifiedBook(dir)
		if err != nil {
			b = book{}
		}
		b.off, b.disabled = false, nil
		return b, nil
	})
}

// sealBook seals the book that from returns, under its lock.
func sealBook(dir state.Dir, from func(state.Dir) (book, error)) error {
	unlock, err := dir.Lock(bookName)
	if err != nil {
		return err
	}
	defer unlock()
	b, err := from(dir)
	if err != nil {
		return err
	}
	return b.save(dir, true)
}
