package shell

// A Role is what a program does with one of its arguments. Since each part of a call has a role,
// checks of files, secrets and code need not know the programs.
type Role uint8

const (
	Plain    Role = iota // only the program itself interprets it
	Reads                // a file or directory that it reads
	Writes               // a file that it creates or overwrites
	Appends              // a file that it appends to
	Edits                // a file that it changes in place
	Deletes              // a file or directory that it removes
	Dir                  // its working directory
	Into                 // a directory into which it writes files
	Command              // text for a shell
	Argv                 // a program, with the words after it as its arguments
	Code                 // text in a language, see Part.Lang
	Config               // a file of settings, which may make it run programs
	Loads                // a file with code that it runs
	Paths                // directories in which it searches for code
	Host                 // another machine, possibly as user@host:path
	URL                  // an address
	Payload              // text that it sends
	Assign               // NAME=value, for itself or for the programs that it runs
	Sets                 // one of its own settings, which may run programs: git -c, ssh -o
	Replaces             // a file that it truncates or overwrites without asking
	Script               // a file with code in a language, or for a shell
	Mode                 // no value: an option that changes the meaning of others; Part.Lang names the change
	Auth                 // credentials: a token, a user and a password, or a file with them
	Header               // NAME: text that it sends; some names are for tokens
)

var roleNames = [...]string{"plain", "read", "write", "append", "edit", "delete", "dir", "into", "command", "argv", "code", "config", "load", "path", "host", "url", "payload", "assign", "setting", "replace", "script", "mode", "auth", "header"}

// String returns the name of the role in the table of programs.
func (r Role) String() string { return roleNames[r] }

// RoleNamed returns the role with this name, or Plain and false if there is none.
func RoleNamed(name string) (Role, bool) {
	for i := range roleNames {
		if roleNames[i] == name {
			return Role(i), true
		}
	}
	return Plain, false
}

// A Part is an argument of a call, or the part of one that is an option's value.
type Part struct {
	Role Role
	Lang string // language of code and scripts: "python", "sql"; "" = the program's own; for other roles a detail
	Opt  string // the option whose value it is, by the first of its names: "-o"; "" = an operand
	Word Word
	At   int // index of the argument that contains it, or the last one that belongs to it
}
