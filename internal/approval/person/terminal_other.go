//go:build !unix

package person

import (
	"fmt"
	"os"
)

// CheckTerminal returns an error if in or out is not a console. It cannot check whether both are the
// same console, or that of this process.
func CheckTerminal(in, out any) error {
	for i, f := range [...]any{in, out} {
		file, ok := f.(*os.File)
		if ok && file != nil {
			if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				if null, err := os.Stat(os.DevNull); err != nil || !os.SameFile(info, null) {
					continue
				}
			}
		}
		return fmt.Errorf("%s is not a terminal", [...]string{"stdin", "stdout"}[i])
	}
	return nil
}

// deviceAt returns 0, since there are no terminal devices on this system.
func deviceAt(string) uint64 { return 0 }
