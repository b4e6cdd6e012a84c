// Package endtoend tests the built checkrein and checkreind, installed on real hosts that talk to a
// scripted model. Its tests check what hooks answer, what the host does and what the model sees.
//
// See package hosttest for how to enable these tests.
package endtoend
