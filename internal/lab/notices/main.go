// Command notices prints the licences of the modules of others that checkrein's programs consist of, and
// of Go's standard library, for packages.
//
//	go run ./internal/lab/notices
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// programs are the directories of the programs, by the directory of their module.
var programs = map[string]string{".": "./cmd/...", "hub": "./cmd/...", "models": "./checkrein-models"}

func run(out io.Writer) error {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	dirs := map[string]string{"Go's standard library": strings.TrimSpace(string(goroot))}
	for module, pattern := range programs {
		for _, system := range [...]string{"linux", "darwin", "windows"} {
			if err := addModules(dirs, module, pattern, system); err != nil {
				return err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		texts, err := licences(dirs[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(out, "==== %s\n\n%s\n", name, texts)
	}
	return nil
}

// addModules adds to dirs the directories of the modules that the programs in pattern are built from on a
// system, by name and version.
func addModules(dirs map[string]string, module, pattern, system string) error {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", pattern)
	cmd.Dir, cmd.Env = module, append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0", "GOWORK=off")
	cmd.Stderr = os.Stderr
	list, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go list in %s: %w", module, err)
	}
	for line := range strings.Lines(string(list)) {
		name, dir, found := strings.Cut(strings.TrimSpace(line), "\t")
		if found {
			dirs[name] = dir
		}
	}
	return nil
}

// licences returns the texts of the licence files in dir.
func licences(dir string) ([]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var texts bytes.Buffer
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.IsDir() || !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "NOTICE", "COPYING", "PATENTS"}, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts.Write(append(bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))), '\n'))
	}
	if texts.Len() == 0 {
		return nil, errors.New("no licence file")
	}
	return texts.Bytes(), nil
}
