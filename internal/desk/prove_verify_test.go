package desk

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/caps"
	"github.com/checkrein/checkrein/internal/certificate"
	"github.com/checkrein/checkrein/internal/console"
	"github.com/checkrein/checkrein/internal/prove"
	"github.com/checkrein/checkrein/internal/state"
)

// A certificate of this machine is valid as it is, and not with a byte changed.
func TestVerifyCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := certificate.Open(state.At(filepath.Join(dir, "state")))
	if err != nil {
		t.Fatal(err)
	}
	public := key.Public()
	text, err := key.Sign(prove.Proof{Host: "claude", Title: "Claude Code", Version: "2.1.325", Mode: "headless", Began: time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC),
		Outcomes: []prove.Outcome{{Row: caps.DenyShell, Result: caps.Honoured, Said: "it did not run"}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "claude.json")
	verify := func(text []byte) (string, error) {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		env := &console.Env{Stdout: &out, Stderr: &out, Dir: dir, Now: time.Now}
		return out.String(), verifyCertificate(env, file, hex.EncodeToString(public[:]))
	}
	if _, err := verify(text); err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(text, []byte("2.1.325"), []byte("2.1.326"), 1)
	if _, err := verify(changed); err == nil || !strings.Contains(err.Error(), "not as it was signed") {
		t.Errorf("a changed certificate: %v", err)
	}
}
