// Package program is what is known of programs: one row each.
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
//	-v|--verbose         takes no value; to list it says only that it is known
//
// Operands are written as roles in their order; "…" behind one stands for any number:
//
//	read…            all are read
//	read… write      the last of several is written, the others are read
//	plain argv       behind one word comes a command
//	-x: read…; write the first of these whose option is given counts; without one, the last
//	-*=: edit…       the same, for any option with a value
package program
