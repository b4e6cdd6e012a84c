package health

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/prove"
	"github.com/checkrein/checkrein/internal/host/capability"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// A certificate of this machine is valid, and invalid with a byte changed.
func TestVerifyCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, err := prove.OpenKey(state.NewDir(filepath.Join(dir, "state")))
	if err != nil {
		t.Fatal(err)
	}
	public := key.Public()
	sign := func(change func(capability.Row) capability.Result) []byte {
		p := prove.Proof{Host: "claude", Title: "Claude Code", Version: "2.1.325", Mode: "headless", Began: time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC)}
		for _, f := range capability.Facts() {
			if r := change(f.Row); r != "" {
				p.Outcomes = append(p.Outcomes, prove.Outcome{Row: f.Row, Result: r, Said: "seen"})
			}
		}
		text, err := key.Sign(p)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := sign(func(capability.Row) capability.Result { return capability.Honoured })
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
	for _, end := range []string{"\n", "\n\n", "\r\n", " "} {
		if _, err := verify(append(bytes.Clone(text), end...)); err != nil {
			t.Errorf("%q at the end: %v", end, err)
		}
	}
	if _, err := verify(bytes.TrimSuffix(text, []byte("\n"))); err != nil {
		t.Errorf("no line end: %v", err)
	}
	var out bytes.Buffer
	env := &console.Env{Stdin: bytes.NewReader(text), Stdout: &out, Stderr: &out, Dir: dir, Now: time.Now}
	if err := verifyCertificate(env, "-", hex.EncodeToString(public[:])); err != nil || !strings.Contains(out.String(), "valid") {
		t.Errorf("standard input: %v, %s", err, &out)
	}
	changed := bytes.Replace(text, []byte("2.1.325"), []byte("2.1.326"), 1)
	if _, err := verify(changed); err == nil || !strings.Contains(err.Error(), "changed after it was signed") {
		t.Errorf("a changed certificate: %v", err)
	}
	// A bad proof is rejected even if its signature is valid.
	but := func(row capability.Row, r capability.Result) func(capability.Row) capability.Result {
		return func(of capability.Row) capability.Result {
			if of == row {
				return r
			}
			return capability.Honoured
		}
	}
	for name, change := range map[string]func(capability.Row) capability.Result{
		"not honoured": but(capability.DenyWrite, capability.NotHonoured), "not shown": but(capability.SelfProtection, capability.NotShown), "unknown result": but(capability.Ask, "splendid"),
		"row missing": but(capability.DenyEdit, ""), "empty": func(capability.Row) capability.Result { return "" },
	} {
		if _, err := verify(sign(change)); err == nil {
			t.Errorf("%s: exit code 0", name)
		}
	}
	if _, err := verify(sign(but(capability.DenyMCP, capability.NotShown))); err != nil {
		t.Errorf("what some agents give no way to try: %v", err)
	}
}
