package ledger_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/sys/state"
)

const storeLimit = 1 << 10

// A sealedHome is a state directory with a sealed file in its third generation, and earlier copies of
// the directory.
type sealedHome struct {
	t    *testing.T
	path string
}

func newSealedHome(t *testing.T) *sealedHome {
	t.Helper()
	h := &sealedHome{t, filepath.Join(t.TempDir(), "state")}
	for n := range 3 {
		h.write(fmt.Sprint(n + 1))
		if err := os.CopyFS(h.copy(n+1), os.DirFS(h.path)); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *sealedHome) copy(n int) string { return fmt.Sprint(h.path, ".", n) }

// dir returns the directory as another process sees it.
func (h *sealedHome) dir() state.Dir { return ledger.SealedDir(state.NewDir(h.path)) }

func (h *sealedHome) write(text string) {
	h.t.Helper()
	if err := h.dir().WriteSealed(state.TrustFile, []byte(text), true); err != nil {
		h.t.Fatal(err)
	}
}

func (h *sealedHome) record() {
	h.t.Helper()
	if _, err := ledger.Open(ledger.Options{Dir: state.NewDir(h.path)}).Append(ledger.KindEvent, []byte(`"a":1`), false); err != nil {
		h.t.Fatal(err)
	}
}

// putBack replaces files by those of the n-th copy.
func (h *sealedHome) putBack(n int, names ...string) {
	h.t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(h.copy(n), name))
		if err == nil {
			err = os.WriteFile(filepath.Join(h.path, name), data, 0o600)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *sealedHome) remove(names ...string) {
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(h.path, name)); err != nil {
			h.t.Fatal(err)
		}
	}
}

// Only the newest generation of a sealed file counts, whatever happens to the ledger, before and after
// the next record. A crash loses nothing.
func TestGenerations(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(h *sealedHome)
		want string // "" = it was tampered with
	}{
		"as it was":                 {func(*sealedHome) {}, "3"},
		"an older copy":             {func(h *sealedHome) { h.putBack(2, "trust.json") }, ""},
		"and the head of that time": {func(h *sealedHome) { h.putBack(2, "trust.json", "ledger/head") }, ""},
		"and no records": {func(h *sealedHome) {
			h.putBack(2, "trust.json", "ledger/head")
			h.remove("ledger/current.jsonl")
		}, ""},
		"and records from before": {func(h *sealedHome) {
			h.putBack(2, "trust.json", "ledger/head")
			h.putBack(1, "ledger/current.jsonl")
		}, ""},
		"the head alone":             {func(h *sealedHome) { h.putBack(2, "ledger/head") }, "3"},
		"removed":                    {func(h *sealedHome) { h.remove("trust.json") }, ""},
		"head removed, an older one": {func(h *sealedHome) { h.remove("ledger/head"); h.putBack(2, "trust.json") }, ""},
		"head and records cut off":   {func(h *sealedHome) { h.remove("ledger/head"); h.putBack(2, "trust.json", "ledger/current.jsonl") }, ""},
		"no ledger but the key":      {func(h *sealedHome) { h.remove("ledger/head", "ledger/current.jsonl"); h.putBack(1, "trust.json") }, ""},
		"no key":                     {func(h *sealedHome) { h.remove("ledger/key") }, ""},
		"no key and no file":         {func(h *sealedHome) { h.remove("ledger/key", "trust.json") }, ""},
		"written, and not recorded":  {func(h *sealedHome) { h.putBack(2, "ledger/head", "ledger/current.jsonl") }, "3"},
		"after many segments": {func(h *sealedHome) {
			for range 20 {
				if _, err := ledger.Open(ledger.Options{Dir: state.NewDir(h.path), Segment: 300}).Append(ledger.KindEvent, []byte(`"a":1`), false); err != nil {
					h.t.Fatal(err)
				}
			}
			h.remove("ledger/00000001.jsonl", "ledger/00000002.jsonl")
		}, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newSealedHome(t)
			tt.do(h)
			for range 2 {
				body, unsealed, err := h.dir().ReadSealed(state.TrustFile, storeLimit)
				if string(body) != tt.want || unsealed || (tt.want == "") != errors.Is(err, state.ErrTampered) {
					t.Errorf("read %q, %v, %v; want %q", body, unsealed, err, tt.want)
				}
				h.record()
			}
			h.write("4") // which a person does, having looked
			if body, _, err := h.dir().ReadSealed(state.TrustFile, storeLimit); string(body) != "4" || err != nil {
				t.Errorf("written again: %q, %v", body, err)
			}
			for n := range 3 {
				h.putBack(n+1, "trust.json")
				if body, _, err := h.dir().ReadSealed(state.TrustFile, storeLimit); err == nil {
					t.Errorf("copy %d counts after that: %q", n+1, body)
				}
			}
		})
	}
}

// A change that loosens something is not made if the ledger cannot record it; one that tightens is.
func TestUnrecordedGeneration(t *testing.T) {
	t.Parallel()
	for _, loosens := range []bool{true, false} {
		h := newSealedHome(t)
		lock, err := state.NewDir(h.path).OpenLocked("ledger/head")
		if err != nil {
			t.Fatal(err)
		}
		err = h.dir().WriteSealed(state.TrustFile, []byte("4"), loosens)
		lock.Close()
		want := map[bool]string{true: "3", false: "4"}[loosens]
		body, _, readErr := h.dir().ReadSealed(state.TrustFile, storeLimit)
		if !errors.Is(err, state.ErrNotRecorded) || string(body) != want || readErr != nil {
			t.Errorf("loosens %v: %v; then %q, %v", loosens, err, body, readErr)
		}
	}
}

// Writers that hold the lock of a file do not lose each other's generations, nor do writers of other
// files and of records. The ledger verifies.
func TestConcurrentGenerations(t *testing.T) {
	t.Parallel()
	h := newSealedHome(t)
	var all sync.WaitGroup
	for _, name := range state.SealedFiles() {
		all.Go(func() {
			for n := range 5 {
				unlock, err := h.dir().Lock(name)
				if err != nil {
					t.Error(err)
					return
				}
				if err := h.dir().WriteSealed(name, []byte(fmt.Sprint(n)), true); err != nil {
					t.Error(err)
				}
				unlock()
				h.record()
			}
		})
	}
	all.Wait()
	for _, name := range state.SealedFiles() {
		h.check(name, "4")
	}
}

// An event that is recorded after a later one does not make a sealed file older.
func TestOvertakenGeneration(t *testing.T) {
	t.Parallel()
	h := newSealedHome(t)
	var events []*ledger.Ledger
	for n := range 2 {
		l := ledger.Open(ledger.Options{Dir: state.NewDir(h.path), Event: true})
		if err := state.NewDir(h.path).WithSealer(l.Sealer()).WriteSealed(state.LoosenedFile, []byte(fmt.Sprint(n)), false); err != nil {
			t.Fatal(err)
		}
		events = append(events, l)
	}
	for _, l := range slices.Backward(events) {
		if _, err := l.Append(ledger.KindEvent, []byte(`"a":1`), false); err != nil {
			t.Fatal(err)
		}
	}
	h.check(state.LoosenedFile, "1")
}

// A file whose first generation another process has just written counts, although the
// generations were read a moment before.
func TestFirstGenerationOfAnother(t *testing.T) {
	t.Parallel()
	h := newSealedHome(t)
	reader := h.dir()
	if _, _, err := reader.ReadSealed(state.GrantsFile, storeLimit); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := h.dir().WriteSealed(state.GrantsFile, []byte("1"), true); err != nil {
		t.Fatal(err)
	}
	if body, _, err := reader.ReadSealed(state.GrantsFile, storeLimit); string(body) != "1" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
}

// check checks what a sealed file holds and that audit verify finds the ledger in order.
func (h *sealedHome) check(name, want string) {
	h.t.Helper()
	if body, _, err := h.dir().ReadSealed(name, storeLimit); string(body) != want || err != nil {
		h.t.Errorf("%s: %q, %v", name, body, err)
	}
	r, err := seal.Verify(h.t.Context(), filepath.Join(h.path, ledger.Folder), seal.VerifyOptions{})
	if err != nil || !r.IsClean() {
		h.t.Errorf("verify: %+v, %v", r.Findings, err)
	}
}
