//go:build !unix

package person

import (
	"fmt"
	"os"
)

// Terminal returns why a person does not sit before these two: one of them is not a
// console. Whether the two are one, and ours, is not told here.
func Terminal(in, out any) error {
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

// deviceOf is the device that a path names: none here.
func deviceOf(string) uint64 { return 0 }
