package pipe

import "os"

// forwardedSignals lists the signals that end a command.
var forwardedSignals = []os.Signal{os.Interrupt}

// reachesCommand reports whether the command gets a signal by itself: it has the same console.
func reachesCommand(os.Signal) bool { return true }

// exitCode returns the exit code of a command.
func exitCode(state *os.ProcessState, _ bool) int { return state.ExitCode() }

// drain is never called: pipes have no deadlines here, so copying ends with the output.
func (l *outputPipe) drain() error { return l.err }
