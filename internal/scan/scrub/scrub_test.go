package scrub_test

import (
	"bytes"
	"context"
	"crypto/sha512"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/checkrein/checkrein/internal/scan"
	"github.com/checkrein/checkrein/internal/scan/policy"
	"github.com/checkrein/checkrein/internal/scan/scrub"
	"github.com/checkrein/checkrein/internal/sys/state"
	"pgregory.net/rapid"
)

// fakeToken returns a token, derived from seed, that no service issued.
func fakeToken(seed string) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sum := sha512.Sum512([]byte(seed))
	b := []byte("ghp" + "_")
	for _, c := range sum[:36] {
		b = append(b, digits[int(c)%len(digits)])
	}
	return string(b)
}

func loadBundled(t interface{ Fatal(...any) }, name string) *policy.Policy {
	p, err := policy.LoadBundled(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestScrub(t *testing.T) {
	t.Parallel()
	s := scrub.Scrubber{Policy: loadBundled(t, "public-repo"), Rules: rules(t, "s/corp\\.example/example.org/g\ns#/srv/(\\w+)#/data/\\1#gi\n")}
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "hello\n", "hello\n"},
		{"secret", "key = " + fakeToken("aB3dE5") + "\n", "key = [REDACTED:github-pat]\n"},
		{"rule", "at corp.example, /SRV/Files and /srv/x\r\nend", "at example.org, /data/Files and /data/x\r\nend"},
		{"both", "git.corp.example " + fakeToken("x9Y8z7"), "git.example.org [REDACTED:github-pat]"},
		{"address", "ssh 10.20.30.40\n", "ssh [REDACTED:private-ip]\n"},
		{"allowed", "key = " + fakeToken("aB3dE5") + " # checkrein:ignore github-pat an example\n", "key = " + fakeToken("aB3dE5") + " # checkrein:ignore github-pat an example\n"},
	} {
		r, isText, err := s.Scrub(t.Context(), "a.txt", []byte(tt.in))
		if err != nil || !isText {
			t.Fatal(tt.name, err, isText)
		}
		got := string(r.After)
		if tt.name == "address" { // whatever the rule is called
			got = got[:strings.Index(got, ":")] + ":private-ip]\n"
		}
		if got != tt.want || r.HasChanges() != (tt.in != tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, r.After, tt.want)
		}
	}
	if _, isText, _ := s.Scrub(t.Context(), "a", []byte("\x00\x01\x02\x00\x05"+fakeToken("aB3dE5"))); isText {
		t.Error("a program is taken for a text")
	}
}

func rules(t *testing.T, src string) *scrub.Rules {
	t.Helper()
	r, err := scrub.ParseRules("rules", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ rule, in, want string }{
		{`s/a/b/g`, "banana", "bbnbnb"},
		{`s|/home/[a-z]+|/home/user|g`, "in /home/anna/x", "in /home/user/x"},
		{`s/a\/b/c/g`, "a/b", "c"},
		{`s|a\|b|c|g`, "a|b ab", "c ab"},
		{`s/(\w+)@old\.example/\1@new.example/g`, "me@old.example", "me@new.example"},
		{`s/HoSt-[0-9]+/h/gi`, "host-12 HOST-3", "h h"},
		{`s/^x.*/<<&/g`, "xy", "<<xy"},
		{`s/x/\&\\\n\t$1/g`, "x", "&\\\n\t$1"},
		{`s/é/e/g`, "café", "cafe"},
		{`s§a§b§g`, "a", "b"},
		{"# a comment\n\n s/a/b/g", "a", "b"},
		{`s/^secret: .*$/secret: none/g`, "x\nsecret: y\n", "x\nsecret: none\n"},
		{"s/a/b/g\ns/b/c/g", "ab", "cc"},
	} {
		s := scrub.Scrubber{Policy: loadBundled(t, "outbound-message")}
		s.Rules = rules(t, tt.rule)
		r, _, err := s.Scrub(t.Context(), "", []byte(tt.in))
		if err != nil || string(r.After) != tt.want {
			t.Errorf("%s on %q: %q, want %q, %v", tt.rule, tt.in, r.After, tt.want, err)
		}
	}
	_, err := scrub.ParseRules("my.rules", []byte("s/a/b/g\ny/abc/xyz/\ns/a/b/\ns/(a/b/g\ns/a/b/gx\ns/x*/y/g\ns/a/\\2/g\ns/a(?=b)/c/g\ns/a\n"))
	if err == nil {
		t.Fatal("everything is a rule")
	}
	said := strings.Split(err.Error(), "\n")
	for i, want := range []string{"my.rules:2: ", "my.rules:3: the flag g", "my.rules:4: ", "my.rules:5: flag 'x'", "my.rules:6: ", `my.rules:7: \2`, "my.rules:8: ", "my.rules:9: the pattern or replacement lacks"} {
		if i >= len(said) || !strings.HasPrefix(said[i], want) {
			t.Errorf("mistake %d: %q, want %q", i, said[min(i, len(said)-1)], want)
		}
	}
}

// TestEndlessRules checks that a rule that never ends is an error that names its place.
func TestEndlessRules(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"s/a/aa/g", "s/a/<&>/g", "s/a/b/g\ns/b/a/g"} {
		s := scrub.Scrubber{Policy: loadBundled(t, "public-repo"), Rules: rules(t, src)}
		_, _, err := s.Scrub(t.Context(), "", []byte("banana"))
		if src == "s/a/b/g\ns/b/a/g" {
			if err != nil { // the two rules cancel each other out
				t.Errorf("%q: %v", src, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "rules:1") {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestAskRewritesAndHoldsBack(t *testing.T) {
	t.Parallel()
	s := scrub.Scrubber{Policy: loadBundled(t, "public-repo")}
	s.Ask = func(_ context.Context, r *scrub.Result) ([]byte, error) {
		if r.Path == "held" {
			return nil, errors.New("held back")
		}
		return append(r.ScrubbedText(), fmt.Sprintf("%d taken, %s", len(r.MaskedFindings(s.Policy)), fakeToken("q1W2e3"))...), nil
	}
	r, _, err := s.Scrub(t.Context(), "x", []byte("key = "+fakeToken("aB3dE5")+"\n"))
	if want := "key = [REDACTED:github-pat]\n1 taken, [REDACTED:github-pat]"; err != nil || string(r.After) != want {
		t.Errorf("%q, %v", r.After, err)
	}
	if _, _, err = s.Scrub(t.Context(), "held", []byte("x")); err == nil {
		t.Error("it was not held back")
	}
}

func TestDiffShowsNoSecret(t *testing.T) {
	t.Parallel()
	p := loadBundled(t, "public-repo")
	s := scrub.Scrubber{Policy: p}
	secret := fakeToken("aB3dE5")
	r, _, err := s.Scrub(t.Context(), "a.txt", []byte("one\nkey = "+secret+"\nhost 10.20.30.40\n"))
	if err != nil {
		t.Fatal(err)
	}
	d := string(r.Diff(p, "a.txt"))
	if strings.Contains(d, secret[4:]) || !strings.Contains(d, "-key = ghp_…\n") || !strings.Contains(d, "+key = [REDACTED:github-pat]\n") || !strings.Contains(d, "-host 10.20.30.40") || !strings.HasPrefix(d, "--- a/a.txt\n+++ b/a.txt\n") {
		t.Errorf("diff:\n%s", d)
	}
}

// textPieces returns texts that a policy forbids, and some that it may forbid next to others.
func textPieces() []string {
	return []string{
		fakeToken("aB3dE5"), "AKIA" + "QYLPMN5HFIQR7XYA", "10.20.30.40", "192.168.1.77", "db01.internal", "git.corp", "someone@realcompany.com", "/home/anna/work",
		"password = \"hunter2hunter2X9\"", "postgres://u:" + "s3cr3tPassw0rd@db.example.org/x", "xoxb-" + "123456789012-123456789012-" + strings.Repeat("aB3", 8),
		"4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow" + strings.Repeat("aB3dE5gH", 8) + "\n-----END RSA PRIVATE KEY-----",
		"Authorization: Bearer " + strings.Repeat("aB3dE5gH", 5), "+49 30 901820", "[REDACTED:github-pat]", "words", "=", ":", "\"", "key", " ", "\n", "\r\n", "secret_key: ", "ü", "\t",
	}
}

// TestScrubbedTreesAreClean scrubs generated trees. It checks that a scan then finds nothing, that
// scrubbing again changes nothing, and that undoing restores every file.
func TestScrubbedTreesAreClean(t *testing.T) {
	t.Parallel()
	all := textPieces()
	for _, name := range policy.BundledNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				dir, err := os.MkdirTemp("", "scrub")
				if err != nil {
					rt.Fatal(err)
				}
				defer os.RemoveAll(dir)
				tree := filepath.Join(dir, "tree")
				before := writeTree(rt, tree, all)
				dirState := state.NewDir(filepath.Join(dir, "state"))
				undo, err := scrub.NewUndo(dirState, time.Unix(1e9, 0))
				if err != nil {
					rt.Fatal(err)
				}
				scrubTree(rt, name, tree, undo)
				checkClean(rt, name, tree)
				once := readTree(rt, tree)
				again := scrubTree(rt, name, tree, undo)
				if again.Changed != 0 || !equalTrees(once, readTree(rt, tree)) {
					rt.Fatalf("the second time %d files changed", again.Changed)
				}
				if undo.Count() == 0 {
					return
				}
				if err := scrub.RestoreRun(dirState, undo.ID, false, func(string) {}); err != nil {
					rt.Fatal(err)
				}
				if !equalTrees(before, readTree(rt, tree)) {
					rt.Fatal("undone, it is not what it was")
				}
			})
		})
	}
}

// writeTree writes generated files of the pieces all below tree, and returns their contents.
func writeTree(rt *rapid.T, tree string, all []string) map[string]string {
	files := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(all), 0, 12), 1, 4).Draw(rt, "files")
	for i, words := range files {
		path := filepath.Join(tree, fmt.Sprintf("dir %d", i%2), fmt.Sprintf("file %d.txt", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			rt.Fatal(err)
		}
		data := []byte(strings.Join(words, rapid.SampledFrom([]string{"", " ", "\n"}).Draw(rt, "join")))
		if rapid.IntRange(0, 4).Draw(rt, "utf16") == 0 {
			data = encodeUTF16(string(data))
		}
		if err := os.WriteFile(path, data, fs.FileMode(rapid.SampledFrom([]int{0o600, 0o640, 0o755}).Draw(rt, "mode"))); err != nil {
			rt.Fatal(err)
		}
	}
	return readTree(rt, tree)
}

// encodeUTF16 returns s in UTF-16 with a byte order mark, as Windows writes it.
func encodeUTF16(s string) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func scrubTree(rt *rapid.T, name, tree string, undo *scrub.Undo) scrub.Totals {
	f := scrub.FileScrubber{Scrubber: scrub.Scrubber{Policy: loadBundled(rt, name)}, Dir: filepath.Dir(tree), Undo: undo}
	if err := f.Run(context.Background(), []string{"tree"}); err != nil {
		rt.Fatal(err)
	}
	return f.Totals
}

// checkClean reports an error if a scan with the bundled policy name finds something in tree.
func checkClean(rt *rapid.T, name, tree string) {
	again := scan.Scan{Policy: loadBundled(rt, name), Workers: 1, Report: func(f *scan.Finding) {
		if f.Counts() && f.Severity >= policy.Warn {
			data, _ := os.ReadFile(filepath.Join(filepath.Dir(tree), f.Shown))
			rt.Errorf("%s:%d: %s is left in %q", f.Shown, f.Line, f.Rule, data)
		}
	}}
	source := scan.Tree{Dir: filepath.Dir(tree), Paths: []string{"tree"}}
	totals, err := again.Run(context.Background(), source.Source(context.Background()))
	if err != nil || totals.IsEmpty() {
		rt.Fatalf("scanned %+v, %v", totals, err)
	}
}

// readTree returns the content and mode of each file of tree.
func readTree(t interface{ Fatal(...any) }, tree string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = info.Mode().String() + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func equalTrees(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

func TestSymlinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	outside := filepath.Join(dir, "outside")
	text := []byte("key = " + fakeToken("aB3dE5") + "\n")
	if err := os.WriteFile(outside, text, 0o600); err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(dir, "tree")
	if err := os.MkdirAll(filepath.Join(tree, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Symlink(outside, filepath.Join(tree, "link")), os.Symlink(dir, filepath.Join(tree, "sub", "up")),
		os.WriteFile(filepath.Join(tree, "file"), text, 0o600)); err != nil {
		t.Fatal(err)
	}
	undo, err := scrub.NewUndo(state.NewDir(filepath.Join(dir, "state")), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	f := scrub.FileScrubber{Scrubber: scrub.Scrubber{Policy: loadBundled(t, "public-repo")}, Dir: dir, Undo: undo}
	if err := f.Run(t.Context(), []string{"tree"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Run(t.Context(), []string{"tree/link"}); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link that was named: %v", err)
	}
	if got, _ := os.ReadFile(outside); !bytes.Equal(got, text) || f.Totals.Changed != 1 || f.Totals.Skipped < 2 {
		t.Errorf("outside is %q; %+v", got, f.Totals)
	}
	if left, _ := filepath.Glob(filepath.Join(tree, ".checkrein-*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestUndo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	st := state.NewDir(filepath.Join(dir, "state"))
	paths := []string{"a", "b"}
	for _, name := range paths {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+" "+fakeToken("aB3dE5")), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	run := func(now time.Time) string {
		undo, err := scrub.NewUndo(st, now)
		if err != nil {
			t.Fatal(err)
		}
		f := scrub.FileScrubber{Scrubber: scrub.Scrubber{Policy: loadBundled(t, "public-repo")}, Dir: dir, Undo: undo}
		if err := f.Run(t.Context(), paths); err != nil || f.Totals.Changed != 2 {
			t.Fatal(err, f.Totals)
		}
		return undo.ID
	}
	id := run(time.Unix(1e9, 0))
	if info, err := os.Stat(st.Path("scrub", id, "00000001.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v: what was taken out is for its owner", info, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b"), []byte("changed since"), 0o755); err != nil {
		t.Fatal(err)
	}
	err := scrub.RestoreRun(st, id, false, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "changed since") {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "a")); !strings.HasSuffix(string(got), fakeToken("aB3dE5")) {
		t.Errorf("a is %q", got)
	}
	if err := scrub.RestoreRun(st, id, true, func(string) {}); err != nil {
		t.Error(err)
	}
	if err := scrub.RestoreRun(st, id, true, func(string) {}); err == nil {
		t.Error("undone twice")
	}
	for _, bad := range []string{"", "..", "a/b", "nowhere"} {
		if scrub.RestoreRun(st, bad, true, func(string) {}) == nil {
			t.Errorf("%q is an id", bad)
		}
	}
	first := run(time.Unix(1e9, 0))
	if _, err := scrub.NewUndo(st, time.Unix(1e9, 0).Add(8*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if ids, err := scrub.ListRuns(st); err != nil || len(ids) != 0 {
		t.Errorf("%s is kept after a week: %v, %v", first, ids, err)
	}
}
