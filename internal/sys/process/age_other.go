//go:build !unix

package process

import "time"

// Age returns 0: the start of this process is not known on this system.
func Age() time.Duration { return 0 }
