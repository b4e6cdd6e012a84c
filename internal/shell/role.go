package shell

// A Role is what a program does with an argument. The parts of a call have roles, so that checks of
// files, secrets or code need no knowledge of programs.
type Role uint8

const (
	Plain    Role = iota // only the program itself interprets it
	Reads                // a file or directory whose contents it reads
	Writes               // a file that it creates or overwrites
	Appends              // a file that it appends to
	Edits                // a file that it changes in place
	Deletes              // a file or directory that it removes
	Dir                  // its working directory
	Into                 // a directory below which it writes files
	Command              // text for a shell
	Argv                 // a program with the words after it
	Code                 // text in a language, see Part.Lang
	Config               // a file of settings, which may make it run things
	Loads                // a file with code that it runs
	Paths                // directories in which it searches for code
	Host                 // another machine, perhaps as user@host:path
	URL                  // an address
	Payload              // text that it sends
	Assign               // NAME=value, for itself or for what it runs
	Sets                 // one of its own settings by name, which may run things: git -c, ssh -o
	Replaces             // a file that it truncates or overwrites without asking
	Script               // a file with code in a language, or for a shell
	Mode                 // no value: an option that changes the meaning of others; Part.Lang names the change
	Auth                 // credentials: a token, a user and a password, or a file with them
	Header               // NAME: text that it sends; some names are for tokens
)

var roleNames = [...]string{"plain", "read", "write", "append", "edit", "delete", "dir", "into", "command", "argv", "code", "config", "load", "path", "host", "url", "payload", "assign", "setting", "replace", "script", "mode", "auth", "header"}

func (r Role) String() string { return roleNames[r] }

// RoleNamed returns the role of that name.
func RoleNamed(name string) (Role, bool) {
	for i := range roleNames {
		if roleNames[i] == name {
			return Role(i), true
		}
	}
	return Plain, false
}

// A Part is an argument of a call, or the part of one that is the value of an option.
type Part struct {
	Role Role
	Lang string // language of code and scripts: "python", "sql"; "" = the program's own; for other roles a detail
	Opt  string // the option whose value it is, by its first name: "-o"; "" = an operand
	Word Word
	At   int // index of the argument that it is, or that it ends
}
