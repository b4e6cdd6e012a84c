// Package exfil finds data that leaves the machine.
//
// A call leaks data if three things come together: a source (a key file, the environment, a dump, any
// file), a sink (curl, nc, scp, a redirection to /dev/tcp) and a host that is not this machine.
// [Effects] starts at the sink and follows its input back through pipes and substitutions to the
// source:
//
//	call → sink → data it sends → source of the data → impact there
//
// For well-known programs, the package reads which of their words they send. For every other program
// that uses the network, one rule holds: a secret in an address or in a word of the call leaves the
// machine. An unknown program is assumed to talk to the remote host that it is given: a secret among
// its words, in a file that they name or on its input goes there too. A single token in a place for
// credentials does not count. [SequenceEffects] judges the calls of one command together: a file that
// was filled with a secret, a commit that is pushed, a server behind a tunnel.
//
// Projects send their own files to some host every day, so such a file yields at most the label
// unknown. Dumps, files from outside the project, and any file to a dead drop are exfiltration.
//
// Text that is typed in the command is no leak, nor is a download, nor reading a key without sending
// it. A secret that goes where it belongs, such as a GitHub token to GitHub, is no leak either.
//
// The package touches neither files nor the network. All its loops are bounded.
package exfil
