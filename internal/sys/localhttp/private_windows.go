package localhttp

// private does nothing: a file has the rights of its directory.
func private() (restore func()) { return func() {} }

// othersWrite reports false: access lists decide.
func othersWrite(string) bool { return false }
