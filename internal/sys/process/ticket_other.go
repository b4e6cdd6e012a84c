//go:build unix && !linux && !darwin

package process

import "os"

// peerIs trusts the socket.
func peerIs(int, int) error { return nil }

func ownMaps() *os.File { return nil }

// isOurs trusts the parent: here it cannot be looked up which program it runs.
func (s sight) isOurs(int) error { return nil }
