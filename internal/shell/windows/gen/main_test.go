package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGeneratedFileIsCurrent(t *testing.T) {
	want, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("../tables.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("tables.go does not match rows.txt (%v): run go generate ./internal/shell/windows", err)
	}
}
