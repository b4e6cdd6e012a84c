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
		t.Errorf("tables.go is not what rows.txt makes of it (%v): run go generate ./internal/shell/windows", err)
	}
}
