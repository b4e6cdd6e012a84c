package checkrein

// A Reply is what a host's hook process says: what it prints and its exit code.
type Reply struct {
	Stdout, Stderr []byte
	Exit           int
}
