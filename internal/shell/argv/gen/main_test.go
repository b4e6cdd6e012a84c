package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedTablesAreCurrent(t *testing.T) {
	for _, dir := range []string{"..", "../../../catalog/facts", "../../../catalog/issuers", "../../../catalog/tools", "../../../guard/binding", "../../../guard/selfprotect", "../../../secret/rules", "../../../secret/value", "../../../agent/team", "../../taskfile"} {
		abs, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		want, err := generate(filepath.Base(abs), filepath.Join(dir, "tables"))
		if err != nil {
			t.Fatal(err)
		}
		have, err := os.ReadFile(filepath.Join(dir, "tables.go"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s/tables.go is stale; run: make generate", abs)
		}
	}
}
