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

// Waiting returns how many requests of this process for the ledger are not done.
func Waiting(opts Options) int {
	q := queueOf(opts.Dir.Path(Folder))
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
