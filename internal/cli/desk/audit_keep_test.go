package desk

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/cli/audit"
	"github.com/checkrein/checkrein/internal/cli/base"
	"github.com/checkrein/checkrein/internal/cli/console"
	"github.com/checkrein/checkrein/internal/cli/health"
	"github.com/checkrein/checkrein/internal/evidence/index"
	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/evidence/ledger/seal"
	"github.com/checkrein/checkrein/internal/lab/clitest"
	"github.com/checkrein/checkrein/internal/sys/state"
	"github.com/checkrein/checkrein/internal/text/moment"
)

func TestVerifyFindings(t *testing.T) {
	t.Parallel()
	current := filepath.FromSlash("checkrein/ledger/" + ledger.CurrentFile)
	edit := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, home string) {
			path := filepath.Join(home, current)
			data, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, change(data), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, home string) {
			if err := os.Remove(filepath.Join(home, "checkrein", "ledger", name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	tests := []struct {
		name   string
		damage func(*testing.T, string)
		want   string
	}{
		{"one byte", edit(func(b []byte) []byte { return bytes.Replace(b, []byte("reason 1"), []byte("reason 7"), 1) }), "damaged: segment "},
		{"last line", edit(func(b []byte) []byte { return b[:bytes.LastIndexByte(b[:len(b)-1], '\n')+1] }), "truncated: "},
		{"half a line", edit(func(b []byte) []byte { return b[:len(b)-20] }), "NOT intact"},
		{"a segment", remove(ledger.SegmentFile(2)), "segment: "},
		{"the first segment", remove(ledger.SegmentFile(1)), "pruned: "},
		{"the head", remove(ledger.HeadFile), "head: "},
		{"the key", remove(ledger.KeyFile), "key: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := clitest.NewBook(t, 10_000)
			b.Fill(t, 14)
			code, out, _ := runOnBook(b, "audit", "verify")
			if code != console.Done {
				t.Fatalf("before: %d\n%s", code, out)
			}
			clitest.MustContain(t, out, "intact: 18 records in 4 segments, 2026-11-15 12:00:00 to 2026-11-15 12:13:00\n", "What these files cannot show")
			tt.damage(t, filepath.Dir(b.Home))
			code, out, _ = runOnBook(b, "audit", "verify")
			if code != console.Finding {
				t.Errorf("after: %d\n%s", code, out)
			}
			clitest.MustContain(t, out, tt.want, "NOT intact: ")
			code, out, _ = runOnBook(b, "audit", "verify", "--json")
			var report struct {
				Intact   *bool
				Findings []seal.Finding
			}
			if err := json.Unmarshal([]byte(out), &report); err != nil || code != console.Finding || report.Intact == nil || *report.Intact || len(report.Findings) == 0 {
				t.Errorf("json: %d, %v\n%s", code, err, out)
			}
		})
	}
}

func TestVerifyClock(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 2)
	b.Now = clitest.Noon.Add(-time.Hour)
	b.Fill(t, 1)
	code, out, _ := runOnBook(b, "audit", "verify")
	if code != console.Finding {
		t.Errorf("exit %d", code)
	}
	clitest.MustContain(t, out, "clock: segment 1, record 4: ")
	code, out, _ = runOnBook(b, "audit", "verify", "--allow-clock")
	if code != console.Done {
		t.Errorf("exit %d", code)
	}
	clitest.MustContain(t, out, "! clock: segment 1, record 4: ", "✓ intact: 4 records")
}

func TestWitnessFindsRemoval(t *testing.T) {
	t.Parallel()
	clitest.SkipWithoutUnixHome(t)
	b := clitest.NewBook(t, 0)
	heads := filepath.Join(filepath.Dir(b.Home), "heads")
	told := filepath.Join(filepath.Dir(b.Home), "told")
	b.Configure(t, "version: 1\nledger:\n  witness: ~/heads\n  witness_command: [sh, -c, 'cat >> "+told+"']\n")
	code, _, errs := runOnBook(b, "audit", "checkpoint")
	if code != console.Finding || !strings.Contains(errs, "no ledger") {
		t.Errorf("without a ledger: %d %s", code, errs)
	}
	b.Fill(t, 3)
	_, out, _ := runOnBook(b, "audit", "verify")
	clitest.MustContain(t, out, "! witness: the configured witness file ~/heads does not exist")

	code, out, errs = runOnBook(b, "audit", "checkpoint")
	if code != console.Done {
		t.Fatalf("checkpoint: %d %s", code, errs)
	}
	clitest.MustContain(t, out, "signed: record 4, hash ", "witness: "+heads+" has this checkpoint", "witness: the command sh has this checkpoint")
	_, out, _ = runOnBook(b, "audit", "checkpoint")
	clitest.MustContain(t, out, "signed before: record 4, hash ", "witness: "+heads+" has this checkpoint")
	lines, err := os.ReadFile(heads)
	if err != nil || bytes.Count(lines, []byte("\n")) != 1 {
		t.Errorf("the witness file has %q, %v", lines, err)
	}
	if by, err := os.ReadFile(told); err != nil || !bytes.Equal(by, append(lines, lines...)) {
		t.Errorf("the witness command was told %q, %v", by, err)
	}
	code, out, _ = runOnBook(b, "audit", "verify")
	if code != console.Done {
		t.Errorf("verify: %d", code)
	}
	clitest.MustContain(t, out, "witnessed: up to record 4, on 2026-11-15 12:03:00 (~/heads, line 1)")

	// Once the ledger is removed, the witness still has its checkpoint.
	_, public, _ := runOnBook(b, "audit", "key")
	if err := os.RemoveAll(b.Dir()); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"audit", "verify"}, {"audit", "verify", "--witness", "heads", "--key", public[strings.LastIndex(public, " ")+1 : len(public)-1]}} {
		code, out, _ = runOnBook(b, args...)
		if code != console.Finding {
			t.Errorf("%q: exit %d", args, code)
		}
		clitest.MustContain(t, out, "witness: ~/heads saw record 4 of ledger ", "there is no ledger in ~/", "NOT intact: 1 finding")
	}
	code, out, _ = runOnBook(b, "audit", "verify", "--key", strings.Repeat("ab", 32))
	if code != console.Done {
		t.Errorf("with another's key: %d\n%s", code, out)
	}
}

func TestAuditKey(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 1)
	_, pem, _ := runOnBook(b, "audit", "key", "--pem")
	file := filepath.Join(filepath.Dir(b.Home), "ledger.pem")
	if err := os.WriteFile(file, []byte(pem), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := runOnBook(b, "audit", "verify", "--key", "ledger.pem"); code != console.Done {
		t.Errorf("with its own key: %d %s%s", code, out, errs)
	}
	code, out, _ := runOnBook(b, "audit", "verify", "--key", strings.Repeat("ab", 32))
	if code != console.Finding {
		t.Errorf("with another's key: %d", code)
	}
	clitest.MustContain(t, out, "key: ")
	if code, _, errs := runOnBook(b, "audit", "verify", "--key", "nowhere"); code != console.Usage || !strings.Contains(errs, "--key: ") {
		t.Errorf("without a key: %d %s", code, errs)
	}
}

func TestPrune(t *testing.T) {
	t.Parallel()
	clitest.SkipWithoutUnixHome(t)
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 14)
	b.Now = b.Now.Add(30 * moment.Day)
	if code, out, errs := runOnBook(b, "audit", "prune"); code != console.Done || out != "nothing to prune\n" {
		t.Errorf("too early: %d %s%s", code, out, errs)
	}
	b.Configure(t, "version: 1\nledger: {keep_day: 20}\n")
	if code, out, errs := runOnBook(b, "audit", "prune"); code != console.Finding || !strings.Contains(errs, "nothing was pruned: the configuration has errors") {
		t.Errorf("unsure: %d %s%s", code, out, errs)
	}
	b.Configure(t, "version: 1\nledger: {keep_days: 20}\n")
	before, _ := ledger.Segments(b.Dir())
	_, dry, _ := runOnBook(b, "audit", "prune", "--dry-run")
	clitest.MustContain(t, dry, "would remove segment 1: records 1 to 5, 2026-11-15 12:00:00 to 2026-11-15 12:03:00, ")
	if now, _ := ledger.Segments(b.Dir()); len(now) != len(before) || len(before) != 4 {
		t.Errorf("a rehearsal left %d of %d segments", len(now), len(before))
	}
	code, out, errs := runOnBook(b, "audit", "prune")
	if code != console.Done || out != strings.ReplaceAll(dry, "would remove", "removed") {
		t.Errorf("prune: %d %s%s\nwant as in the rehearsal: %s", code, out, errs, dry)
	}
	if now, _ := ledger.Segments(b.Dir()); len(now) == 0 || now[0].Number != 4 {
		t.Errorf("these stay: %+v", now)
	}
	code, out, _ = runOnBook(b, "audit", "verify")
	if code != console.Done {
		t.Errorf("after: %d\n%s", code, out)
	}
	clitest.MustContain(t, out, "What records 1 to 15 said: they were removed.")
}

func TestPruneRefusesCopy(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 1)
	copied := filepath.Join(filepath.Dir(b.Home), "copy")
	if err := os.CopyFS(copied, os.DirFS(b.Dir())); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runOnBook(b, "audit", "prune", "--ledger", "copy"); code != console.Finding || !strings.Contains(errs, "is a copy") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

func TestUpkeep(t *testing.T) {
	t.Parallel()
	clitest.SkipWithoutUnixHome(t)
	b := clitest.NewBook(t, 0)
	heads := filepath.Join(filepath.Dir(b.Home), "heads")
	secret := "ghp_" + strings.Repeat("a1B2c3", 6)
	b.Configure(t, "version: 1\nledger: {witness: ~/heads, witness_command: [sh, -c, 'echo broken "+secret+" >&2; exit 3']}\n")
	b.Fill(t, 2)
	code, out, errs := runOnBook(b, "upkeep", "--ledger", b.Dir())
	if code != console.Finding || out+errs != "" {
		t.Errorf("exit %d, %q", code, out+errs)
	}
	log, _ := os.ReadFile(filepath.Join(b.Home, "log", "checkrein.log"))
	clitest.MustContain(t, string(log), "2026-11-15T12:02:00Z ledger maintenance: ", "calling the witness command sh: exit code 3: broken [REDACTED]")
	if strings.Contains(string(log), secret) {
		t.Errorf("the log has a secret: %s", log)
	}
	if lines, _ := os.ReadFile(heads); bytes.Count(lines, []byte("\n")) != 1 {
		t.Errorf("the witness file has %q", lines)
	}
}

// Upkeep waits a while for another upkeep, because that one may have read the ledger before the last
// records were added.
func TestUpkeepWaits(t *testing.T) {
	t.Parallel()
	clitest.SkipWithoutUnixHome(t)
	for _, tt := range []struct {
		name     string
		patience time.Duration
		waits    bool
	}{{"long enough", time.Minute, true}, {"not long enough", 0, false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := clitest.NewBook(t, 0)
			heads := filepath.Join(filepath.Dir(b.Home), "heads")
			b.Configure(t, "version: 1\nledger: {witness: ~/heads}\n")
			b.Fill(t, 2)
			unlock, err := state.NewDir(b.Dir()).Lock("upkeep")
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
			if tt.waits {
				time.AfterFunc(state.LockWait+100*time.Millisecond, unlock)
			}
			env, _, _ := b.Env()
			k := audit.NewMaintainer(&env, b.Dir(), base.Places(&env).Config)
			k.Patience = tt.patience
			if err := health.MaintainLedger(t.Context(), k); err != nil || base.FileExists(heads) != tt.waits {
				t.Errorf("%v; witnessed: %v", err, base.FileExists(heads))
			}
		})
	}
}

// The checkpoint of another ledger is not sent to the user's own witnesses.
func TestCheckpointOfAForeignLedger(t *testing.T) {
	t.Parallel()
	clitest.SkipWithoutUnixHome(t)
	b := clitest.NewBook(t, 0)
	heads, told := filepath.Join(filepath.Dir(b.Home), "heads"), filepath.Join(filepath.Dir(b.Home), "told")
	b.Configure(t, "version: 1\nledger:\n  witness: ~/heads\n  witness_command: [sh, -c, 'cat >> "+told+"']\n")
	b.Fill(t, 3)
	if err := os.CopyFS(filepath.Join(filepath.Dir(b.Home), "copy"), os.DirFS(b.Dir())); err != nil {
		t.Fatal(err)
	}
	code, out, errs := runOnBook(b, "audit", "checkpoint", "--ledger", "copy")
	if code != console.Done || base.FileExists(heads) || base.FileExists(told) {
		t.Errorf("a copy: %d %s", code, errs)
	}
	clitest.MustContain(t, out, "signed: record 4, hash ", "not sent to any witness: the witnesses in your configuration are only for your own ledger")
	code, out, errs = runOnBook(b, "audit", "checkpoint", "--ledger", b.Dir())
	if code != console.Done || !base.FileExists(heads) || !base.FileExists(told) {
		t.Errorf("one's own by its name: %d %s", code, errs)
	}
	clitest.MustContain(t, out, "witness: "+heads+" has this checkpoint")
	_, out, _ = runOnBook(b, "audit", "verify", "--ledger", b.Dir())
	clitest.MustContain(t, out, "witnessed: up to record 4, ")
}

// A damaged segment stops pruning until the user accepts it, and upkeep reports it once.
func TestPruneAcceptsDamage(t *testing.T) {
	t.Parallel()
	clitest.SkipWithoutUnixHome(t)
	b := clitest.NewBook(t, 10_000)
	b.Fill(t, 14)
	b.Now = b.Now.Add(30 * moment.Day)
	b.Configure(t, "version: 1\nledger: {keep_days: 20}\n")
	path := filepath.Join(b.Dir(), ledger.SegmentFile(2))
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.Replace(data, []byte("reason 5"), []byte("reason 7"), 1), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		code, _, _ := runOnBook(b, "upkeep")
		if want := map[bool]int{true: console.Finding, false: console.Done}[i == 0]; code != want {
			t.Errorf("upkeep, time %d: exit %d, want %d", i+1, code, want)
		}
	}
	log, _ := os.ReadFile(filepath.Join(b.Home, "log", "checkrein.log"))
	if n := strings.Count(string(log), "pruning the ledger: it does not verify"); n != 1 {
		t.Errorf("it was logged %d times:\n%s", n, log)
	}
	code, _, errs := runOnBook(b, "audit", "prune")
	if code != console.Finding {
		t.Errorf("exit %d", code)
	}
	clitest.MustContain(t, errs, "damaged: segment 2, ", "checkrein audit prune --accept-damage")
	_, dry, _ := runOnBook(b, "audit", "prune", "--accept-damage", "--dry-run")
	clitest.MustContain(t, dry, "would remove segment 2: records 6 to 10, ", ", failed verification\n")
	code, out, errs := runOnBook(b, "audit", "prune", "--accept-damage")
	if code != console.Done || out != strings.ReplaceAll(dry, "would remove", "removed") {
		t.Errorf("exit %d, %s%s\nwant as in the rehearsal: %s", code, out, errs, dry)
	}
	code, out, _ = runOnBook(b, "audit", "verify")
	if code != console.Done {
		t.Errorf("after: %d", code)
	}
	clitest.MustContain(t, out, "! pruned: segment 5, record 20: segment 2 did not verify or was missing: a person accepted that with checkrein audit prune --accept-damage")
	if code, _, _ := runOnBook(b, "upkeep"); code != console.Done {
		t.Errorf("upkeep after: exit %d", code)
	}
}

// Upkeep discards changed stores, and records that it did.
func TestUpkeepRepairsStores(t *testing.T) {
	t.Parallel()
	b := clitest.NewBook(t, 0)
	b.Fill(t, 5)
	if code, out, errs := runOnBook(b, "audit", "query", "--count"); code != 0 || out != "5\n" {
		t.Fatalf("%d, %s%s", code, out, errs)
	}
	file := filepath.Join(b.Dir(), index.Folder, "00000001.idx")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[len(data)/2:])
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	of := filepath.Join(b.Dir(), "index.db") // a file of an older version
	if err := os.WriteFile(of, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := runOnBook(b, "audit", "verify"); code != 1 || !strings.Contains(out, "derived: the store index: ") {
		t.Errorf("before: %d, %s", code, out)
	}
	if code, _, errs := runOnBook(b, "upkeep", "--ledger", b.Dir()); code != 0 {
		t.Errorf("upkeep: %d, %s", code, errs)
	}
	if base.FileExists(of) {
		t.Error("upkeep left an older version's index")
	}
	if code, out, errs := runOnBook(b, "audit", "query", "--kind", "derived", "--json"); code != 0 || errs != "" || !strings.Contains(out, "it is rebuilt") {
		t.Errorf("on record: %d, %s%s", code, out, errs)
	}
	if log, err := os.ReadFile(filepath.Join(b.Home, "log", "checkrein.log")); err != nil || !strings.Contains(string(log), "the store index: ") {
		t.Errorf("the log: %s, %v", log, err)
	}
	if code, out, _ := runOnBook(b, "audit", "verify"); code != 0 {
		t.Errorf("after: %d, %s", code, out)
	}
}
