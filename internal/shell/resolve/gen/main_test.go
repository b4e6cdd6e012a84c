package main

import (
	"bytes"
	"os"
	"testing"
)

func TestTablesAreGenerated(t *testing.T) {
	want, err := generate("../tables")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("tables.go is stale; run: go generate ./internal/shell/resolve")
	}
}
