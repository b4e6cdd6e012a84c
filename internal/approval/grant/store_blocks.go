package grant

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

const (
	blocksDir = "blocks"
	maxBlock  = 256 << 10
	maxBlocks = 2000 // beyond it old ones go
)

// Keep remembers a block and gives it its handle: that which it has, if it was
// blocked before.
func (s *Store) Keep(b *Block, key []byte) error {
	b.Sum = b.sum(key)
	b.At, b.Times = s.Now(), 1
	unlock, err := s.Dir.Lock(blocksDir)
	if err != nil {
		return err
	}
	defer unlock()
	for _, handle := range candidates(b.Sum) {
		have, err := s.brief(handle)
		switch {
		case err == nil && have.Sum == b.Sum:
			b.Times, b.Wrong = have.Times, have.Wrong
			if b.Call == "" || b.Call != have.Call { // hosts ask twice about one
				b.Times++
			}
		case err == nil, !errors.Is(err, ErrUnknown): // of another, or unreadable
			continue
		}
		b.Handle = handle
		data, err := b.encode(key)
		if err != nil {
			return err
		}
		return s.Dir.WriteFast(blocksDir+"/"+handle, data) // the agent waits
	}
	return errors.New("no handle is left")
}

// Block finds a block by its handle. One that is older than a day is forgotten.
func (s *Store) Block(handle string) (*Block, error) {
	b, err := s.block(handle)
	if err == nil && len(b.By) == 0 {
		return nil, fmt.Errorf("handle %s was dropped because there were too many: %w", handle, ErrUnknown)
	}
	return b, err
}

// block is Block for those as well of which only the handle is kept.
func (s *Store) block(handle string) (*Block, error) {
	var b Block
	if err := s.readBlock(handle, &b, func() *brief { return &brief{Handle: b.Handle, At: b.At} }); err != nil {
		return nil, err
	}
	return &b, nil
}

// A brief is what tells blocks apart.
type brief struct {
	Handle string `json:"handle"`
	Sum    string `json:"sum"`
	At     Moment `json:"at"`
	Times  int    `json:"times"`
	Call   string `json:"call"`
	Wrong  string `json:"wrong"`
}

func (s *Store) brief(handle string) (*brief, error) {
	var b brief
	return &b, s.readBlock(handle, &b, func() *brief { return &b })
}

// readBlock reads the file of a handle into v, of which is tells the handle and time.
func (s *Store) readBlock(handle string, v any, is func() *brief) error {
	if !IsHandle(handle) {
		return fmt.Errorf("handle %q: %w", handle, ErrUnknown)
	}
	data, err := s.Dir.Read(blocksDir+"/"+handle, maxBlock)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("handle %s: %w", handle, ErrUnknown)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil || is().Handle != handle {
		return fmt.Errorf("handle %s: %w", handle, ErrUnknown)
	}
	if d, ok := s.Now().since(is().At); !ok && d < 0 || d > Life {
		return fmt.Errorf("handle %s is older than a day: %w", handle, ErrUnknown)
	}
	return nil
}

// Blocks returns the blocks of the last day, the newest first.
func (s *Store) Blocks() ([]*Block, error) {
	names, err := s.Dir.Names(blocksDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []*Block
	for _, name := range names {
		if b, err := s.Block(name); err == nil {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, newest)
	return out, err
}

// Wrong notes that a person called a block a false alarm.
func (s *Store) Wrong(handle, why string) (*Block, error) {
	unlock, err := s.Dir.Lock(blocksDir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	b, err := s.Block(handle)
	if err != nil {
		return nil, err
	}
	if b.Wrong = why; why == "" {
		b.Wrong = "a false alarm"
	}
	data, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return b, s.Dir.Write(blocksDir+"/"+handle, data)
}

// Sweep removes the blocks that are forgotten. Of the oldest of too many it keeps the
// handles, which must not name another call on the same day.
func (s *Store) Sweep() error {
	names, err := s.Dir.Names(blocksDir)
	if err != nil {
		return nil // nothing was blocked yet
	}
	unlock, err := s.Dir.Lock(blocksDir)
	if err != nil {
		return err
	}
	defer unlock()
	var live []*Block
	for _, name := range names {
		b, err := s.block(name)
		switch {
		case err != nil:
			err = s.Dir.Remove(blocksDir + "/" + name)
		case len(b.By) > 0:
			live = append(live, b)
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(live, newest)
	for _, b := range live[min(len(live), maxBlocks):] {
		data, err := json.Marshal(&Block{Handle: b.Handle, Sum: b.Sum, At: b.At})
		if err == nil {
			err = s.Dir.Write(blocksDir+"/"+b.Handle, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newest(a, b *Block) int { return b.At.Wall.Compare(a.At.Wall) }
