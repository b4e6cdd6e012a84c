package approval

import (
	"fmt"

	"github.com/checkrein/checkrein/internal/sys/state"
)

// Contents is what stands in a file of approvals that does not count, or not in full.
type Contents struct {
	Approvals []Approval
	Off       bool       // the master switch is off in it
	Disabled  []Disabled // hooks that are switched off in it
}

// Unsealed returns what an older build left without a seal and no person has adopted yet;
// nil = there is nothing of the kind.
func (s *Store) Unsealed() *Contents {
	if !s.book.unsealed {
		return nil
	}
	return s.book.contents()
}

func (b *book) contents() *Contents { return &Contents{b.approvals, b.off, b.disabled} }

// LookAt returns what stands in the file, whether it counts or not; nil = there is none.
func LookAt(dir state.Dir) (*Contents, error) {
	b, err := readAny(dir)
	if state.IsMissing(err) {
		return nil, nil
	}
	return b.contents(), err
}

// readAny reads the book without a look at its seal.
func readAny(dir state.Dir) (book, error) {
	data, err := dir.Read(bookName, bookLimit)
	if err != nil {
		return book{}, err
	}
	b, err := decode(state.UncheckedBody(data))
	if err != nil {
		return book{}, fmt.Errorf("%s is damaged: %w", dir.Path(bookName), err)
	}
	return b, nil
}

// Adopt seals what an older build left: a person at a terminal runs this build.
func Adopt(dir state.Dir) error { return reseal(dir, read) }

// Reseal seals the approvals that stand in the file, because a person saw and confirmed
// them. What is switched off in it is switched on; a file that cannot be read is replaced
// by one without approvals.
func Reseal(dir state.Dir) error {
	return reseal(dir, func(dir state.Dir) (book, error) {
		b, err := readAny(dir)
		if err != nil {
			b = book{}
		}
		b.off, b.disabled = false, nil
		return b, nil
	})
}

func reseal(dir state.Dir, from func(state.Dir) (book, error)) error {
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
