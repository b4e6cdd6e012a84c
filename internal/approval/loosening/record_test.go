package loosening

import (
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A record that was changed accepts nothing.
func TestDamagedRecord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`{"accepted":["a","b\n"],"held":null}`: 2, `{"held":["a"]}`: 0, `{}`: 0,
		`{"accepted":"a"}`: 0, `{"accepted":["a",1]}`: 0, `{"accepted":["a"],"held":{}}`: 0, `{"accepted":["a"]`: 0, `["a"]`: 0, ``: 0,
	} {
		dir := ledger.SealedDir(state.NewDir(t.TempDir()))
		if err := dir.WriteSealed(file, []byte(text), true); err != nil {
			t.Fatal(err)
		}
		if r, _ := loadRecord(dir); len(r.Accepted) != want {
			t.Errorf("%s: %+v", text, r)
		}
	}
}
