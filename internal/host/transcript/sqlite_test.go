package transcript_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/host/setups"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

const fixtureDB = "testdata/opencode/.local/share/opencode/opencode.db"

// readDatabase writes a database and its log to files and reads them.
func readDatabase(t testing.TB, db, log []byte) ([]string, transcript.Report, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err := os.WriteFile(path, db, 0o600); err != nil {
		t.Fatal(err)
	}
	if log != nil {
		if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out []string
	rep, err := transcript.File{Host: "opencode", Form: setups.Transcripts().ForHost("opencode"), Path: path}.Read(transcript.Options{Text: func(*transcript.Call, string) error { return nil }}, func(c *transcript.Call) error {
		out = append(out, formatCall(c))
		return nil
	})
	if rep.Calls != len(out) {
		t.Errorf("%d calls are counted, %d were reported", rep.Calls, len(out))
	}
	return out, rep, err
}

func fixtureFiles(t testing.TB) (db, log []byte) {
	t.Helper()
	db, err := os.ReadFile(fixtureDB)
	if err != nil {
		t.Fatal(err)
	}
	if log, err = os.ReadFile(fixtureDB + "-wal"); err != nil {
		t.Fatal(err)
	}
	return db, log
}

func TestDatabaseWithItsLog(t *testing.T) {
	db, log := fixtureFiles(t)
	all, rep, err := readDatabase(t, db, log)
	if err != nil || len(all) != 11 || strings.Contains(strings.Join(all, "\n"), "never") {
		t.Fatalf("%d calls, %+v, %v", len(all), rep, err)
	}
	half, _, err := readDatabase(t, db, nil)
	if err != nil || len(half) >= len(all) || len(half) < 3 || !slices.Equal(half, all[:len(half)]) {
		t.Errorf("without its log: %d calls, %v", len(half), err)
	}
	// A log that is truncated or was partly overwritten after a restart counts only up to its last
	// commit.
	before := 0
	for cut := 0; cut <= len(log); cut += 509 {
		got, _, err := readDatabase(t, db, log[:cut])
		if err != nil || len(got) < before || !slices.Equal(got, all[:len(got)]) {
			t.Errorf("its log cut at %d: %d calls, %v", cut, len(got), err)
		}
		before = len(got)
	}
	for at := 0; at < len(log); at += 1021 {
		bad := bytes.Clone(log)
		bad[at] ^= 0x40
		got, _, err := readDatabase(t, db, bad)
		if err != nil || !slices.Equal(got, all[:len(got)]) {
			t.Errorf("its log damaged at %d: %d calls, %v", at, len(got), err)
		}
	}
}

func TestDamagedDatabase(t *testing.T) {
	db, log := fixtureFiles(t)
	for at := 0; at < len(db); at += 37 {
		bad := bytes.Clone(db)
		bad[at] ^= 0xff
		_, _, err := readDatabase(t, bad, nil)
		var foreign *transcript.ForeignError
		if err != nil && !errors.As(err, &foreign) {
			t.Errorf("damaged at %d: %v", at, err)
		}
	}
	for cut := 0; cut < len(db); cut += 301 {
		_, _, err := readDatabase(t, db[:cut], log[:0])
		if cut < 100 && err == nil {
			t.Errorf("cut at %d: it was taken for whole", cut)
		}
	}
	// A tree all of whose branches lead back to the tree itself.
	loop := bytes.Clone(db)
	page := int(binary.BigEndian.Uint16(loop[16:]))
	for n := 2 * page; n+page <= len(loop); n += page {
		loop[n] = 5
		binary.BigEndian.PutUint16(loop[n+3:], 0)
		binary.BigEndian.PutUint32(loop[n+8:], uint32(n/page+1))
	}
	if _, _, err := readDatabase(t, loop, nil); err == nil {
		t.Error("a loop was taken for a tree")
	}
	for _, s := range []string{"", "SQLite format 3\x00", "# not a database\n", strings.Repeat("\x00", 8192)} {
		var foreign *transcript.ForeignError
		if _, _, err := readDatabase(t, []byte(s), nil); !errors.As(err, &foreign) {
			t.Errorf("%q: %v", transcript.Short(s, 20), err)
		}
	}
}

func TestColumnNames(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE `part` (`id` text PRIMARY KEY, `n` decimal(10,2) NOT NULL, \"data\" text, CONSTRAINT `x` FOREIGN KEY (`id`) REFERENCES `m`(`id`))": "id n data CONSTRAINT",
		"CREATE TABLE t(a,[b] int , 'c')": "a b c",
		"nonsense":                        "",
		"CREATE TABLE t(":                 "",
	} {
		if got := strings.Join(transcript.ColumnNames(sql), " "); got != want {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}
