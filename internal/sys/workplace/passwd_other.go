//go:build !unix

package workplace

// passwd is the record of users that other systems have.
func passwd() []byte { return nil }
