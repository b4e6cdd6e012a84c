package process

// Input is not told here.
func Input(int) string { return "" }
