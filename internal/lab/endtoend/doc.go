// Package endtoend tests checkrein and checkreind as they are built, installed
// on real hosts that talk to a scripted model: what a hook says, what the host
// does and what the model sees are looked at on the far side of all of them.
//
// See package hosttest for how to turn these tests on.
package endtoend
