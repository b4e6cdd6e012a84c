package prove

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/sys/state"
)

type playedRow struct {
	Row    string   `json:"row"`
	Result string   `json:"result"`
	Said   string   `json:"said"`
	By     []string `json:"evidence"`
}

type proof struct {
	Version  string            `json:"version"`
	Host     string            `json:"host"`
	Began    time.Time         `json:"began"`
	Took     float64           `json:"took"`
	Large    int64             `json:"large"`
	Outcomes []playedRow       `json:"outcomes"`
	More     map[string]string `json:"more"`
}

var sample = proof{
	Version: "2.1.325", Host: "claude", Began: time.Date(2026, 11, 17, 5, 0, 0, 0, time.UTC), Took: 41.25, Large: 1<<62 + 1,
	Outcomes: []playedRow{{"deny-shell", "honoured", `"rm" <did> & not run \u2028 é`, []string{"ab", "cd"}}},
	More:     map[string]string{"b": "2", "a": "1"},
}

func keyAt(t *testing.T) (Key, state.Dir) {
	t.Helper()
	dir := state.NewDir(filepath.Join(t.TempDir(), "state"))
	key, err := OpenKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	return key, dir
}

func TestSignAndVerify(t *testing.T) {
	t.Parallel()
	key, dir := keyAt(t)
	file, err := key.Sign(sample)
	if err != nil {
		t.Fatal(err)
	}
	text, err := VerifyCertificate(file, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	var got proof
	if err := json.Unmarshal(text, &got); err != nil || got.Large != sample.Large || got.Outcomes[0].Said != sample.Outcomes[0].Said || !got.Began.Equal(sample.Began) {
		t.Errorf("%+v, %v", got, err)
	}
	again, err := OpenKey(dir)
	if err != nil || again.Public() != key.Public() {
		t.Errorf("the key is another one the next time: %v", err)
	}
	if same, err := again.Sign(sample); err != nil || !bytes.Equal(same, file) {
		t.Errorf("one proof has two certificates: %v", err)
	}
	if bytes.Count(file, []byte("\n")) != 1 || file[len(file)-1] != '\n' {
		t.Errorf("not one line: %q", file)
	}
}

// Every change of a single byte is found, as is everything that is added, left out or spelled
// differently.
func TestEveryByteCounts(t *testing.T) {
	t.Parallel()
	key, _ := keyAt(t)
	file, err := key.Sign(sample)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, changed []byte) {
		t.Helper()
		if text, err := VerifyCertificate(changed, key.Public()); err == nil || text != nil {
			t.Errorf("%s goes unseen: %s", what, changed)
		}
	}
	for i := range file {
		for bit := range 8 {
			changed := slices.Clone(file)
			changed[i] ^= 1 << bit
			refused("a changed byte", changed)
		}
		refused("a byte less", slices.Delete(slices.Clone(file), i, i+1))
		refused("a byte more", slices.Insert(slices.Clone(file), i, ' '))
		refused("the beginning", file[:i])
	}
	refused("a line more", append(slices.Clone(file), '\n'))
	for what, change := range map[string][2]string{
		"a name in another order":   {`"host":"claude","large":4611686018427387905`, `"large":4611686018427387905,"host":"claude"`},
		"a second member":           {`"host":"claude"`, `"host":"codex","host":"claude"`},
		"another spelling":          {`"claude"`, `"\u0063laude"`},
		"another number":            {`41.25`, `41.250`},
		"a second proof":            {`"proof":`, `"proof":{},"proof":`},
		"digits in capital letters": {`"signature":"`, `"signature":"A`},
	} {
		if changed := bytes.Replace(file, []byte(change[0]), []byte(change[1]), 1); bytes.Equal(changed, file) {
			t.Errorf("%s: nothing was changed", what)
		} else {
			refused(what, changed)
		}
	}
	at := bytes.Index(file, []byte(`"signature":"`)) + len(`"signature":"`)
	refused("capital letters", slices.Concat(file[:at], bytes.ToUpper(file[at:len(file)-3]), file[len(file)-3:]))
}

func TestAnotherMachine(t *testing.T) {
	t.Parallel()
	mine, _ := keyAt(t)
	other, _ := keyAt(t)
	file, err := other.Sign(sample)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := VerifyCertificate(file, mine.Public()); !errors.Is(err, ErrOtherKey) {
		t.Errorf("another's certificate: %v", err)
	}
	pub, theirs := mine.Public(), other.Public()
	swapped := encodeCertificate(pub, []byte(`{}`), make([]byte, 64))
	if _, err := VerifyCertificate(swapped, pub); !errors.Is(err, ErrChanged) {
		t.Errorf("a signature of nothing: %v", err)
	}
	text, _ := VerifyCertificate(file, theirs)
	if _, err := VerifyCertificate(encodeCertificate(pub, text, nil), pub); !errors.Is(err, ErrChanged) {
		t.Errorf("no signature: %v", err)
	}
	for _, bad := range []string{"", "null", "[]", "{}", "-----BEGIN", strings.Repeat("[", 1<<20), `{"form":"checkrein certificate 2"}`} {
		if _, err := VerifyCertificate([]byte(bad), pub); err == nil {
			t.Errorf("%.20q is a certificate", bad)
		}
	}
}

func TestKeyIsHidden(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are not what hides files there")
	}
	_, dir := keyAt(t)
	info, err := os.Stat(dir.Path(KeyFile))
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != state.KeySize {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.Chmod(dir.Path(KeyFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKey(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others may read signs: %v", err)
	}
	if err := os.WriteFile(dir.Path(KeyFile), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir.Path(KeyFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenKey(dir); err == nil {
		t.Error("half a key signs")
	}
}

func FuzzVerify(f *testing.F) {
	key, err := OpenKey(state.NewDir(filepath.Join(f.TempDir(), "state")))
	if err != nil {
		f.Fatal(err)
	}
	file, err := key.Sign(sample)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte(`{"form":"checkrein certificate 1","key":"","proof":{},"signature":""}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := VerifyCertificate(data, key.Public()); err == nil && !bytes.Equal(data, file) {
			t.Errorf("forged: %q", data)
		}
	})
}
