package sandbox

import "strings"

// seatbeltProfile returns the profile for sandbox-exec that permits what the jail j permits. Of several
// rules of a profile that match, the last one counts.
//
// The profile was never run on macOS. sandbox-exec refuses one that has a word that it does not know, and
// then the program does not start.
//
// A path of j that is a symlink must have been resolved: the system compares paths without symlinks. So
// /tmp, /var and /etc, which are symlinks on macOS, are listed below /private too.
func seatbeltProfile(j Jail) string {
	var b strings.Builder
	b.WriteString("(version 1)\n")
	rule := func(parts ...string) {
		b.WriteString("(" + strings.Join(parts, " ") + ")\n")
	}
	if j.ReadAll {
		rule("allow default")
	} else {
		rule("deny default")
		rule("allow process-fork sysctl-read mach-lookup ipc-posix-shm user-preference-read")
		rule("allow signal (target same-sandbox)")
		rule("allow file-read-metadata") // names and dates, as on Linux
		rule(append([]string{"allow file-read* file-map-executable process-exec"}, subpaths(seatbeltSystem[:])...)...)
		if !j.NoNetwork {
			rule("allow network*")
			rule("allow system-socket")
		}
	}
	rule("deny file-write*")
	if read := subpaths(j.Read); len(read) > 0 {
		rule(append([]string{"allow file-read* file-map-executable process-exec"}, read...)...)
	}
	rule(append([]string{"allow file-read* file-write*"}, literals(seatbeltDevices[:])...)...)
	if write := subpaths(j.Write); len(write) > 0 {
		rule(append([]string{"allow file-read* file-write*"}, write...)...)
	}
	if hide := subpaths(j.Hide); len(hide) > 0 {
		rule(append([]string{"deny file-read-data file-read-xattr file-write*"}, hide...)...)
		rule(append([]string{"deny file-link"}, hide...)...) // another name for the file would not be hidden
	}
	if j.NoNetwork {
		rule("deny network*")
	}
	if j.Contained {
		if !j.Sockets {
			rule("deny network-outbound (remote unix-socket)")
		}
		rule("deny signal process-info*")
		rule("allow signal process-info* (target same-sandbox)")
		rule("deny appleevent-send")
		rule("deny mach-lookup", seatbeltServices)
	}
	return b.String()
}

// seatbeltServices are services that start programs or read secrets for others.
const seatbeltServices = `(global-name "com.apple.coreservices.appleevents") (global-name "com.apple.coreservices.launchservicesd") (global-name "com.apple.lsd.open") (global-name "com.apple.SecurityServer") (global-name "com.apple.pasteboard.1")`

// seatbeltSystem lists the paths that every program may read, like systemPaths of Linux.
var seatbeltSystem = [...]string{
	"/usr", "/bin", "/sbin", "/opt", "/System", "/Library/Apple", "/Library/Developer", "/Library/Frameworks", "/Applications/Xcode.app",
	"/private/etc", "/private/var/db/dyld", "/private/var/db/timezone", "/private/var/select", "/nix/store", "/dev/fd",
}

// seatbeltDevices lists the devices that every program may use.
var seatbeltDevices = [...]string{"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/dtracehelper"}

// subpaths returns the filters for paths and what is below them.
func subpaths(paths []string) []string {
	return filters("subpath", paths)
}

// literals returns the filters for the files paths.
func literals(paths []string) []string {
	return filters("literal", paths)
}

// filters returns a filter of the kind for each of paths.
func filters(kind string, paths []string) []string {
	var out []string
	for _, path := range paths {
		out = append(out, "("+kind+" "+quoteScheme(path)+")")
		for _, dir := range [...]string{"/tmp", "/var", "/etc"} {
			if path == dir || strings.HasPrefix(path, dir+"/") {
				out = append(out, "("+kind+" "+quoteScheme("/private"+path)+")")
			}
		}
	}
	return out
}

// quoteScheme returns s as a string of the language of profiles, which is Scheme.
func quoteScheme(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
