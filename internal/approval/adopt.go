package approval

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// StoredApprovals is the contents of a file of approvals that are not in force, or only partly.
type StoredApprovals struct {
	Approvals []Approval
	Off       bool           // it turns the master switch off
	Disabled  []DisabledHook // hooks that it disables
}

// UnsealedApprovals returns the approvals that an older build wrote without a seal and that no person
// has adopted yet, or nil if there are none.
func (s *Store) UnsealedApprovals() *StoredApprovals {
	if !s.book.unsealed {
		return nil
	}
	return s.book.storedApprovals()
}

func (b *book) storedApprovals() *StoredApprovals {
	return &StoredApprovals{b.approvals, b.off, b.disabled}
}

// ReadUnverified returns the contents of the file of approvals without checking its seal, or nil if
// there is no file.
func ReadUnverified(dir state.Dir) (*StoredApprovals, error) {
	b, err := readUnverifiedBook(dir)
	if state.IsMissing(err) {
		return nil, nil
	}
	return b.storedApprovals(), err
}

// readUnverifiedBook reads the book without checking its seal. It returns an error if there is none.
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

// Adopt seals the approvals that an older build wrote without a seal. It must be called only when a
// person confirmed that in a terminal.
func Adopt(dir state.Dir) error { return sealBook(dir, readBook) }

// Reseal seals the approvals in the file after a person saw and confirmed them. It turns on everything
// that the file turns off. A file that cannot be parsed is replaced by one without approvals.
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

// sealBook saves the book that from returns, with a seal, while it holds the lock.
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
