package docs_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// licences are the licences of modules that checkrein may be built from, by what their files say.
var licences = map[string]*regexp.Regexp{
	"Apache-2.0":   regexp.MustCompile(`Apache License\s+Version 2\.0`),
	"BSD-3-Clause": regexp.MustCompile(`(?s)Redistribution and use in source and binary forms.*(?:endorse|promote)`),
	"MIT":          regexp.MustCompile(`Permission is hereby granted, free of charge`),
	"MPL-2.0":      regexp.MustCompile(`Mozilla Public License.*2\.0`),
}

// TestDependencies checks that dependencies.md has a row for each module that a go.mod of the repository
// requires directly, with the licence of its file, and no other row.
func TestDependencies(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // module → licence
	for _, m := range regexp.MustCompile(`(?m)^\| (\S+\.\S+/\S+) \|.*\| (\S+) \|$`).FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = m[2]
	}
	seen := map[string]bool{}
	for _, dir := range []string{"..", "../hub", "../models", "../internal/lab/bench/gitleaks", "../internal/lab/bench/appendsqlite"} {
		for _, m := range required(t, dir) {
			want, isListed := rows[m]
			if !isListed {
				t.Errorf("%s requires %s, which dependencies.md does not list", dir, m)
			}
			if seen[m] {
				continue
			}
			seen[m] = true
			if text := licenceOf(t, dir, m); text == "" {
				t.Logf("%s is not on this machine, so its licence was not read", m)
			} else if is := licences[want]; is == nil || !is.MatchString(text) {
				t.Errorf("%s: the licence is not %q:\n%.300s", m, want, text)
			}
		}
	}
	for m := range rows {
		if !seen[m] {
			t.Errorf("dependencies.md lists %s, which nothing requires", m)
		}
	}
}

// required returns the modules of others that the module in dir requires directly.
func required(t *testing.T, dir string) (names []string) {
	t.Helper()
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(dir, err)
	}
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Require {
		if !r.Indirect && r.Path != "github.com/checkrein/checkrein" {
			names = append(names, r.Path)
		}
	}
	return names
}

// licenceOf returns the licence file of a module that the module in dir requires, or "" if it is not on
// this machine.
func licenceOf(t *testing.T, dir, module string) string {
	t.Helper()
	cmd := exec.Command("go", "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOPROXY=off")
	out, _ := cmd.Output()
	folder := strings.TrimSpace(string(out))
	if folder == "" {
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(folder, "LICENSE*"))
	if len(files) == 0 {
		t.Errorf("%s has no licence file", module)
		return ""
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
