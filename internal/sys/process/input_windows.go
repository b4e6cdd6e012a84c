package process

// StdinKind returns "", because the kind is unknown on Windows.
func StdinKind(int) string { return "" }
