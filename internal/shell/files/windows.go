package files

import (
	"path"
	"strings"
)

// drivePath returns text, a Windows path with a drive letter, in the form C:/x/y. It reports false if
// text has no drive letter.
func drivePath(text string) (string, bool) {
	if len(text) < 2 || text[1] != ':' || !isLetter(text[0]) {
		return "", false
	}
	if len(text) == 2 {
		return string(text[0]&^0x20) + ":/", true
	}
	rest := text[2:]
	if rest[0] != '/' && rest[0] != '\\' {
		// Without quotes, a shell removes the \ after the drive.
		rest = "/" + rest
	}
	if strings.IndexByte(rest, '\\') >= 0 {
		rest = strings.ReplaceAll(rest, `\`, "/")
	}
	return string(text[0]&^0x20) + ":" + path.Clean(rest), true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// hasDrive reports whether abs, a clean path, begins with a drive letter, as in C:/x.
func hasDrive(abs string) bool {
	return len(abs) >= 3 && abs[1] == ':' && abs[2] == '/' && isLetter(abs[0])
}

// cleanWindowsPath returns text with slashes as separators and with well-known variables expanded, if
// the shell is one of Windows. In Bash a backslash is part of a name, except in \\host\share.
func (b *base) cleanWindowsPath(text string) string {
	if !b.backslash {
		if strings.HasPrefix(text, `\\`) {
			return strings.ReplaceAll(text, `\`, "/")
		}
		return text
	}
	text = strings.ReplaceAll(text, `\`, "/")
	for _, v := range [...][2]string{
		{"%userprofile%", "~"}, {"$env:userprofile", "~"}, {"$home", "~"}, {"%homepath%", "~"}, {"%homedrive%%homepath%", "~"},
		{"%temp%", "C:/Windows/Temp"}, {"%tmp%", "C:/Windows/Temp"}, {"$env:temp", "C:/Windows/Temp"}, {"$env:tmp", "C:/Windows/Temp"},
		{"%systemroot%", "C:/Windows"}, {"%windir%", "C:/Windows"}, {"$env:systemroot", "C:/Windows"}, {"$env:windir", "C:/Windows"},
		{"%systemdrive%", "C:"}, {"$env:systemdrive", "C:"}, {"%homedrive%", "C:"}, {"%programfiles%", "C:/Program Files"}, {"%programdata%", "C:/ProgramData"},
		{"$env:programfiles", "C:/Program Files"}, {"$env:programdata", "C:/ProgramData"},
		{"%appdata%", "~/AppData/Roaming"}, {"%localappdata%", "~/AppData/Local"}, {"$env:appdata", "~/AppData/Roaming"}, {"$env:localappdata", "~/AppData/Local"},
	} {
		if len(text) >= len(v[0]) && strings.EqualFold(text[:len(v[0])], v[0]) && (len(text) == len(v[0]) || text[len(v[0])] == '/') {
			return v[1] + text[len(v[0]):]
		}
	}
	return text
}

// driveZone returns the zone of abs, a path with a drive letter. installed reports whether a path in
// inSystem belongs to installed software.
func driveZone(abs string) (z zone, installed bool) {
	if len(abs) == 3 {
		return inRoot, false
	}
	rest := strings.ToLower(abs[3:])
	top, below, _ := strings.Cut(rest, "/")
	switch {
	case top == "windows":
		if strings.HasPrefix(below, "temp/") {
			return inTemp, false
		}
		if below == "temp" {
			return inTempRoot, false
		}
		return inSystem, false
	case strings.HasPrefix(top, "program files"), top == "programdata", top == "msys64", top == "cygwin64":
		return inSystem, true
	case top == "system volume information", top == "recovery", top == "$recycle.bin", top == "boot", top == "perflogs", isGlob(top):
		return inSystem, false
	case top == "temp", top == "tmp":
		if below == "" {
			return inTempRoot, false
		}
		return inTemp, false
	case top == "users", top == "documents and settings":
		_, in, _ := strings.Cut(below, "/")
		return windowsHomeZone(in), false
	}
	return inOutside, false
}

// windowsHomeZone returns the zone of rest, a path in lower case relative to a home directory.
func windowsHomeZone(rest string) zone {
	if rest == "" {
		return inHome
	}
	if in, ok := strings.CutPrefix(rest, "appdata/local/temp"); ok {
		if in == "" {
			return inTempRoot
		}
		if in[0] == '/' {
			return inTemp
		}
	}
	if rest[0] == '.' || firstElement(rest) == "appdata" {
		return inHomeDots
	}
	return inHomeOther
}

// mountedDrive returns abs in the form C:/x if it is /mnt/c/x, /cygdrive/c/x or /c/x, as Unix shells
// on Windows write it. Otherwise it reports false.
func mountedDrive(abs string) (string, bool) {
	rest, ok := strings.CutPrefix(abs, "/mnt/")
	if !ok {
		rest, ok = strings.CutPrefix(abs, "/cygdrive/")
	}
	if !ok {
		rest = abs[1:]
	}
	// Other letters are more likely to be names of directories.
	if rest == "" || rest[0]|0x20 < 'c' || rest[0]|0x20 > 'e' || len(rest) > 1 && rest[1] != '/' {
		return "", false
	}
	if len(rest) <= 2 {
		return string(rest[0]&^0x20) + ":/", true
	}
	return string(rest[0]&^0x20) + ":" + rest[1:], true
}
