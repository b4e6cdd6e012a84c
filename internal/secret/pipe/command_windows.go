package pipe

import "os"

// forwardedSignals lists the signals that end a command.
var forwardedSignals = []os.Signal{os.Interrupt}

// reachesCommand reports whether the command receives a signal without forwarding. It always does,
// because it shares the console.
func reachesCommand(os.Signal) bool { return true }

// exitCode returns the exit code of a command.
func exitCode(state *os.ProcessState, _ bool) int { return state.ExitCode() }

// drain is never called, because pipes have no deadlines on Windows and copying ends with the output.
func (l *outputPipe) drain() error { return l.err }
