package main

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
)

// A derivedPlace is a home in which stores are spoiled that checkrein makes for itself.
type derivedPlace struct {
	*testing.T
	dir   string
	state string
}

func newDerivedPlace(t *testing.T) *derivedPlace {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &derivedPlace{t, dir, filepath.Join(dir, "home", ".local", "state", "checkrein")}
	p.write("work/README", "nothing\n")
	return p
}

func (p *derivedPlace) write(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// run runs the program and returns its exit code and all it printed.
func (p *derivedPlace) run(stdin string, args ...string) (int, string) {
	p.Helper()
	return p.runWith(nil, stdin, args...)
}

func (p *derivedPlace) env() []string {
	return []string{"HOME=" + filepath.Join(p.dir, "home"), "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull}
}

func (p *derivedPlace) runWith(env []string, stdin string, args ...string) (int, string) {
	p.Helper()
	cmd := exec.Command(filepath.Join(programs, "checkrein"), args...)
	cmd.Dir = filepath.Join(p.dir, "work")
	cmd.Env = append(p.env(), env...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		p.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

const (
	forbidding = "version: 1\nhooks:\n  pre_tool_use: {type: rule, if: {command: {contains: forbidden-word}}, decision: deny, reason: the rule spoke}\n"
	lenient    = "version: 1\n"
	forbidden  = `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo forbidden-word"}}`
)

const ownFile = "home/.config/checkrein/checkrein.yaml"

// cachedFiles returns the names of the cached readings.
func (p *derivedPlace) cachedFiles(state string) map[string]bool {
	p.Helper()
	files, err := filepath.Glob(filepath.Join(state, "cache", "*"))
	if err != nil {
		p.Fatal(err)
	}
	out := map[string]bool{}
	for _, f := range files {
		out[filepath.Base(f)] = true
	}
	return out
}

// cacheReading makes the program read text as the user's file, and returns the name of the cached
// reading.
func (p *derivedPlace) cacheReading(text string) string {
	p.Helper()
	before := p.cachedFiles(p.state)
	p.write(ownFile, text)
	for range 2 { // the first record makes the key
		p.run(forbidden, "hook", "claude")
	}
	for name := range p.cachedFiles(p.state) {
		if !before[name] {
			return name
		}
	}
	p.Fatal("nothing is remembered of the file")
	return ""
}

// withoutKey writes a reading under another name, with a sum that anyone can make.
func withoutKey(name string, data []byte) []byte {
	end := bytes.IndexByte(data, '\n') + 1
	body := data[end+16:]
	sum := sha256.Sum256(append([]byte("cache/"+name), body...))
	return append(append(bytes.Clone(data[:end]), sum[:16]...), body...)
}

// Whatever is put into the cache of parsed files, the file itself counts, and a notice appears once.
func TestPoisonedCacheIsNotUsed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		spoil func(p *derivedPlace, strict, other []byte, name string) []byte
	}{
		{"another reading with a sum that needs no key", func(_ *derivedPlace, _, other []byte, name string) []byte { return withoutKey(name, other) }},
		{"another reading as it is", func(_ *derivedPlace, _, other []byte, _ string) []byte { return other }},
		{"cut", func(_ *derivedPlace, strict, _ []byte, _ string) []byte { return strict[:len(strict)-5] }},
		{"empty", func(*derivedPlace, []byte, []byte, string) []byte { return nil }},
		{"one bit", func(_ *derivedPlace, strict, _ []byte, _ string) []byte {
			bad := bytes.Clone(strict)
			bad[len(bad)-9] ^= 4
			return bad
		}},
		{"another key", func(p *derivedPlace, _, _ []byte, name string) []byte {
			for range 2 {
				p.runWith([]string{"XDG_STATE_HOME=" + filepath.Join(p.dir, "home", "elsewhere")}, forbidden, "hook", "claude")
			}
			data, err := os.ReadFile(filepath.Join(p.dir, "home", "elsewhere", "checkrein", "cache", name))
			if err != nil {
				p.Fatal(err)
			}
			return data
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newDerivedPlace(t)
			other := p.cacheReading(lenient)
			strict := p.cacheReading(forbidding)
			read := func(name string) []byte {
				data, err := os.ReadFile(filepath.Join(p.state, "cache", name))
				if err != nil {
					t.Fatal(err)
				}
				return data
			}
			sound := read(strict)
			if err := os.WriteFile(filepath.Join(p.state, "cache", strict), tt.spoil(p, sound, read(other), strict), 0o600); err != nil {
				t.Fatal(err)
			}
			const notice = "was damaged or changed, so it was not used"
			if _, out := p.run(forbidden, "hook", "claude"); !strings.Contains(out, "the rule spoke") || !strings.Contains(out, notice) {
				t.Errorf("the first call says %s", out)
			}
			if !bytes.Equal(read(strict), sound) {
				t.Error("the reading was not made anew")
			}
			if _, out := p.run(strings.Replace(forbidden, `"s"`, `"another"`, 1), "hook", "claude"); !strings.Contains(out, "the rule spoke") || strings.Contains(out, notice) {
				t.Errorf("the second call says %s", out)
			}
			if _, out := p.run("", "audit", "query", "--kind", "derived", "--json"); strings.Count(out, notice) != 1 || !strings.Contains(out, ownFile) {
				t.Errorf("on record is %s", out)
			}
			if code, out := p.run("", "audit", "verify"); code != 0 {
				t.Errorf("verify: %d, %s", code, out)
			}
		})
	}
}

// A git object that is replaced during a scan is a finding.
func TestReplacedGitObjectIsFound(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Dir = filepath.Join(p.dir, "work")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	text := "token = ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a" + "\n"
	p.write("work/settings.txt", text)
	git("add", "settings.txt")
	git("commit", "-qm", "settings")
	id := git("rev-parse", "HEAD:settings.txt")
	file := filepath.Join(p.dir, "work", ".git", "objects", id[:2], id[2:])
	sound, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	put := func(data []byte) {
		t.Helper()
		if err := errors.Join(os.Remove(file), os.WriteFile(file, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	fmt.Fprintf(z, "blob %d\x00%s\n", len(text), strings.Repeat("a", len(text)-1))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	put(b.Bytes())
	scan := []string{"scan", "--push-range", strings.Repeat("0", 40) + "..HEAD"}
	if code, out := p.run("", scan...); code != 1 || !strings.Contains(out, "object "+id+" does not match its hash") {
		t.Errorf("in place of it: %d, %s", code, out)
	}
	push := "refs/heads/x " + git("rev-parse", "HEAD") + " refs/heads/x " + strings.Repeat("0", 40) + "\n"
	if code, out := p.run(push, "git", "pre-push", "origin", "nowhere"); code != 1 || !strings.Contains(out, "object "+id) {
		t.Errorf("pre-push: %d, %s", code, out)
	}
	put(sound)
	if code, out := p.run("", scan...); code != 1 || !strings.Contains(out, "settings.txt:1:9: github-pat") {
		t.Errorf("put back: %d, %s", code, out)
	}
}

// edits are what somebody does to the query index: hide what was refused, take things
// away, put others in their place.
var edits = []struct {
	name string
	edit func(sound []byte) []byte
}{
	{"a term", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("deny"), []byte("done")) }},
	{"a term with its length", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\x04deny"), []byte("\x03deny")) }},
	{"the bits of a term", func(b []byte) []byte {
		at := bytes.LastIndex(b, []byte("deny")) + len("deny")
		clear(b[at : at+4])
		return b
	}},
	{"a part", func(b []byte) []byte { at := bytes.LastIndex(b, []byte("deny")); return slices.Delete(b, at-20, at+10) }},
	{"a part in another's place", func(b []byte) []byte {
		at := bytes.LastIndex(b, []byte("deny"))
		copy(b[at-18:at+6], b[at+6:])
		return b
	}},
	{"its end", func(b []byte) []byte { return b[:len(b)-20] }},
	{"what it says of the segment", func(b []byte) []byte { b[60]++; return b }},
	{"all of it", func([]byte) []byte { return []byte("nothing was denied") }},
}

// Edits of the query index neither hide nor invent records.
func TestEditedIndexHidesNothing(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	p.write(ownFile, forbidding)
	for range 3 {
		p.run(forbidden, "hook", "claude")
	}
	p.run(strings.Replace(forbidden, "forbidden-word", "hello", 1), "hook", "claude")
	count := func() string {
		_, out := p.run("", "audit", "query", "--denied", "--count")
		return out
	}
	if out := count(); out != "3\n" {
		t.Fatalf("before: %s", out)
	}
	for _, e := range edits {
		file := filepath.Join(p.state, "ledger", "index", "00000001.idx")
		sound, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		edited := e.edit(bytes.Clone(sound))
		if bytes.Equal(edited, sound) {
			t.Errorf("%s: nothing was edited", e.name)
		}
		if err := os.WriteFile(file, edited, 0o600); err != nil {
			t.Fatal(err)
		}
		if out := count(); !strings.HasSuffix(out, "3\n") || !strings.Contains(out, "the query index was damaged") {
			t.Errorf("%s: %s", e.name, out)
		}
		if out := count(); out != "3\n" {
			t.Errorf("%s: afterwards: %s", e.name, out)
		}
	}
}

// The index of an older version is removed silently.
func TestIndexOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	p.run(forbidden, "hook", "claude")
	for _, name := range []string{"index.db", "index.db-wal", "index.db-shm"} {
		p.write(filepath.Join("home/.local/state/checkrein/ledger", name), "SQLite format 3\x00")
	}
	if code, out := p.run("", "audit", "verify"); code != 0 || strings.Contains(out, "index") {
		t.Errorf("verify: %d, %s", code, out)
	}
	if code, out := p.run("", "audit", "query", "--count"); code != 0 || out != "1\n" {
		t.Errorf("query: %d, %s", code, out)
	}
	if left, err := filepath.Glob(filepath.Join(p.state, "ledger", "index.db*")); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// A copy of a ledger is not changed, whatever is wrong with its index.
func TestEditedIndexOfACopy(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	p.run(forbidden, "hook", "claude")
	p.run("", "audit", "query")
	home := filepath.Join(p.dir, "copy")
	copied := filepath.Join(home, "ledger")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join(p.state, "ledger"))); err != nil {
		t.Fatal(err)
	}
	p.write("copy/ledger/index/00000001.idx", "spoiled")
	if err := os.Chmod(filepath.Join(copied, "key"), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func() string {
		data, err := os.ReadFile(filepath.Join(copied, "current.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	before := read()
	if _, out := p.run("", "audit", "query", "--count", "--ledger", copied); !strings.HasSuffix(out, "1\n") || !strings.Contains(out, "changed or damaged") {
		t.Errorf("it says %s", out)
	}
	if read() != before {
		t.Error("the copy was written to")
	}
	if list, err := os.ReadDir(home); err != nil || len(list) != 1 {
		t.Errorf("beside the copy lies %v, %v", list, err)
	}
}

// Verify and doctor report changed stores, and nothing else.
func TestChangedStoresAreFindings(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	git := exec.Command("git", "init", "-q", filepath.Join(p.dir, "work"))
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("git", "-C", filepath.Join(p.dir, "work"), "add", "README").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.cacheReading(forbidding)
	p.run("", "scan", "--staged")
	p.run("", "audit", "query")
	look := func() (verify, doctor string, code int) {
		code, verify = p.run("", "audit", "verify")
		_, doctor = p.run("", "doctor", "--no-run")
		return verify, doctor, code
	}
	if verify, doctor, code := look(); code != 0 || strings.Contains(doctor, "store-changed") || strings.Contains(doctor, "key-open") {
		t.Fatalf("nobody touched anything: %d, %s%s", code, verify, doctor)
	}
	for _, store := range []struct{ name, files string }{{"cache", "cache/*"}, {"index", "ledger/index/*"}} {
		files, err := filepath.Glob(filepath.Join(p.state, store.files))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", store.name, files, err)
		}
		sound, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(sound)
		for i := len(bad) / 2; i < len(bad); i++ {
			bad[i] ^= 0x55
		}
		if err := os.WriteFile(files[0], bad, 0o600); err != nil {
			t.Fatal(err)
		}
		verify, doctor, code := look()
		if code != 1 || !strings.Contains(verify, "derived: the store "+store.name+": ") {
			t.Errorf("%s: verify: %d, %s", store.name, code, verify)
		}
		if !strings.Contains(doctor, "store-changed: the store "+store.name+": ") {
			t.Errorf("%s: doctor: %s", store.name, doctor)
		}
		if err := os.WriteFile(files[0], sound, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if verify, _, code := look(); code != 0 {
		t.Errorf("put back: %d, %s", code, verify)
	}
	if err := os.Chmod(filepath.Join(p.state, "ledger", "key"), 0o640); err != nil {
		t.Fatal(err)
	}
	if verify, doctor, code := look(); code != 0 || !strings.Contains(verify, "chmod 600") || !strings.Contains(doctor, "key-open") {
		t.Errorf("a key that others may read: %d, %s%s", code, verify, doctor)
	}
}

// A reading that was forged with the key is still found, since it differs from the file.
func TestForgedWithTheKeyIsFound(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	other := p.cacheReading(lenient)
	strict := p.cacheReading(forbidding)
	secret, err := ledger.ReadSecret(filepath.Join(p.state, "ledger"), ledger.LabelCache)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(p.state, "cache", other))
	if err != nil {
		t.Fatal(err)
	}
	end := bytes.IndexByte(data, '\n') + 1
	sum := secret.MAC("cache/"+strict, data[end+len(secret.MAC("", nil)):])
	copy(data[end:], sum[:])
	if err := os.WriteFile(filepath.Join(p.state, "cache", strict), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := p.run("", "audit", "verify"); code != 1 || !strings.Contains(out, "the cached copy does not match ~/"+strings.TrimPrefix(ownFile, "home/")) {
		t.Errorf("%d, %s", code, out)
	}
}

// If the key is not secret, nothing is cached: an unkeyed reading is never used.
func TestCacheNeedsASecretKey(t *testing.T) {
	t.Parallel()
	p := newDerivedPlace(t)
	p.cacheReading(forbidding)
	if err := os.Chmod(filepath.Join(p.state, "ledger", "key"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(p.state, "cache")); err != nil {
		t.Fatal(err)
	}
	if _, out := p.run(forbidden, "hook", "claude"); !strings.Contains(out, "the rule spoke") {
		t.Errorf("it says %s", out)
	}
	if n := len(p.cachedFiles(p.state)); n != 0 {
		t.Errorf("%d readings are remembered", n)
	}
}
