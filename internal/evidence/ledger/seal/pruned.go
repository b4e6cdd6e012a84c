package seal

import (
	"encoding/hex"
	"encoding/json"
	"strconv"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/text/rawjson"
)

// A pruned record has these members:
//
//	"segments":[{"segment":1,"first":1,"last":500,"hash":"…","bytes":…,"from":"…","to":"…"},…],"key":"…","sig":"…"
//
// The object of a damaged segment ends with `,"damaged":true`.

// prunedText returns the text that the signature of a pruned record covers. id is that of the ledger,
// and segments is the JSON array in the record.
func prunedText(id string, segments []byte) []byte {
	text := append([]byte("checkrein pruned 1\n"), id...)
	return append(append(text, '\n'), segments...)
}

// prunedMembers returns the members of a record about removed segments, signed by s.
func prunedMembers(s Signer, removed []SegmentSummary) []byte {
	list := []byte{'['}
	for i, r := range removed {
		if i > 0 {
			list = append(list, ',')
		}
		list = r.appendJSON(list)
	}
	list = append(list, ']')
	b := append([]byte(`"segments":`), list...)
	b = append(append(b, `,"key":`...), rawjson.Quote(s.Public().ID())...)
	return append(append(b, `,"sig":`...), rawjson.Quote(s.sign(prunedText(s.id, list)))...)
}

func (s *SegmentSummary) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"segment":`...), int64(s.Segment), 10)
	b = strconv.AppendUint(append(b, `,"first":`...), s.First, 10)
	b = strconv.AppendUint(append(b, `,"last":`...), s.Last, 10)
	b = hex.AppendEncode(append(b, `,"hash":"`...), s.Hash[:])
	b = strconv.AppendInt(append(b, `","bytes":`...), s.Bytes, 10)
	b = s.From.UTC().AppendFormat(append(b, `,"from":"`...), ledger.TimeLayout)
	b = s.To.UTC().AppendFormat(append(b, `","to":"`...), ledger.TimeLayout)
	if b = append(b, '"'); s.Damaged {
		b = append(b, `,"damaged":true`...)
	}
	return append(b, '}')
}

// A prunedRecord is a parsed pruned record.
type prunedRecord struct {
	segments []SegmentSummary
	list     []byte // segments as they are spelled in the record
	key, sig string
}

func parsePruned(line *ledger.Line) (prunedRecord, bool) {
	var p prunedRecord
	list, ok := rawjson.Get(line.Raw, "segments")
	if !ok || json.Unmarshal(list, &p.segments) != nil || len(p.segments) == 0 {
		return p, false
	}
	p.list, p.key, p.sig = list, line.Text("key"), line.Text("sig")
	return p, true
}

func (p *prunedRecord) isSignedBy(id string, key PublicKey) bool {
	return p.key == key.ID() && key.verify(prunedText(id, p.list), p.sig)
}
