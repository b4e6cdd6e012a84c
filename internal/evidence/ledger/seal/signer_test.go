package seal

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

func TestPublicKey(t *testing.T) {
	t.Parallel()
	key := NewSigner(ledger.Key{1}).Public()
	if NewSigner(ledger.Key{2}).Public() == key {
		t.Error("two ledgers have the same key")
	}
	block, _ := pem.Decode(key.PEM())
	other, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil || !ed25519.PublicKey(key[:]).Equal(other) {
		t.Errorf("others read %v, %v", other, err)
	}
	if back, err := ParsePublicKey(key.PEM()); err != nil || back != key {
		t.Errorf("%v, %v", back, err)
	}
	short := pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: block.Bytes[:20]})
	rsa := pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: append([]byte("\x30\x2a\x30\x05\x06\x03\x2b\x65\x71\x03\x21\x00"), key[:]...)})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: block.Bytes})
	for _, bad := range [][]byte{nil, key[:], short, rsa, private} {
		if _, err := ParsePublicKey(bad); err == nil {
			t.Errorf("%q is a key", bad)
		}
	}
}

func TestCheckpointLine(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	c, key := b.checkpoint(), NewSigner(b.key).Public()
	line := c.Line()
	want := fmt.Sprintf(`{"v":1,"kind":"checkpoint","ledger":"%s","segment":1,"seq":1,"hash":"%s","time":"2026-03-01T08:00:00.000000000Z","key":"%s","sig":"%s"}`+"\n",
		b.key.ID(), b.head.Hash, key.ID(), c.Sig)
	if string(line) != want {
		t.Errorf("line\n%swant\n%s", line, want)
	}
	if back, err := ParseCheckpoint(line); err != nil || back != *c || !back.IsSignedBy(key) || back.IsSignedBy(PublicKey{}) {
		t.Errorf("%+v, %v", back, err)
	}
	for i := range line[:len(line)-1] {
		forged := bytes.Clone(line)
		forged[i] ^= 1
		if c, err := ParseCheckpoint(forged); err == nil && c.IsSignedBy(key) {
			t.Fatalf("byte %d was changed: %s", i, forged)
		}
	}
	unsigned := strings.Replace(string(line), "}", `,"more":1}`, 1)
	if _, err := ParseCheckpoint([]byte(unsigned)); err == nil {
		t.Error("what is not signed is in a checkpoint")
	}
}

func TestTakeCheckpoint(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	dir := b.save(t)
	take := func(want bool) {
		t.Helper()
		c, fresh, err := TakeCheckpoint(dir, b.now)
		if err != nil || fresh != want || c.Seq != b.head.Seq || c.Hash != b.head.Hash || !c.IsSignedBy(NewSigner(b.key).Public()) {
			t.Fatalf("%+v, fresh %v, %v", c, fresh, err)
		}
	}
	count := func() int {
		data, err := os.ReadFile(filepath.Join(dir, CheckpointsFile))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(data, []byte("\n"))
	}
	take(true)
	take(false)
	before := *b
	b.add(ledger.KindEvent, `"a":1`)
	writeFiles(t, dir, b.all())
	take(true)
	*b = before // a writer lost that record and wrote another in its place
	b.add(ledger.KindEvent, `"a":2`)
	writeFiles(t, dir, b.all())
	take(true)
	if n := count(); n != 3 {
		t.Errorf("%d checkpoints, want 3", n)
	}
	if err := os.WriteFile(filepath.Join(dir, ledger.HeadFile), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := TakeCheckpoint(dir, b.now); !errors.Is(err, ledger.ErrHead) {
		t.Errorf("forged head: %v", err)
	}
}

func TestTakeCheckpointOfNothing(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	b.head = ledger.Head{Ledger: b.key.ID()}
	if c, fresh, err := TakeCheckpoint(b.save(t), b.now); c != nil || fresh || err != nil {
		t.Errorf("%v, %v, %v", c, fresh, err)
	}
	if _, _, err := TakeCheckpoint(t.TempDir(), b.now); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no ledger: %v", err)
	}
}

// TestTakeCheckpointOfUnsyncedSegment signs nothing that cannot be synced to disk first.
func TestTakeCheckpointOfUnsyncedSegment(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	dir := b.save(t)
	if err := os.Remove(filepath.Join(dir, ledger.CurrentFile)); err != nil {
		t.Fatal(err)
	}
	if c, _, err := TakeCheckpoint(dir, b.now); c != nil || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v, %v", c, err)
	}
	if _, err := os.Stat(filepath.Join(dir, CheckpointsFile)); err == nil {
		t.Error("a checkpoint was kept")
	}
	// It was full and renamed after the head was read.
	writeFiles(t, dir, map[string][]byte{ledger.SegmentFile(1): b.text})
	if c, _, err := TakeCheckpoint(dir, b.now); err != nil || c.Seq != b.head.Seq {
		t.Errorf("%v, %v", c, err)
	}
}

func TestTakeCheckpointAtOnce(t *testing.T) {
	t.Parallel()
	b := newBook("one")
	dir := b.save(t)
	var fresh [8]bool
	var all sync.WaitGroup
	for i := range fresh {
		all.Go(func() {
			var err error
			if _, fresh[i], err = TakeCheckpoint(dir, b.now); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(fmt.Sprint(fresh), "true"); n != 1 {
		t.Errorf("%d of them took one", n)
	}
}

func TestOldCheckpointsAreDropped(t *testing.T) {
	t.Parallel()
	var kept []byte
	added := 0
	for trimmed := false; !trimmed; added++ {
		before := len(kept)
		kept = appendCheckpoint(kept, fmt.Appendf(nil, "%0400d\n", added))
		trimmed = len(kept) < before
	}
	lines := strings.Fields(string(kept))
	if len(lines) != keptCheckpoints+1 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, want := range map[int]int{0: 0, 1: added - keptCheckpoints, keptCheckpoints: added - 1} {
		if lines[i] != fmt.Sprintf("%0400d", want) {
			t.Errorf("line %d is %s, want %d", i, strings.TrimLeft(lines[i], "0"), want)
		}
	}
	if got := appendCheckpoint([]byte("half"), []byte("next\n")); string(got) != "half\nnext\n" {
		t.Errorf("after half a line: %q", got)
	}
}

func TestWitnessFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "witness.jsonl")
	one, two := newBook("one"), newBook("two")
	for _, b := range []*book{one, two, one} {
		b.add(ledger.KindEvent, "")
		if err := AppendWitness(path, b.checkpoint()); err != nil {
			t.Fatal(err)
		}
	}
	// Somebody dies writing to it.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"v":1,"kin`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	one.add(ledger.KindEvent, "")
	if err := AppendWitness(path, one.checkpoint()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	w, err := ReadWitness(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*book{one, two} {
		r := verify(t, b.all(), VerifyOptions{Witnesses: []Witness{w}})
		if !r.IsClean() || r.Witness == nil || r.Witness.Seq != b.head.Seq || len(r.Notices) != 1 {
			t.Errorf("findings %v, witness %v, notices %v", r.Findings, r.Witness, r.Notices)
		}
	}
	if r := verify(t, newBook("three").all(), VerifyOptions{Witnesses: []Witness{w}}); !r.IsClean() || r.Witness != nil || len(r.Notices) != 2 {
		t.Errorf("a ledger that the witness does not know: findings %v, notices %v", r.Findings, r.Notices)
	}
	if _, err := ReadWitness(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no witness: %v", err)
	}
	if err := AppendWitness(filepath.Dir(path), one.checkpoint()); err == nil {
		t.Error("a directory is a witness")
	}
}

// TestWholeRewriteIsFoundByWitness rewrites the whole ledger with the key.
func TestWholeRewriteIsFoundByWitness(t *testing.T) {
	t.Parallel()
	write := func(decision string) *book {
		b := newBook("one")
		for range 5 {
			b.pass(time.Second)
			b.add(ledger.KindEvent, `"decision":"`+decision+`"`)
		}
		b.addCheckpoint()
		return b
	}
	witness := Witness{Name: "outside", Data: write("deny").checkpoint().Line()}
	files := write("allow").all()
	if r := verify(t, files, VerifyOptions{}); !r.IsClean() || !strings.Contains(strings.Join(r.CannotKnow, " "), "rewrote the whole ledger") {
		t.Errorf("without a witness: findings %v, cannot know %q", r.Findings, r.CannotKnow)
	}
	r := verify(t, files, VerifyOptions{Witnesses: []Witness{witness}})
	const text = "outside, line 1 has seen a different record 6: the ledger was rewritten, or this copy was continued separately"
	if len(r.Findings) != 1 || r.Findings[0].Kind != FindWitness || r.Findings[0].Text != text || r.Witness != nil {
		t.Errorf("with a witness: %v, %v", r.Findings, r.Witness)
	}
}

func TestVerifyIsCanceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	var done, total int64
	o := VerifyOptions{Progress: func(d, all int64) { done, total = d, all; cancel() }}
	b := newBook("one")
	b.add(ledger.KindEvent, "")
	if _, err := Verify(ctx, b.save(t), o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if done <= 0 || total != int64(len(b.text)) {
		t.Errorf("%d of %d bytes, want some of %d", done, total, len(b.text))
	}
}
