// Package exfil finds what leaves the machine.
//
// A call leaks when three things meet: a source (a key file, the environment, a
// dump, any file), a sink (curl, nc, scp, a redirection to /dev/tcp) and a host
// that is not this machine. [Effects] looks at the sink and follows its input
// back through pipes and substitutions to the source:
//
//	call → sink → what it sends → where it came from → how much that matters there
//
// Programs that are known well tell what they send. For every other program of
// the network one law holds: a secret in an address or a word of the call leaves.
// A program that nobody knows talks to the far host that it is given: a secret among
// its words, in a file that they name or on its input goes there too. One token where
// credentials belong does not count.
// [Sequence] looks at the calls of one command together: a file that was filled
// with a secret, a commit that is pushed, a server behind a tunnel.
//
// A file of the project goes to some host every day and is a doubt at most; a
// dump, a file from elsewhere, and anything to a dead drop are leaks.
//
// Text that is typed in the command is no leak, nor is a download, nor reading a
// key without sending it. A secret that goes where it belongs, such as a GitHub
// token to GitHub, is no leak either.
//
// Nothing here touches a file or a network. Every walk is bounded.
package exfil
