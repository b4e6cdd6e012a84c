package clitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/record"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// Configure writes the user's configuration file.
func (b *Book) Configure(t *testing.T, text string) {
	t.Helper()
	dir := filepath.Join(filepath.Dir(b.Home), ".config", "checkrein")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "checkrein.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A Book is a ledger in a temporary state directory.
type Book struct {
	Home string
	Now  time.Time
	*ledger.Ledger
}

// NewBook returns an empty Book whose segments are full after the given number of bytes.
func NewBook(t testing.TB, segment int64) *Book {
	t.Helper()
	b := &Book{Home: filepath.Join(t.TempDir(), "checkrein"), Now: Noon}
	b.Ledger = ledger.Open(ledger.Options{Dir: state.NewDir(b.Home), Segment: segment, Now: func() time.Time { return b.Now }})
	return b
}

// Dir returns the directory of the ledger.
func (b *Book) Dir() string { return filepath.Join(b.Home, ledger.Folder) }

// Env returns a console environment in which the book is the user's ledger, with buffers for stdout
// and stderr.
func (b *Book) Env(args ...string) (console.Env, *bytes.Buffer, *bytes.Buffer) {
	var out, errs bytes.Buffer
	return console.Env{
		Args: args, Stdout: &out, Stderr: &errs, Dir: filepath.Dir(b.Home), Managed: "-",
		Environ: []string{"XDG_STATE_HOME=" + filepath.Dir(b.Home), "LocalAppData=" + filepath.Dir(b.Home), "HOME=" + filepath.Dir(b.Home)},
		Account: filepath.Dir(b.Home), Now: func() time.Time { return b.Now },
		Admit: func([]string) (console.Ticket, error) { return anyTicket{}, nil },
	}, &out, &errs
}

// anyTicket is a ticket that accepts any input.
type anyTicket struct{}

func (anyTicket) CheckInput([]byte) error { return nil }

// Add appends r to the ledger and advances b.Now by a minute.
func (b *Book) Add(t testing.TB, r *record.Record) {
	t.Helper()
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, stamp := range []string{"v", "seq", "kind", "time", "boot", "mono", "prev", "hash"} {
		delete(all, stamp)
	}
	raw, _ = json.Marshal(all)
	if _, err := b.Append(ledger.KindEvent, raw[1:len(raw)-1], false); err != nil {
		t.Fatal(err)
	}
	b.Now = b.Now.Add(time.Minute)
}

// Fill appends n records with different reasons.
func (b *Book) Fill(t testing.TB, n int) {
	t.Helper()
	for i := range n {
		r := DeniedRecord()
		r.Reason = fmt.Sprintf("reason %d", i)
		b.Add(t, r)
	}
}
