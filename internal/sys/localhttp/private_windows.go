package localhttp

// setPrivateUmask does nothing: a file has the rights of its directory.
func setPrivateUmask() (restore func()) { return func() {} }

// othersCanWrite returns false: access lists decide.
func othersCanWrite(string) bool { return false }
