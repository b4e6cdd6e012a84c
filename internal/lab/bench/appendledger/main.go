// Command appendledger adds one record to the ledger in the given directory, to measure what a durable
// append costs a process.
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

func main() {
	members := []byte(`"pad":"` + strings.Repeat("x", 200) + `"`) // 450 bytes with the rest
	if _, err := ledger.Open(ledger.Options{Dir: state.NewDir(os.Args[1])}).Append(ledger.KindEvent, members, true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
