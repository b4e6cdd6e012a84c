// Package program describes programs, by one row each in programs.txt, and holds the rules of packs,
// one line each in packs. The gen command generates static tables from these files, so that no file is
// read at start.
//
// A row describes how the words of a program are read, which of its options take a value, and the
// roles of the values and operands. [Reading.Read] is the only reader of options; the parts of a call
// come from it. Packages that judge files, leaks or code use roles instead of the names of programs.
//
// Options are written in one string, separated by spaces:
//
//	-o|--output=write    takes a value, in the same word or the next, that is a file to write
//	-C|--compression=    takes a value without a role
//	-i|--in-place?       takes a value only in the same word
//	-d|--data=@payload   a value @FILE is a file that is read; any other value is sent
//	-e=code:perl         the value is code
//	--*_out=into         every long option with that suffix
//	-c=argv              the value is a program, and its words follow
//	-o=write:made        the output is a program or a record, so it is never a source file
//	-f=write:prefix      the value is the prefix of the names of the files to write
//	-o=write:numbered    #1 in the value stands for the first {a,b} in a URL
//	-w=plain:format      %output{F} in the value names a file to write
//	-S=plain:backup      the suffix of a backup of each file; a * in it is the file's name
//	-v|--verbose         takes no value; listed so that it is not an unknown option
//	-x|--exec!argv       takes no value and changes the mode: the command runs without a shell
//
// Operands are written as roles in their order; "…" after a role stands for any number of them:
//
//	read…            all are read
//	read… write      the last of several is written, the others are read
//	plain argv       a command follows one word
//	-x: read…; write the first list whose option is present counts; a list without an option always does
//	-*=: edit…       the same, if any option has a value
//
// For a program that runs the command in its words, Runs is one of here, away (on another machine),
// apart (with another home, root, user or limits) or elevated; or sub if only its subcommands do.
// Further words may follow: judged (the program itself is judged too), clear (it does not change the
// command), shell (without a command it is a shell), rooted, outside (the command runs outside the
// container that the program is in). The operands describe where the command is:
//
//	argv                 the rest is a program and its words
//	command:joined       the rest, joined by spaces, is a shell command
//	argv|command         a single word is a shell command, several are a program and its words
//	script:python        the rest is a script and its words
//	assign… argv         NAME=value may come first
//	[run] argv           this word may come first; [version], [architecture]: one of that kind
//	plain =do argv       the second word must be "do"
//	host plain… -- argv  only the words after -- are the command
//
// The modes of a program that runs a command are argv (without a shell), command (with one), module
// (of Python), alone (it runs nothing), shell, bare (without the environment) and append (to the file
// that it writes). Those of an interpreter are alone, check (the code is not run), loop (it runs for
// each line of the files) and switch (words with a dash after the code set its variables).
//
// If the names of the files that a program writes derive from words other than a path, Puts holds
// clauses. The first one whose words and options are present counts:
//
//	install -g: NAMES DIR DIR   the first DIR that is set counts; without one, the next clause
//	-o=*bind* $USER: NAMES DIR  the option has such a value, and the variable is set
//
// NAMES is url (the last part of each URL), base (of each operand but the last), stem (each operand
// without its extension, in its directory), flat (the last part of that), target (each operand that is
// not an assignment), go (of Go packages), package (a package from a registry has its own name in the
// usual directory; anything else may have any name), -n|--name (the values of the options), ? (any
// name), ** (any tree) or none (an option names the file). DIR is -o|--out (an option's value),
// -o|--out=KEY (x of KEY=x in it), --prefix/bin (a directory below it), -o/ (only if it is a
// directory), $NAME (a variable, or NAME=x or NAME x among the words), @FILE:KEY (a setting in a
// file), =PROGRAM (the directory of a program), < (the last operand), > (the first one), % (the
// directory of the program itself, if the call names it), or a path.
//
// A target is a database, a cluster or a project that a call acts on. On lists the parts of a call that
// can name it, and the first one that is present counts. At lists those that can name its machine; if none
// is present, the target is on this machine:
//
//	-d|--dbname      the values of the options
//	-n>0             the same, but the target is for tests if the number is positive
//	1                the first operand after the subcommands
//	1/               the part of that before a slash; nothing if it has no slash
//	2                the second operand
//	*                all operands after the subcommands
//	*/               the parts of these before a slash
//	$NAME            the variable, or NAME=x among the words
//	url              all operands and the values of --url; the path of a URL is the name of a target
//	sql              the databases that statements create or drop, if all statements only do that
//	sql.             the same, and those before the dot in the names of tables
//	--local!         the name of the option, if it has no value
//	=local           this name, if the program has no other targets
//	--context@       the values of the option, of which a place on this machine is enough
//
// If one of the words in Unless occurs in the arguments or the input, the call affects more than its
// target; *.* is a name with a dot in a statement, such as that of a table in another database. A
// place on this machine, and databases in statements, are all that is affected anyway. targets.txt lists the names.
package program
