package process

// StdinKind returns "": the kind is not known on Windows.
func StdinKind(int) string { return "" }
