//go:build !linux

package localhttp

import "net"

// lookUp knows nobody here.
func lookUp(net.Conn) *Peer { return &Peer{} }

func holders(uint64) []int { return nil }
