package records

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/approval/grant"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/secret/placeholder"
)

// ReadSegment calls fn for each line of the segment number, until fn returns false. It returns the
// position at which it stopped.
func ReadSegment(ctx context.Context, dir string, number int, fn func(*ledger.Entry) bool) (ledger.Position, error) {
	r := ledger.NewReader(dir, ledger.Position{Segment: number})
	defer r.Close()
	for ctx.Err() == nil {
		at := r.Position()
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return r.Position(), nil
		case err != nil:
			return at, err
		case e.At.Segment != number:
			return e.At, nil
		case !fn(&e):
			return r.Position(), nil
		}
	}
	return r.Position(), ctx.Err()
}

// Newest returns the lines of the newest selected records, oldest first, the position of the ledger's
// end, and the number of damaged lines. It returns at most most lines, or all if most is 0.
func Newest(ctx context.Context, dir string, choose *Selection, most int) (out [][]byte, end ledger.Position, damaged int, err error) {
	segments, err := ledger.Segments(dir)
	if err != nil {
		return nil, end, 0, err
	}
	for i := len(segments) - 1; i >= 0 && (most == 0 || len(out) < most); i-- {
		var here [][]byte
		at, err := ReadSegment(ctx, dir, segments[i].Number, func(e *ledger.Entry) bool {
			if e.Damaged {
				damaged++
				return true
			}
			if fits, _ := choose.FitsLine(&e.Line); fits {
				here = append(here, bytes.Clone(e.Line.Raw)) // the reader reuses its buffer
			}
			if most > 0 && len(here) > 2*most+64 { // free old lines now and then
				here = slices.Delete(here, 0, len(here)-most)
			}
			return true
		})
		if err != nil {
			return nil, end, damaged, err
		}
		if i == len(segments)-1 {
			end = at
		}
		out = append(here, out...)
	}
	if most > 0 && len(out) > most {
		out = out[len(out)-most:]
	}
	return out, end, damaged, nil
}

// NewestOne returns the line of the newest selected record, or nil if there is none.
func NewestOne(ctx context.Context, dir string, choose *Selection) ([]byte, error) {
	list, _, _, err := Newest(ctx, dir, choose, 1)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// A noRecordError means that the ledger has no record with this id.
type noRecordError struct{ id string }

// Error returns a message with the id, and how to list the records.
func (e noRecordError) Error() string {
	return fmt.Sprintf("there is no record %s. To list the records, run checkrein audit query", e.id)
}

// Find returns the line of the record that id names: its number, the handle of a block, the id in the
// marker of a redacted value, the beginning of its hash, or "last".
func Find(ctx context.Context, env *console.Env, dir, id string) ([]byte, error) {
	if id == "last" {
		line, err := NewestOne(ctx, dir, &Selection{})
		return orMissing(line, err, id)
	}
	word := strings.ToLower(strings.TrimPrefix(id, "#"))
	if seq, err := strconv.ParseUint(word, 10, 64); err == nil {
		line, forged, err := FindSeq(ctx, dir, seq)
		if forged {
			fmt.Fprintf(env.Stderr, "record %d was not written by a genuine writer of this ledger, so do not trust it. For details, run checkrein audit verify\n", seq)
		}
		if err != nil || line != nil || len(word) < minHash {
			return orMissing(line, err, id)
		}
	}
	if grant.IsHandle(word) {
		if line, err := NewestOne(ctx, dir, &Selection{handle: word}); err != nil || line != nil {
			return line, err
		}
		if len(word) < minHash {
			return nil, fmt.Errorf("no record has the handle %s. To list what was blocked, run checkrein audit query --denied --asked", word)
		}
	}
	if placeholder.IsID(word) {
		if line, err := NewestOne(ctx, dir, &Selection{Marker: word}); err != nil || line != nil {
			return line, err
		}
	}
	if len(word) < minHash || strings.Trim(word, "0123456789abcdef") != "" {
		return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("%q does not name a record: give a record's number, the handle of a block, the ID in a marker [REDACTED:ID], at least %d digits of a hash, or last", id, minHash)}
	}
	line, err := findHash(ctx, env, dir, word)
	return orMissing(line, err, id)
}

// minHash is the minimum number of hex digits that name a hash.
const minHash = 6

// orMissing returns line and err, or a noRecordError if both are nil.
func orMissing(line []byte, err error, id string) ([]byte, error) {
	if err == nil && line == nil {
		err = noRecordError{id}
	}
	return line, err
}

// FindSeq returns the line of the record with the number seq, or nil if there is none. If there is no
// valid line with that number, it returns a damaged or forged one; forged reports which.
func FindSeq(ctx context.Context, dir string, seq uint64) (line []byte, forged bool, err error) {
	segments, err := ledger.Segments(dir)
	if err != nil {
		return nil, false, err
	}
	for _, s := range slices.Backward(segments) {
		var whole, damaged []byte
		forged = false
		first, known := uint64(0), false
		_, err := ReadSegment(ctx, dir, s.Number, func(e *ledger.Entry) bool {
			if !e.Damaged && !known {
				first, known = e.Line.Seq, true
			}
			switch {
			case !e.Damaged && e.Line.Seq == seq:
				whole = bytes.Clone(e.Line.Raw)
			case e.Damaged && damaged == nil && claimsSeq(e.Line.Raw, seq):
				damaged, forged = bytes.Clone(e.Line.Raw), e.Forged
			}
			return whole == nil && first <= seq // later lines have higher numbers
		})
		if err != nil {
			return nil, false, err
		}
		if whole != nil {
			return whole, false, nil
		}
		if damaged != nil {
			return damaged, forged, nil
		}
		if known && first <= seq {
			return nil, false, nil
		}
	}
	return nil, false, nil
}

// claimsSeq reports whether raw, a damaged line, has the record number seq.
func claimsSeq(raw []byte, seq uint64) bool {
	r, err := record.Decode(raw)
	return err == nil && r.Seq == seq
}

// findHash returns the line of the record whose hash begins with prefix, or nil if there is none. It
// returns an error if there are several.
func findHash(ctx context.Context, env *console.Env, dir, prefix string) ([]byte, error) {
	lines, err := linesByHash(ctx, env, dir, prefix)
	if err != nil || len(lines) == 0 {
		return nil, err
	}
	if len(lines) > 1 {
		var seqs []string
		for _, raw := range lines {
			if line, err := ledger.ParseLine(raw); err == nil {
				seqs = append(seqs, strconv.FormatUint(line.Seq, 10))
			}
		}
		return nil, &base.Exit{Code: console.Usage, Err: fmt.Errorf("the hashes of records %s begin with %s: give more digits", strings.Join(seqs, ", "), prefix)}
	}
	return lines[0], nil
}

// linesByHash returns the lines of the records whose hash begins with prefix, which it finds with the
// index.
func linesByHash(ctx context.Context, env *console.Env, dir, prefix string) ([][]byte, error) {
	ix, err := OpenIndex(ctx, env, dir)
	if err != nil {
		return nil, err
	}
	defer ix.Close()
	hits, err := ix.ByHash(ctx, prefix)
	if err != nil {
		return nil, err
	}
	lines := lineFile{dir: dir}
	defer lines.close()
	var out [][]byte
	for _, at := range hits {
		raw, err := lines.read(at)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		// The index has only the beginning of each hash.
		if line, err := ledger.ParseLine(raw); err == nil && strings.HasPrefix(line.Hash.String(), prefix) && !lines.voucher.IsForged(&line) {
			out = append(out, raw)
		}
	}
	return out, nil
}
