package scan

// IsDense reports whether a text was generated or minified, so that a scan searches it for less: see
// [policy.Policy.FindDense].
func IsDense(text []byte) bool { return isDenseText(text) }
