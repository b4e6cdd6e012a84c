package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGenerated(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	files, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s is not what the hosts' rows make of it (%v): run go generate ./internal/host", name, err)
		}
	}
}
