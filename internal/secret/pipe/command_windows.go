package pipe

import "os"

// passedOn are the signals that end a command.
var passedOn = []os.Signal{os.Interrupt}

// reaches reports whether the command gets a signal by itself: it has the same console.
func reaches(os.Signal) bool { return true }

// ended returns the exit code of a command.
func ended(state *os.ProcessState, _ bool) int { return state.ExitCode() }

// drain is not reached: pipes have no deadlines here, so that copying ends with the output.
func (l *lane) drain() error { return l.err }
