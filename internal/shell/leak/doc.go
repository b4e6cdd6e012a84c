// Package leak knows what leaves the machine.
//
// A call leaks when three things meet: a source (a key file, the environment, a
// dump, any file), a sink (curl, nc, scp, a redirection to /dev/tcp) and a host
// that is not this machine. [Effects] looks at the sink and follows its input
// back through pipes and substitutions to the source:
//
//	call → sink → what it sends → where it came from → how much that matters there
//
// Text that is typed in the command is no leak, nor is a download, nor reading a
// key without sending it. A secret that goes where it belongs, such as a GitHub
// token to GitHub, is no leak either.
//
// Nothing here touches a file or a network. Every walk is bounded.
package leak
