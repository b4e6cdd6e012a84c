package ledger

// Disk and File let tests put something between the writer and the directory.
type (
	Disk   = disk
	File   = diskFile
	Shared = sharedFile
)

// DiskOf is what a ledger uses unless a test says otherwise.
func DiskOf(opts Options) Disk { return stateFolder{opts.Dir} }

// OnDisk returns the options with another disk.
func OnDisk(opts Options, d Disk) Options {
	opts.disk = d
	return opts
}
