package ledger_test

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
)

// forge appends records to a ledger, as a program does that can compute hashes but does not have the
// key.
func forge(t *testing.T, b *bench, n int, sealed string) {
	t.Helper()
	list := b.lines(t, ledger.CurrentFile)
	last := list[len(list)-1]
	stamp, hash := last.Stamp, last.Hash
	var seals *ledger.Seals
	members := []byte(`"n":"invented"`)
	switch sealed {
	case "with another key":
		seals = ledger.Key{1}.Seals()
	case "copied":
		raw := string(last.Raw)
		members = append(members, raw[strings.LastIndex(raw, `,"seal":`):strings.LastIndex(raw, `,"len":`)]...)
	}
	var out []byte
	for range n {
		stamp.Seq, stamp.Prev = stamp.Seq+1, hash
		out, hash = ledger.AppendLine(out, &stamp, members, seals)
	}
	if sealed == "again" {
		out = append(bytes.Clone(last.Raw), '\n')
		for _, l := range list[:n-1] {
			out = append(append(out, l.Raw...), '\n')
		}
	}
	f, err := os.OpenFile(b.file(ledger.CurrentFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(out); err != nil {
		t.Fatal(err)
	}
}

// Forged records do not count: verify reports them, readers leave them out, and the next writer
// continues from the last genuine record and records that.
func TestForgedRecordsAreNotAdopted(t *testing.T) {
	t.Parallel()
	for _, sealed := range []string{"without", "with another key", "copied", "again"} {
		for n := range 3 {
			t.Run(sealed+" "+strconv.Itoa(n+1), func(t *testing.T) {
				t.Parallel()
				b := newBench(t)
				b.add(t, 1)
				genuine := b.add(t, 2)
				forge(t, b, n+1, sealed)
				kind := seal.FindForged
				switch sealed {
				case "without":
					kind = seal.FindUnsealed
				case "again":
					kind = seal.FindChain
				}
				is := func(f seal.Finding) bool { return f.Kind == kind }
				if r := verified(t, b, seal.VerifyOptions{}); !slices.ContainsFunc(r.Findings, is) {
					t.Errorf("verify: %v", r.Findings)
				}
				after := b.add(t, 3)
				if after.Seq != genuine.Seq+2 {
					t.Errorf("record %d comes after record %d", after.Seq, genuine.Seq)
				}
				var torn []string
				last := ledger.Hash{}
				eachLine(t, b.opts.Dir.Path(ledger.Folder), func(l *ledger.Line) {
					if l.Text("n") == "invented" {
						t.Errorf("it is read: %s", l.Raw)
					}
					if l.Kind == ledger.KindTorn {
						torn = append(torn, l.Text("unvouched"))
						if l.Prev != genuine.Hash {
							t.Errorf("it goes on from elsewhere: %s", l.Raw)
						}
					}
					last = l.Hash
				})
				if !slices.Equal(torn, []string{strconv.Itoa(n + 1)}) || last != after.Hash {
					t.Errorf("the writer told %q", torn)
				}
				b.add(t, 4)
				r := verified(t, b, seal.VerifyOptions{})
				if !slices.ContainsFunc(r.Findings, func(f seal.Finding) bool {
					return f.Kind == seal.FindForged && strings.Contains(f.Text, "that no writer of this ledger wrote")
				}) || !slices.ContainsFunc(r.Findings, is) {
					t.Errorf("verify, after the writer: %v", r.Findings)
				}
				for _, f := range r.Findings {
					if f.Kind == seal.FindDamaged || f.Kind == seal.FindTorn || f.Kind == seal.FindChain && sealed != "again" {
						t.Errorf("verify, after the writer: %v", f)
					}
				}
			})
		}
	}
}

// A ledger of an older build continues in a new segment, so that each segment is sealed as a whole or
// not at all. Records of the old segment after its head do not count.
func TestSealsOfOldLedgers(t *testing.T) {
	t.Parallel()
	for _, behind := range []bool{false, true} {
		b := newBench(t)
		b.add(t, 1)
		key, err := b.Key()
		if err != nil {
			t.Fatal(err)
		}
		stamp := ledger.Stamp{Seq: 1, Kind: ledger.KindSegment, Time: b.now, Boot: "b1"}
		text, hash := ledger.AppendLine(nil, &stamp, []byte(`"ledger":"`+key.ID()+`","segment":1,"missed":0`), nil)
		head := ledger.Head{Ledger: key.ID(), Segment: 1, Began: b.now, Size: int64(len(text)), Seq: 1, Hash: hash, Boot: "b1"}
		if behind {
			stamp.Seq, stamp.Kind, stamp.Prev = 2, ledger.KindEvent, hash
			text, _ = ledger.AppendLine(text, &stamp, []byte(`"n":"invented"`), nil)
		}
		if os.WriteFile(b.file(ledger.CurrentFile), text, 0o600) != nil || os.WriteFile(b.file(ledger.HeadFile), head.AppendSealed(nil, key), 0o600) != nil {
			t.Fatal("not written")
		}
		if r := verified(t, b, seal.VerifyOptions{}); r.IsClean() == behind {
			t.Errorf("behind %v: %v", behind, r.Findings)
		}
		b.add(t, 2)
		b.add(t, 3)
		want, old := "segment sealed event event", "segment"
		if behind {
			old = "segment event torn" // of which the event is invented
		}
		var all []string
		data, _ := os.ReadFile(b.file(ledger.SegmentFile(1)))
		for raw := range bytes.Lines(data) {
			if l, err := ledger.ParseLine(bytes.TrimSuffix(raw, []byte("\n"))); err == nil {
				all = append(all, l.Kind)
			}
		}
		if got := kinds(b.lines(t, ledger.CurrentFile)); got != want || strings.Join(all, " ") != old {
			t.Errorf("behind %v: %s, then %s", behind, all, got)
		}
		if r := verified(t, b, seal.VerifyOptions{}); r.IsClean() == behind {
			t.Errorf("behind %v, after a record: %v", behind, r.Findings)
		}
	}
}
