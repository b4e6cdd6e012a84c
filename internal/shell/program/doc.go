// Package program is what is known of programs: one row each, in programs.txt, and the rules
// of packs, one line each, in packs. From these texts the command gen makes static tables, so that
// nothing is read when a program starts.
//
// A row says how a program's words are read, which of its options take a value, and
// what role the values and operands have. [Read] is the only reader of options; a
// call's parts come from it. What reads files, looks for leaks or follows code asks
// for roles and knows no program by name.
//
// Options are written in one string, separated by spaces:
//
//	-o|--output=write    takes a value, in the same word or the next, that is a file to write
//	-C|--compression=    takes a value that matters to nobody else
//	-i|--in-place?       takes a value only in the same word
//	-d|--data=@payload   a value @FILE is a file that is read; any other is sent
//	-e=code:perl         the value is code
//	--*_out=into         every long option that ends so
//	-c=argv              the value is a program, what comes behind it are its words
//	-o=write:made        what it writes is made, a program or a record, so that no source is it
//	-f=write:prefix      the files that it writes begin so
//	-o=write:numbered    #1 in it is what the first {a,b} in an address stands for
//	-w=plain:format      %output{F} in it is a file to write
//	-S=plain:backup      the ending of the name of a copy of each file; a * in it is that name
//	-v|--verbose         takes no value; to list it says only that it is known
//	-x|--exec!argv       takes no value and changes the mode: what is run is run without a shell
//
// Operands are written as roles in their order; "…" behind one stands for any number:
//
//	read…            all are read
//	read… write      the last of several is written, the others are read
//	plain argv       behind one word comes a command
//	-x: read…; write the first of these whose option is given counts; without one, the last
//	-*=: edit…       the same, for any option with a value
//
// A program that runs the command in its words says in Runs how: here, away (on another
// machine), apart (with another home, root, user or limits) or elevated; sub if only its
// subcommands do. Behind that may be: judged (the program itself is judged too), clear (it
// changes nothing of the command), shell (without a command it is one), rooted, outside (of
// the container that it is in). Its operands say where the command is:
//
//	argv                 the rest is a program and its words
//	command:joined       the rest, joined by blanks, is a text for a shell
//	argv|command         a single word is a text for a shell, several are a program and its words
//	script:python        the rest is a script and its words
//	assign… argv         NAME=value may come first
//	[run] argv           this word may come first; [version], [architecture]: one of that kind
//	plain =do argv       the second word must be "do"
//	host plain… -- argv  only what comes behind -- is the command
//
// The modes of a program that runs a command: argv (without a shell in between), command
// (with one), module (of Python), alone (it runs nothing), shell, bare (without the
// environment), append (to the file that it writes). Those of an interpreter: alone, check
// (the code is not run), loop (it runs for each line of the files), switch (words with a dash
// behind the code set its variables).
//
// Where the names of the files that a program writes follow from other words than a path,
// Puts holds clauses, of which the first counts whose words and options are given:
//
//	install -g: NAMES DIR DIR   the first DIR that is set counts; without one, the next clause
//	-o=*bind* $USER: NAMES DIR  the option has such a value, and the variable is set
//
// NAMES is url (the last part of each address), base (of each operand but the last), stem
// (each operand without its ending, where it lies), flat (the last part of that), target
// (each operand that is no assignment), go (of Go packages), package (what comes from a
// registry by its name into the usual folder is called so, anything else may be called
// anything), -n|--name (the values of the options), ? (any name), ** (any tree) or none
// (an option names the file). DIR is -o|--out (an option's value), -o|--out=KEY (x of
// KEY=x in it), --prefix/bin (a folder below it), -o/ (only if it is a folder), $NAME (a
// variable, or NAME=x or NAME x among the words), @FILE:KEY (a setting in a file),
// =PROGRAM (where a program lies), < (the last operand), > (the first one), % (the folder
// of the program itself, if the call names it), or a path.
package program
