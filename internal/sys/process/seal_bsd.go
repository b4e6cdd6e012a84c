//go:build unix && !linux

package process

// seal marks every descriptor but the standard ones as closed on exec: what our
// caller left open in us is for no program that we start.
func seal() { sealEach("/dev/fd") }
