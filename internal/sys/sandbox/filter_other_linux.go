//go:build !(amd64 || arm64 || riscv64 || loong64)

package sandbox

import (
	"fmt"
	"runtime"
)

// denySockets fails, because there is no filter for this architecture.
func denySockets() error {
	return fmt.Errorf("network: there is no system call filter for %s: remove network: false from the hook", runtime.GOARCH)
}
