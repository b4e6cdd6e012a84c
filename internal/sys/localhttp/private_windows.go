package localhttp

// setPrivateUmask does nothing, because a file inherits the access rights of its directory.
func setPrivateUmask() (restore func()) { return func() {} }

// othersCanReplace returns false, because access lists protect directories on Windows.
func othersCanReplace(string) bool { return false }
