//go:build !unix

package whose

import "io/fs"

// checkDir finds nothing: the access rules of the person's profile are relied on.
func checkDir(string, fs.FileInfo, bool) error { return nil }

// CheckFile finds nothing either.
func CheckFile(string) error { return nil }
