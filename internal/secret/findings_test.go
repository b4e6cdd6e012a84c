package secret_test

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/checkrein/checkrein/internal/lab/secretcorpus"
	"github.com/checkrein/checkrein/internal/secret"
)

// TestFindings writes what is found, redacted and masked in all available texts to a
// file, so that two builds can be compared:
//
//	CHECKREIN_FINDINGS=before go test ./internal/secret -run TestFindings
//	(change something)
//	CHECKREIN_FINDINGS=after go test ./internal/secret -run TestFindings && diff before after
//
// CHECKREIN_FINDINGS_AT=COMMIT takes the tracked files from a commit, so that they are the
// same in both. The lines do not contain the found text, only a digest of it. Without the
// variable, a part of the texts is searched twice.
func TestFindings(t *testing.T) {
	file := os.Getenv("CHECKREIN_FINDINGS")
	if file == "" {
		some := someSamples(t)
		once, again := formatFindings(some), formatFindings(some)
		if once != again {
			t.Error("two runs differ")
		}
		for _, kind := range []string{"find made/", "redact made/", "mask made/", "json made/", "name sample/"} {
			if !strings.Contains(once, "\n"+kind) {
				t.Errorf("no line begins with %q", kind)
			}
		}
		for _, token := range secret.SampleTokens() {
			if strings.Contains(once, token) {
				t.Error("a line has a secret")
			}
		}
		return
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	b := bufio.NewWriter(out)
	all := sampleTexts(t)
	addTrackedFiles(t, all)
	addVectors(t, all, filepath.Join(filepath.Dir(file), "gitleaks.vectors"))
	writeFindings(b, all)
	library := map[string]string{}
	addStandardLibrary(t, library)
	writeFindings(b, library)
	if err := errors.Join(b.Flush(), out.Close()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d texts", len(all)+len(library))
}

// TestStrictMasksAllFindings checks that nothing is found any more in text that was masked at the
// strict level.
func TestStrictMasksAllFindings(t *testing.T) {
	t.Parallel()
	texts := secret.Texts(t)
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		if i%7 > 0 { // check only some of them
			continue
		}
		out := secret.Redactor{}.MaskText(texts[name])
		for _, f := range secret.Find(nil, out, secret.Secrets) {
			t.Errorf("%s: %s is left", name, f.Rule)
		}
	}
}

// someSamples returns some of the samples.
func someSamples(t *testing.T) map[string]string {
	all := sampleTexts(t)
	some := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%20 == 0 || strings.HasPrefix(name, "made/") {
			some[name] = all[name]
		}
	}
	return some
}

func formatFindings(texts map[string]string) string {
	var b strings.Builder
	writeFindings(&b, texts)
	return b.String()
}

// writeFindings writes a line for each finding in texts to w, in the order of their names.
func writeFindings(w io.Writer, texts map[string]string) {
	c := secret.Redactor{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		for _, f := range secret.Find(nil, text, secret.All) {
			fmt.Fprintf(w, "find %s %s %d %d %d %s\n", name, f.Rule, f.Kind, f.Start, f.End, digest(text[f.Start:f.End]))
		}
		if out, n := secret.Redact(text, secret.Secrets, nil); out != text {
			fmt.Fprintf(w, "redact %s %d %s\n", name, n, digest(out))
		}
		if out := c.MaskText(text); out != text {
			fmt.Fprintf(w, "mask %s %d %s%s\n", name, strings.Count(out, secret.Marker)-strings.Count(text, secret.Marker), digest(out), diffFindings(text, out))
		}
		doc := []byte(text)
		if !json.Valid(doc) && len(text) < 4096 && utf8.ValidString(text) {
			doc, _ = json.Marshal(map[string]any{"tool_input": map[string]string{"command": text}})
		}
		if json.Valid(doc) {
			out, n := secret.RedactJSON(doc, secret.Secrets, nil)
			masked := c.MaskJSON(doc)
			if n > 0 || bytes.Contains(masked, []byte(secret.Marker)) {
				fmt.Fprintf(w, "json %s %d %s %d %s\n", name, n, digest(string(out)), bytes.Count(masked, []byte(secret.Marker)), digest(string(masked)))
			}
		}
		if len(text) < 300 && !strings.Contains(text, "\n") {
			if out := c.MaskName(text); out != text {
				fmt.Fprintf(w, "name %s %s\n", name, digest(out))
			}
		}
	}
}

// diffFindings returns the first lines of before and after that differ.
func diffFindings(before, after string) string {
	old, new := strings.Split(before, "\n"), strings.Split(after, "\n")
	if len(old) != len(new) {
		return fmt.Sprintf(" %d lines less", len(old)-len(new))
	}
	list := ""
	for i := range old {
		if old[i] != new[i] {
			if list += fmt.Sprint(" ", i+1); len(list) > 400 {
				return list + " …"
			}
		}
	}
	return list
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:6])
}

// sampleTexts returns the texts that tests search, by name.
func sampleTexts(t *testing.T) map[string]string {
	all := secret.Texts(t)
	tokens := secret.SampleTokens()
	for kind, token := range tokens {
		for i, place := range secret.SamplePlaces {
			all[fmt.Sprintf("sample/%s/place/%02d", kind, i)] = strings.ReplaceAll(place, "%s", token)
		}
	}
	for i, place := range secret.SampleNamedPlaces {
		for j, password := range slices.Concat(secret.SamplePasswords(), []string{tokens["gitlab"], tokens["base62"], tokens["bare md5"]}) {
			all[fmt.Sprintf("sample/named/%02d/%02d", i, j)] = strings.ReplaceAll(place, "%s", password)
		}
	}
	for i, c := range secretcorpus.All() {
		all[fmt.Sprintf("corpus/%s/%04d", c.Family, i)] = c.Text
	}
	for way, spell := range secret.SampleSpellings {
		for i, plain := range []string{tokens["gitlab"], tokens["openai"], "DB_PASSWORD=" + secret.SamplePasswords()[2], "a greeting, and nothing else"} {
			all[fmt.Sprintf("sample/spelt/%s/%d", way, i)] = `x = "` + spell(plain) + `"` + "\ny = 2\n"
		}
	}
	return all
}

// addTrackedFiles adds the files that git tracks to all, the rows of those that contain rows, and the
// strings in tests.
func addTrackedFiles(t *testing.T, all map[string]string) {
	files := map[string][]byte{}
	if commit := os.Getenv("CHECKREIN_FINDINGS_AT"); commit != "" {
		archive := exec.Command("git", "archive", commit)
		archive.Dir = "../.."
		out, err := archive.Output()
		if err != nil {
			t.Fatalf("git archive %s: %v", commit, err)
		}
		for r := tar.NewReader(bytes.NewReader(out)); ; {
			h, err := r.Next()
			if err != nil {
				break
			}
			if h.Typeflag == tar.TypeReg {
				files[h.Name], _ = io.ReadAll(r)
			}
		}
	} else {
		list := exec.Command("git", "ls-files", "-z")
		list.Dir = "../.."
		out, err := list.Output()
		if err != nil {
			t.Fatalf("git ls-files: %v", err)
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if data, err := os.ReadFile(filepath.Join("../..", name)); err == nil { // symbolic links may lead nowhere
				files[name] = data
			}
		}
	}
	for name, data := range files {
		all["file/"+name] = string(data)
		switch {
		case strings.HasSuffix(name, ".jsonl"):
			for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
				all[fmt.Sprintf("row/%s:%05d", name, i+1)] = string(line)
			}
		case strings.HasSuffix(name, "_test.go"):
			addLiterals(name, data, all)
		}
	}
}

// addLiterals adds the strings of a Go file to all, including those that are concatenated from
// constants.
func addLiterals(name string, data []byte, all map[string]string) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, name, data, 0)
	if err != nil {
		return
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		text, ok := stringConstant(e)
		if ok && len(text) > 7 {
			at := files.Position(n.Pos())
			all[fmt.Sprintf("string/%s:%d:%d", name, at.Line, at.Column)] = text
		}
		return !ok
	})
}

// stringConstant returns the value of e if it is a constant string, and reports whether it is.
func stringConstant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if v := constant.MakeFromLiteral(e.Value, e.Kind, 0); v.Kind() == constant.String {
			return constant.StringVal(v), true
		}
	case *ast.ParenExpr:
		return stringConstant(e.X)
	case *ast.BinaryExpr:
		x, ok := stringConstant(e.X)
		y, also := stringConstant(e.Y)
		return x + y, ok && also && e.Op == token.ADD
	}
	return "", false
}

// addStandardLibrary adds the source of Go's packages.
func addStandardLibrary(t *testing.T, all map[string]string) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".txt") {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		all["go/"+filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// addVectors adds gitleaks' own test vectors to all, if its module is available. They are random, so
// file keeps them for the next run.
func addVectors(t *testing.T, all map[string]string, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		cmd := exec.Command("go", "run", ".", "-vectors", file)
		cmd.Dir = "../lab/bench/gitleaks"
		if file, err = filepath.Abs(file); err == nil {
			cmd.Args[len(cmd.Args)-1] = file
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Logf("no vectors of gitleaks: %v\n%s", err, out)
				return
			}
			data, _ = os.ReadFile(file)
		}
	}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var v struct{ Rule, Text string }
		if json.Unmarshal(line, &v) == nil {
			all[fmt.Sprintf("gitleaks/%05d/%s", i, v.Rule)] = v.Text
		}
	}
}
