package grant

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

const (
	BlocksDir = "blocks"
	maxBlock  = 256 << 10
	maxBlocks = 2000 // older ones are reduced to their handles
)

// SaveBlock stores b under key and sets its handle. A call that was blocked before keeps its handle.
func (s *Store) SaveBlock(b *Block, key []byte) error {
	b.Digest = b.computeDigest(key)
	b.At, b.Times = s.Now(), 1
	unlock, err := s.Dir.Lock(BlocksDir)
	if err != nil {
		return err
	}
	defer unlock()
	for _, handle := range handleCandidates(b.Digest) {
		have, err := s.readSummary(handle)
		switch {
		case err == nil && have.Digest == b.Digest:
			b.Times, b.Wrong = have.Times, have.Wrong
			if b.Call == "" || b.Call != have.Call { // hosts may ask twice about one call
				b.Times++
			}
		case err == nil, !errors.Is(err, ErrUnknown): // used by another block, or unreadable
			continue
		}
		b.Handle = handle
		data, err := b.encode(key)
		if err != nil {
			return err
		}
		return s.Dir.WriteFast(BlocksDir+"/"+handle, data) // without syncing: the agent is waiting
	}
	return errors.New("all handles for this call are in use")
}

// Block returns the block with this handle. The error is ErrUnknown if there is none, or if it is
// older than a day.
func (s *Store) Block(handle string) (*Block, error) {
	b, err := s.anyBlock(handle)
	if err == nil && len(b.By) == 0 {
		return nil, fmt.Errorf("handle %s was dropped because too many calls were blocked: %w", handle, ErrUnknown)
	}
	return b, err
}

// anyBlock is Block, but also returns blocks that were reduced to their handles.
func (s *Store) anyBlock(handle string) (*Block, error) {
	var b Block
	if err := s.readBlock(handle, &b, func() *blockSummary { return &blockSummary{Handle: b.Handle, At: b.At} }); err != nil {
		return nil, err
	}
	return &b, nil
}

// A blockSummary holds the fields that identify a block.
type blockSummary struct {
	Handle string `json:"handle"`
	Digest string `json:"sum"`
	At     Moment `json:"at"`
	Times  int    `json:"times"`
	Call   string `json:"call"`
	Wrong  string `json:"wrong"`
}

// readSummary reads the fields that identify the block with this handle.
func (s *Store) readSummary(handle string) (*blockSummary, error) {
	var b blockSummary
	return &b, s.readBlock(handle, &b, func() *blockSummary { return &b })
}

// readBlock reads the block with this handle into v. summary returns the handle and time in v after
// that. The error is ErrUnknown if there is none, or if it is older than a day.
func (s *Store) readBlock(handle string, v any, summary func() *blockSummary) error {
	if !IsHandle(handle) {
		return fmt.Errorf("handle %q: %w", handle, ErrUnknown)
	}
	data, err := s.Dir.Read(BlocksDir+"/"+handle, maxBlock)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("handle %s: %w", handle, ErrUnknown)
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil || summary().Handle != handle {
		return fmt.Errorf("handle %s: %w", handle, ErrUnknown)
	}
	if d, ok := s.Now().since(summary().At); !ok && d < 0 || d > Life {
		return fmt.Errorf("handle %s is older than a day: %w", handle, ErrUnknown)
	}
	return nil
}

// Blocks returns the blocks of the last day, newest first.
func (s *Store) Blocks() ([]*Block, error) {
	names, err := s.Dir.Names(BlocksDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []*Block
	for _, name := range names {
		if b, err := s.Block(name); err == nil {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, compareNewestFirst)
	return out, err
}

// MarkFalseAlarm records that a person called a block a false alarm.
func (s *Store) MarkFalseAlarm(handle, why string) (*Block, error) {
	unlock, err := s.Dir.Lock(BlocksDir)
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
	return b, s.Dir.Write(BlocksDir+"/"+handle, data)
}

// RemoveExpiredBlocks removes blocks older than a day. If there are too many, it reduces the oldest to
// their handles, which are kept because they must not name another call on the same day.
func (s *Store) RemoveExpiredBlocks() error {
	names, err := s.Dir.Names(BlocksDir)
	if err != nil {
		return nil // nothing was blocked yet
	}
	unlock, err := s.Dir.Lock(BlocksDir)
	if err != nil {
		return err
	}
	defer unlock()
	var live []*Block
	for _, name := range names {
		b, err := s.anyBlock(name)
		switch {
		case err != nil:
			err = s.Dir.Remove(BlocksDir + "/" + name)
		case len(b.By) > 0:
			live = append(live, b)
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(live, compareNewestFirst)
	for _, b := range live[min(len(live), maxBlocks):] {
		data, err := json.Marshal(&Block{Handle: b.Handle, Digest: b.Digest, At: b.At})
		if err == nil {
			err = s.Dir.Write(BlocksDir+"/"+b.Handle, data)
		}
		if err != nil {
			return err
		}
	}
	return s.removeOldAnswers()
}

func compareNewestFirst(a, b *Block) int { return b.At.Wall.Compare(a.At.Wall) }
