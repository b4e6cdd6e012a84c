package process

// closeAllOnExec does nothing, because on Windows a program inherits only handles that are passed
// explicitly.
func closeAllOnExec() {}
