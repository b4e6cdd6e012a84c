// Command gitleaks holds checkrein's secret engine against gitleaks v8: what it
// finds of gitleaks' own test vectors, and how fast both are on one core. It is
// a module of its own, so that nothing of checkrein needs gitleaks.
//
//	cd internal/lab/bench/gitleaks && go run . [-mb 10] [-boundary ../../../../bin/checkrein]
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/checkrein/checkrein/internal/secret"
	"github.com/zricethezav/gitleaks/v8/detect"
)

func main() {
	mb := flag.Int("mb", 10, "size of the corpus in `MB`")
	least := flag.Float64("least", 0, "fail below this share of gitleaks' recall")
	program := flag.String("boundary", "", "compare scans of a tree and a history by this checkrein `program` instead")
	tree := flag.String("tree", "", "the `directory` to scan; the Go toolchain's source without")
	history := flag.String("history", "../../../..", "the `repository` whose history is scanned")
	write := flag.String("vectors", "", "write gitleaks' vectors to this `file`, and nothing else")
	flag.Parse()
	if *write != "" {
		if err := writeVectors(*write); err != nil {
			fatal(err)
		}
		return
	}
	if *program != "" {
		if err := boundary(*program, *tree, *history); err != nil {
			fatal(err)
		}
		return
	}
	runtime.GOMAXPROCS(1)
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		fatal(err)
	}
	// gitleaks draws its values by chance, and one that reads like words costs all
	// texts that have it: the middle one of three counts.
	var list []vector
	var shares []float64
	for range 3 {
		if list, err = vectors(); err != nil {
			fatal(err)
		}
		shares = append(shares, recall(detector, list))
	}
	sort.Float64s(shares)
	share := shares[1]
	if *mb > 0 {
		text, err := corpus(*mb<<20, list)
		if err != nil {
			fatal(err)
		}
		speed(detector, text)
	}
	if share < *least {
		fatal(fmt.Errorf("recall is %.4f of gitleaks', and %.4f is the least", share, *least))
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "gitleaks:", err)
	os.Exit(1)
}

// A vector is a text that a rule of gitleaks must find, or must not.
type vector struct {
	Rule     string `json:"rule"`
	Path     string `json:"path"`
	Text     string `json:"text"`
	Positive bool   `json:"positive"`
}

// recorder takes the place of what validates gitleaks' rules when its
// configuration is generated, and writes down the vectors.
const recorder = `package utils

import (
	"encoding/json"
	"os"

	"github.com/zricethezav/gitleaks/v8/config"
)

func note(rule, path, text string, positive bool) {
	f, err := os.OpenFile(os.Getenv("VECTORS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	line, _ := json.Marshal(map[string]any{"rule": rule, "path": path, "text": text, "positive": positive})
	f.Write(append(line, '\n'))
}

func Validate(rule config.Rule, tps []string, fps []string) *config.Rule {
	for _, s := range tps {
		note(rule.RuleID, "", s, true)
	}
	for _, s := range fps {
		note(rule.RuleID, "", s, false)
	}
	return &rule
}

func ValidateWithPaths(rule config.Rule, tps map[string]string, fps map[string]string) *config.Rule {
	for p, s := range tps {
		note(rule.RuleID, p, s, true)
	}
	for p, s := range fps {
		note(rule.RuleID, p, s, false)
	}
	return &rule
}
`

// vectors has gitleaks generate its configuration with the recorder in place.
func vectors() ([]vector, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/zricethezav/gitleaks/v8").Output()
	if err != nil {
		return nil, fmt.Errorf("finding gitleaks' module: %w", err)
	}
	dir, err := os.MkdirTemp("", "gitleaks")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := copyTree(filepath.Join(dir, "src"), strings.TrimSpace(string(out))); err != nil {
		return nil, err
	}
	validate := filepath.Join(dir, "src", "cmd/generate/config/utils/validate.go")
	if err := os.WriteFile(validate, []byte(recorder), 0o600); err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "vectors")
	cmd := exec.Command("go", "run", ".", filepath.Join(dir, "out.toml"))
	cmd.Dir = filepath.Join(dir, "src", "cmd/generate/config")
	cmd.Env = append(os.Environ(), "VECTORS="+file, "GOFLAGS=-mod=mod", "GOWORK=off")
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("generating gitleaks' configuration: %w\n%s", err, msg)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []vector
	for line := range bytes.Lines(data) {
		var v vector
		if err := json.Unmarshal(line, &v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// writeVectors writes the vectors to a file, one JSON text a line.
func writeVectors(file string) error {
	list, err := vectors()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, v := range list {
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}

func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(from, path)
		target := filepath.Join(to, rel)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}

// recall prints what both find of the vectors, and returns the ratio.
func recall(detector *detect.Detector, list []vector) float64 {
	var positive, theirs, ours, both, negative, false_, theirFalse int
	missed := map[string]int{}
	for _, v := range list {
		found := secret.Find(nil, v.Text, secret.Secrets)
		gl := detector.Detect(detect.Fragment{Raw: v.Text, FilePath: v.Path})
		if !v.Positive {
			negative++
			for _, f := range found {
				if f.Rule == v.Rule {
					false_++
					break
				}
			}
			for _, f := range gl {
				if f.RuleID == v.Rule {
					theirFalse++
					break
				}
			}
			continue
		}
		positive++
		if len(gl) > 0 {
			theirs++
		}
		if len(found) > 0 {
			ours++
			if len(gl) > 0 {
				both++
			}
		} else if len(gl) > 0 {
			missed[v.Rule]++
		}
	}
	fmt.Printf("gitleaks' own vectors: %d positive; gitleaks finds %d, checkrein %d (%d of gitleaks')\n", positive, theirs, ours, both)
	fmt.Printf("its negatives, found by the same rule: %d; gitleaks %d, checkrein %d\n", negative, theirFalse, false_)
	var names []string
	for name := range missed {
		names = append(names, fmt.Sprintf("%s %d", name, missed[name]))
	}
	sort.Strings(names)
	if len(names) > 0 {
		fmt.Println("gitleaks finds and checkrein does not:", strings.Join(names, ", "))
	}
	return float64(ours) / float64(theirs)
}

// corpus is source code, logs and hook payloads, with every 40th vector in it.
func corpus(size int, list []vector) (string, error) {
	var b strings.Builder
	root, err := librarySource()
	if err != nil {
		return "", err
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || b.Len() > size*6/10 {
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		data, err := os.ReadFile(path)
		b.Write(data)
		return err
	})
	if err != nil {
		return "", err
	}
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "2026-11-15T08:%02d:%02d.%03dZ INFO worker[%d]: request id=%08x-%04x path=/api/v1/items/%d status=200 took=%dms\n", i/60%60, i%60, i%1000, i%16, i*2654435761, i%65536, i, i%97)
		fmt.Fprintf(&b, `{"hook_event_name":"PostToolUse","session_id":"%08x","tool_name":"Bash","tool_input":{"command":"go test ./pkg%d"},"tool_response":{"stdout":"ok  \tpkg%d\t0.%03ds\n","stderr":""}}`+"\n", i*40503, i, i, i%1000)
		if i%500 == 0 {
			b.WriteString(list[i/500*40%len(list)].Text + "\n")
		}
	}
	return b.String()[:size], nil
}

// librarySource returns where the source of Go's packages is. The runtime does not
// know it in a program that was built with -trimpath.
func librarySource() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "src"), err
}

// speed prints how much text each goes through in a second of processor time, which
// other work on the machine changes little.
func speed(detector *detect.Detector, text string) {
	const piece = 64 << 10
	sample := text[:min(len(text), 2<<20)]
	began := used()
	for at := 0; at < len(sample); at += piece {
		detector.Detect(detect.Fragment{Raw: sample[at:min(len(sample), at+piece)], FilePath: "x.txt"})
	}
	theirs := float64(len(sample)) / (used() - began).Seconds() / 1e6
	var room []secret.Finding
	best := 0.0
	for range 5 {
		began = used()
		for at := 0; at < len(text); at += piece {
			room = secret.Find(room[:0], text[at:min(len(text), at+piece)], secret.Secrets)
		}
		best = max(best, float64(len(text))/(used()-began).Seconds()/1e6)
	}
	fmt.Printf("one core, %d MB: gitleaks %.2f MB/s (as a library, on 2 MB of it), checkrein %.0f MB/s: %.0f times\n", len(text)>>20, theirs, best, best/theirs)
}
