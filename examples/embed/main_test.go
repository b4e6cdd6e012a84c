package main

import "os"

func Example() {
	// A home of its own: the example must not depend on this machine's hooks.
	home, _ := os.MkdirTemp("", "embed")
	defer os.RemoveAll(home)
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", "")
	os.Setenv("XDG_STATE_HOME", "")
	main()
	// Output:
	// {"cmd":"ls"}: none ""
	// {"cmd":"rm -rf build"}: deny "Blocked (deletes): rm -rf build"
}
