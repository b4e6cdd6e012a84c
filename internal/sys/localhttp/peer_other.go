//go:build !linux

package localhttp

import "net"

// lookUp finds no peer here.
func lookUp(net.Conn) *Peer { return &Peer{} }

func holders(uint64) []int { return nil }
