//go:build !unix

package process

import "time"

// StartupAge returns 0, because the start of this process is unknown on this system.
func StartupAge() time.Duration { return 0 }
