package scan

// IsDense reports whether text was generated or minified. A scan searches such text for less; see
// [policy.Policy.FindDense].
func IsDense(text []byte) bool { return isDenseText(text) }
