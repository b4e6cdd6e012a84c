package shell

// A Role is what a program does with a word that it is given. A call's parts carry
// roles, so that whoever knows files, secrets or code need not know programs.
type Role uint8

const (
	Plain    Role = iota // only the program itself understands it
	Reads                // a file or directory whose content it takes in
	Writes               // a file that it makes or writes over
	Appends              // a file that it writes behind
	Edits                // a file that it changes in place
	Deletes              // a file or directory that is gone afterwards
	Dir                  // the directory that it works in
	Into                 // a directory below which it writes files
	Command              // text for a shell
	Argv                 // a program, with the words behind it
	Code                 // text in a language, see Part.Lang
	Config               // a file that says what it does, and may have it run things
	Loads                // a file with code that it runs
	Paths                // directories in which it looks for code
	Host                 // another machine, perhaps with a user before it and a path behind
	URL                  // an address
	Payload              // text that it sends
	Assign               // NAME=value, a setting of its own or of what it runs
	Sets                 // one of its own settings by name, which may run things: git -c, ssh -o
	Replaces             // a file that it empties or writes over without asking
	Script               // a file with code in a language, or for a shell
	Mode                 // no value: an option that changes what the others mean; Part.Lang says how
	Auth                 // what it signs in with: a token, a user and a password, a file with them
	Header               // NAME: text that it sends; some are there for tokens
)

var roleNames = [...]string{"plain", "read", "write", "append", "edit", "delete", "dir", "into", "command", "argv", "code", "config", "load", "path", "host", "url", "payload", "assign", "setting", "replace", "script", "mode", "auth", "header"}

func (r Role) String() string { return roleNames[r] }

// RoleOf is the role of that name.
func RoleOf(name string) (Role, bool) {
	for i := range roleNames {
		if roleNames[i] == name {
			return Role(i), true
		}
	}
	return Plain, false
}

// A Part is an argument of a call, or the piece of one that is an option's value.
type Part struct {
	Role Role
	Lang string // of code and scripts: "python", "sql"; "" = the program's own; of others what is particular about them
	Opt  string // the option that it is the value of, by its first name: "-o"; "" = an operand
	Word Word
	At   int // which argument of the call it is, or ends
}
