package grant

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A file by another program neither grants nor pauses anything: not a new one, nor one with another
// name, from another machine or with another text.
func TestForged(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func() Store {
		return Store{Dir: ledger.SealedDir(state.NewDir(filepath.Join(t.TempDir(), "state"))), Now: func() Moment { return Moment{Wall: now} },
			Key: func() ([]byte, error) { return make([]byte, 32), nil }}
	}
	mine, other := at(), at()
	for _, s := range []*Store{&mine, &other} {
		if _, err := s.Add(Grant{Scope: Once, Binding: Binding{Text: "t"}, Until: now.Add(Life)}); err != nil {
			t.Fatal(err)
		}
		if err := s.SetPause(Pause{Until: now.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := mine.List()
	if p, pauseErr := mine.CurrentPause(); err != nil || len(list) != 1 || p == nil || pauseErr != nil {
		t.Fatalf("what was written is not read: %v, %v, %v", list, err, pauseErr)
	}
	read := func(s *Store, name string) []byte {
		data, err := os.ReadFile(s.Dir.Path(name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	grants, pause := read(&mine, grantsFile), read(&mine, pauseFile)
	for name, forged := range map[string][2][]byte{
		"of another machine": {read(&other, grantsFile), read(&other, pauseFile)},
		"of another name":    {pause, grants},
		"changed":            {bytes.Replace(grants, []byte("once"), []byte("always"), 1), bytes.Replace(pause, []byte("2026"), []byte("2027"), 1)},
		"without a seal":     {[]byte(`{"v":1,"grants":[{"id":"g1","scope":"always"}]}`), []byte(`{"made":{"wall":"2026-01-02T03:04:05Z"},"until":"2026-01-02T04:00:00Z"}`)},
		"with an empty one":  {[]byte(`{"seal":"","body":{"v":1,"grants":[{"id":"g1","scope":"always"}]}}`), []byte(`{"seal":"","body":{"until":"2026-01-02T04:00:00Z"}}`)},
	} {
		if err := mine.Dir.Write(grantsFile, forged[0]); err != nil {
			t.Fatal(err)
		}
		if err := mine.Dir.Write(pauseFile, forged[1]); err != nil {
			t.Fatal(err)
		}
		if list, err := mine.List(); err == nil || len(list) > 0 {
			t.Errorf("%s: grants count: %v, %v", name, list, err)
		}
		if p, err := mine.CurrentPause(); p != nil || !errors.Is(err, state.ErrTampered) {
			t.Errorf("%s: paused %v, %v", name, p, err)
		}
	}
}
