//go:build !unix

package process

import "time"

// Age is how long ago this process started. Here it is not known.
func Age() time.Duration { return 0 }
