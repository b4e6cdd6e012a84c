package ledger

// Disk and File let tests put something between the writer and the directory.
type (
	Disk   = disk
	File   = diskFile
	Shared = sharedFile
)

// DiskOf returns the disk that a ledger uses by default.
func DiskOf(opts Options) Disk { return stateFolder{opts.Dir} }

// WithDisk returns opts with another disk.
func WithDisk(opts Options, d Disk) Options {
	opts.disk = d
	return opts
}
