// Package exfil finds data that leaves the machine.
//
// A call leaks data if three things come together: a source (a key file, the environment, a dump, any
// file), a sink (curl, nc, scp, a redirection to /dev/tcp) and a host that is not this machine.
// [Effects] starts at the sink and follows its input back through pipes and substitutions to the
// source:
//
//	call → sink → data it sends → source of the data → impact there
//
// For well-known programs, the package has rules for which of their words are sent. For every other
// program that uses the network, any secret in an address or a word of the call counts as sent. An
// unknown program is assumed to connect to the remote host among its words, and to send it any secret
// in its words, in the files that they name and on its standard input. A single token in a place for
// credentials does not count. [SequenceEffects] judges the calls of one command together: a file that
// was filled with a secret, a commit that is pushed, a server behind a tunnel.
//
// Projects send their own files to some host every day, so such a file yields at most the label
// unknown. Sending a dump, a file from outside the project, or any file to a dead drop is exfiltration.
//
// Text that is typed in the command is not a leak, nor is a download, nor reading a key without
// sending it. A secret that goes where it belongs, such as a GitHub token to GitHub, is not one either.
//
// The package touches neither files nor the network. All its loops are bounded.
package exfil
