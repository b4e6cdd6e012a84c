package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// Limits of a batch.
const (
	// MaxBatch is how many bytes of lines a machine collects before it sends a batch. One line can be
	// longer than that.
	MaxBatch = 768 << 10
	// MaxBatchPlain limits a batch after decompression.
	MaxBatchPlain = MaxBatch + 2*ledger.MaxLine
	// MaxBatchBody limits a batch as it is sent. It fits in a message of an existing NATS cluster
	// without changes to its configuration.
	MaxBatchBody = 1<<20 - 8<<10
)

// A Head says where a ledger ends. The zero Head is the beginning of every ledger.
type Head struct {
	Ledger string      `json:"ledger"`
	Seq    uint64      `json:"seq"`
	Hash   ledger.Hash `json:"hash"`
}

// A BatchHeader begins a batch, a run of consecutive records of one ledger. The text of a batch is the
// header as a line of JSON, followed by lines of three kinds:
//
//   - a record, exactly as in the ledger,
//   - a withheld record, {"withheld":1,"seq":…,"prev":"…","hash":"…"}: its place in the chain without
//     what it says, because the policy excludes its project,
//   - a checkpoint of the ledger, which follows the record that it confirms.
type BatchHeader struct {
	Ledger string      `json:"ledger"`
	After  uint64      `json:"after"` // the number of the record before the first one
	Hash   ledger.Hash `json:"hash"`  // its hash
	Key    string      `json:"key"`   // the public key of the ledger, in hex
	User   string      `json:"user"`  // whose ledger it is
	// Break is set if the batch does not continue what the hub has, and says what the machine knows
	// of the cause. The hub takes the batch, and reports the break to its people.
	Break string `json:"break,omitempty"`
}

// A Withheld is the place of a record in the chain.
type Withheld struct {
	Seq  uint64
	Prev ledger.Hash
	Hash ledger.Hash
}

const withheldPrefix = `{"withheld":1,"seq":`

// AppendWithheld appends the line of a record that is withheld to dst.
func AppendWithheld(dst []byte, line *ledger.Line) []byte {
	dst = strconv.AppendUint(append(dst, withheldPrefix...), line.Seq, 10)
	return fmt.Appendf(dst, `,"prev":"%s","hash":"%s"}`+"\n", line.Prev, line.Hash)
}

// ErrNotNext means that a batch does not continue what the hub has.
var ErrNotNext = errors.New("the batch does not continue the records that the hub has")

// A BrokenError reports a batch that no ledger contains: a record was changed, or the order of records.
type BrokenError struct {
	Line int // in the batch; the header is line 1
	Why  string
}

func (e *BrokenError) Error() string { return fmt.Sprintf("line %d of the batch: %s", e.Line, e.Why) }

// A Visitor gets the lines of a batch in order. Its functions must not keep the lines.
type Visitor struct {
	Record     func(*ledger.Line)
	Withheld   func(Withheld)
	Checkpoint func(*seal.Checkpoint)
}

// ParseBatchHeader returns the header of the batch text and the lines after it.
func ParseBatchHeader(text []byte) (h BatchHeader, lines []byte, err error) {
	line, lines, ok := bytes.Cut(text, []byte("\n"))
	if !ok || json.Unmarshal(line, &h) != nil || h.Ledger == "" {
		return h, nil, &BrokenError{1, "it is not the header of a batch"}
	}
	return h, lines, nil
}

// CheckBatch verifies that the records in lines follow each other without a gap or a change after the
// record in from, and returns the head after them. It passes each line to v.
func CheckBatch(lines []byte, from Head, v Visitor) (Head, error) {
	at := from
	for number := 2; len(lines) > 0; number++ {
		raw, rest, ok := bytes.Cut(lines, []byte("\n"))
		if !ok {
			return from, &BrokenError{number, "it is truncated"}
		}
		lines = rest
		if bytes.HasPrefix(raw, []byte(`{"v":1,"kind":"checkpoint"`)) {
			c, err := seal.ParseCheckpoint(raw)
			if err != nil || c.Ledger != at.Ledger || c.Seq != at.Seq || c.Hash != at.Hash {
				return from, &BrokenError{number, "the checkpoint is not for the record before it"}
			}
			v.Checkpoint(&c)
			continue
		}
		var w Withheld
		var line ledger.Line
		held := bytes.HasPrefix(raw, []byte(withheldPrefix))
		if held {
			var err error
			if w, err = parseWithheld(raw); err != nil {
				return from, &BrokenError{number, err.Error()}
			}
		} else {
			var err error
			if line, err = ledger.ParseLine(raw); err != nil {
				return from, &BrokenError{number, err.Error()}
			}
			w = Withheld{line.Seq, line.Prev, line.Hash}
		}
		if w.Seq != at.Seq+1 || w.Prev != at.Hash {
			return from, &BrokenError{number, fmt.Sprintf("record %d does not follow record %d", w.Seq, at.Seq)}
		}
		at.Seq, at.Hash = w.Seq, w.Hash
		if held {
			v.Withheld(w)
		} else {
			v.Record(&line)
		}
	}
	return at, nil
}

// parseWithheld parses the line of a record that is withheld.
func parseWithheld(raw []byte) (Withheld, error) {
	number, _ := rawjson.Get(raw, "seq")
	seq, err := strconv.ParseUint(string(number), 10, 64)
	prev, ok := ledger.ParseHash(rawjson.GetText(raw, "prev"))
	hash, ok2 := ledger.ParseHash(rawjson.GetText(raw, "hash"))
	if err != nil || !ok || !ok2 {
		return Withheld{}, errors.New("it is not a withheld record")
	}
	return Withheld{seq, prev, hash}, nil
}
