package seal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// CheckpointsFile holds a ledger's own checkpoints, one per line.
const CheckpointsFile = "checkpoints.jsonl"

const (
	keptCheckpoints = 10_000   // the newest ones, in addition to the first
	trimAt          = 5 << 20  // bytes; keptCheckpoints take about 3.6 MB
	maxCheckpoints  = 64 << 20 // bytes read from a file of checkpoints
)

// A Checkpoint is a signed statement that a ledger ended with a certain record at some time. A copy
// that is stored elsewhere shows whether the ledger is unchanged up to that record.
type Checkpoint struct {
	Ledger  string      `json:"ledger"`
	Segment int         `json:"segment"`
	Seq     uint64      `json:"seq"`
	Hash    ledger.Hash `json:"hash"`
	Time    time.Time   `json:"time"` // of the signature
	Key     string      `json:"key"`  // id of the public key
	Sig     string      `json:"sig"`  // in hex
}

// signedText returns the text that the signature covers, the line up to the signature.
//
//	{"v":1,"kind":"checkpoint","ledger":"…","segment":3,"seq":17,"hash":"…","time":"…","key":"…"
func (c *Checkpoint) signedText() []byte {
	b := append([]byte(`{"v":1,"kind":"checkpoint","ledger":`), rawjson.Quote(c.Ledger)...)
	b = strconv.AppendInt(append(b, `,"segment":`...), int64(c.Segment), 10)
	b = strconv.AppendUint(append(b, `,"seq":`...), c.Seq, 10)
	b = hex.AppendEncode(append(b, `,"hash":"`...), c.Hash[:])
	b = c.Time.UTC().AppendFormat(append(b, `","time":"`...), ledger.TimeLayout)
	return append(append(b, `","key":`...), rawjson.Quote(c.Key)...)
}

// Line returns the checkpoint as a line with its newline, the form in which it is stored and passed to
// witnesses.
func (c *Checkpoint) Line() []byte {
	b := append(c.signedText(), `,"sig":`...)
	return append(append(b, rawjson.Quote(c.Sig)...), "}\n"...)
}

// ParseCheckpoint parses the line of a checkpoint, with or without its newline. It does not check the
// signature.
func ParseCheckpoint(line []byte) (Checkpoint, error) {
	line = bytes.TrimSuffix(line, []byte("\n"))
	var c Checkpoint
	// A checkpoint is exactly what Line returns, so that it contains nothing unsigned.
	if json.Unmarshal(line, &c) != nil || !bytes.Equal(bytes.TrimSuffix(c.Line(), []byte("\n")), line) {
		return Checkpoint{}, errors.New("not a checkpoint, or changed since it was written")
	}
	return c, nil
}

// IsSignedBy reports whether the signature is valid for key.
func (c *Checkpoint) IsSignedBy(key PublicKey) bool {
	return c.Key == key.ID() && key.verify(c.signedText(), c.Sig)
}

// TakeCheckpoint signs the current end of the ledger in dir, adds the checkpoint to the ledger's own
// and returns it. If the last one is for the same record, it returns that one, and fresh is false. If
// the ledger has no records, the checkpoint is nil.
func TakeCheckpoint(dir string, now time.Time) (c *Checkpoint, fresh bool, err error) {
	key, err := ReadKey(dir)
	if err != nil {
		return nil, false, err
	}
	files := state.NewDir(dir)
	unlock, err := files.Lock(CheckpointsFile)
	if err != nil {
		return nil, false, fmt.Errorf("taking a checkpoint: %w", err)
	}
	defer unlock()
	head, err := readHead(dir, key)
	if err != nil {
		return nil, false, fmt.Errorf("taking a checkpoint: %w: the next record repairs it; "+
			"checkrein audit verify shows what is left", err)
	}
	if head.Seq == 0 {
		return nil, false, nil
	}
	kept, err := files.Read(CheckpointsFile, maxCheckpoints)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, fmt.Errorf("taking a checkpoint: %w", err)
	}
	if last, err := ParseCheckpoint(lastLine(kept)); err == nil && last.Seq == head.Seq && last.Hash == head.Hash {
		return &last, false, nil
	}
	if err := syncSegment(dir, head.Segment); err != nil {
		return nil, false, fmt.Errorf("taking a checkpoint: %w", err)
	}
	signer := NewSigner(key)
	c = &Checkpoint{Ledger: signer.id, Segment: head.Segment, Seq: head.Seq, Hash: head.Hash, Time: now, Key: signer.Public().ID()}
	c.Sig = signer.sign(c.signedText())
	if err := files.Write(CheckpointsFile, appendCheckpoint(kept, c.Line())); err != nil {
		return nil, false, fmt.Errorf("taking a checkpoint: %w", err)
	}
	return c, true, nil
}

// syncSegment waits until the segment with this number is on disk. A checkpoint may survive a power
// failure, so the records that it confirms must survive it too.
func syncSegment(dir string, number int) error {
	f, err := ledger.OpenSegment(dir, number)
	if err != nil {
		return err
	}
	f.Close()
	// Not every system syncs files that are open for reading only.
	f, err = os.OpenFile(f.Name(), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is full now, and the writer that renamed it has synced it
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// appendCheckpoint returns kept, a file of checkpoints, with line appended. If there are too many, it
// drops old ones except for the first.
func appendCheckpoint(kept, line []byte) []byte {
	if n := len(kept); n > 0 && kept[n-1] != '\n' {
		kept = append(kept, '\n')
	}
	kept = append(kept, line...)
	if len(kept) <= trimAt {
		return kept
	}
	lines := bytes.SplitAfter(kept, []byte("\n")) // with an empty one at the end
	if len(lines) <= keptCheckpoints+2 {
		return kept
	}
	newest := lines[len(lines)-1-keptCheckpoints:]
	return append(bytes.Clone(lines[0]), bytes.Join(newest, nil)...)
}

// lastLine returns the last line of data without its newline.
func lastLine(data []byte) []byte {
	data = bytes.TrimSuffix(data, []byte("\n"))
	return data[bytes.LastIndexByte(data, '\n')+1:]
}

// readHead reads the head of the ledger in dir. Writers change it in place, so a reader without their
// lock may see a partial change. In that case readHead tries again.
func readHead(dir string, key ledger.Key) (ledger.Head, error) {
	var head ledger.Head
	for range 5 {
		data, err := state.ReadHead(filepath.Join(dir, ledger.HeadFile), 4<<10)
		if err != nil {
			return ledger.Head{}, err
		}
		if head, err = ledger.ParseHead(data, key); !errors.Is(err, ledger.ErrHead) {
			return head, err
		}
		time.Sleep(time.Millisecond)
	}
	return ledger.Head{}, ledger.ErrHead
}
