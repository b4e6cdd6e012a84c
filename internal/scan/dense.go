package scan

// Dense reports whether a text was generated or minified, so that a scan looks
// for less in it: see [policy.Policy.FindDense].
func Dense(text []byte) bool { return isDenseText(text) }
