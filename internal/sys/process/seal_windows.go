package process

// closeAllOnExec does nothing: on Windows a program inherits only handles that are passed by name.
func closeAllOnExec() {}
