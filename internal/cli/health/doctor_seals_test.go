package health

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/checkrein/checkrein/internal/approval"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/doctor"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Doctor finds sealed files that were changed, removed or restored from a copy, and those that an
// older build left unsealed.
func TestChangedSealedFilesAreFound(t *testing.T) {
	t.Parallel()
	text := []byte(`{"version":1,"off":true,"approvals":[]}`)
	for name, tt := range map[string]struct {
		harm func(path string) error
		want string
	}{
		"as it was":   {func(string) error { return nil }, ""},
		"written":     {func(path string) error { return os.WriteFile(path, text, 0o600) }, "state-tampered"},
		"removed":     {os.Remove, "state-tampered"},
		"older":       {func(path string) error { return os.Rename(path+".old", path) }, "state-tampered"},
		"key removed": {func(path string) error { return os.Remove(filepath.Join(filepath.Dir(path), "ledger", "key")) }, "state-tampered"},
		"unsealed": {func(path string) error {
			return writeUnsealedState(filepath.Dir(path), text)
		}, "state-unsealed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := state.NewDir(filepath.Join(t.TempDir(), "state"))
			seals := func() state.Dir { return ledger.SealedDir(dir) }
			path := dir.Path(state.TrustFile)
			if err := approval.SetOff(seals(), true); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(path, path+".old"); err != nil {
				t.Fatal(err)
			}
			if err := approval.SetOff(seals(), false); err != nil {
				t.Fatal(err)
			}
			if err := tt.harm(path); err != nil {
				t.Fatal(err)
			}
			r := doctor.NewReport()
			examineSeals(&console.Env{}, r, seals())
			switch {
			case tt.want == "" && len(r.Findings) > 0, tt.want != "" && (len(r.Findings) != 1 || r.Findings[0].Check != tt.want):
				t.Errorf("found %+v", r.Findings)
			}
			if s, _ := approval.Load(seals()); s.IsOff() {
				t.Error("hooks are off")
			}
		})
	}
}

// writeUnsealedState makes a state directory as a build without seals left it.
func writeUnsealedState(dir string, text []byte) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	at := state.NewDir(dir)
	if _, err := ledger.Open(ledger.Options{Dir: at}).Append(ledger.KindEvent, []byte(`"a":1`), false); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, ledger.Folder, ledger.KeyFile))
	if err != nil {
		return err
	}
	key, err := ledger.ParseKey(data)
	if err != nil {
		return err
	}
	path := filepath.Join(dir, ledger.Folder, ledger.HeadFile)
	if data, err = os.ReadFile(path); err != nil {
		return err
	}
	head, err := ledger.ParseHead(data, key)
	if err != nil {
		return err
	}
	head.Stores = ""
	if err := os.WriteFile(path, head.AppendSealed(nil, key), 0o600); err != nil {
		return err
	}
	return at.Write(state.TrustFile, text)
}
