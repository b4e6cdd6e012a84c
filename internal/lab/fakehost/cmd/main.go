// Command cmd is the agent of package fakehost.
package main

import (
	"os"

	"github.com/checkrein/checkrein/internal/lab/fakehost"
)

func main() { os.Exit(fakehost.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
