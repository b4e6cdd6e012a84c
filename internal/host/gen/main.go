// Command gen writes the tables that are generated from the rows in the hosts' directories: those of
// internal/catalog/hosts, and the lists of hosts. Run it with go generate ./internal/host.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := filepath.Join("..", "..") // the root of the module, relative to internal/host
	files, err := generate(root)
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
