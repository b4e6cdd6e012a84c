package code

// An op is the operation that a function performs, as far as the reader needs it. The tables in
// tables.txt name it without the prefix op.
type op uint8

const (
	_ op = iota // no operation

	// Computed strings and lists.
	opSame     // the result is the argument or receiver
	opTextJoin // sep.join(list)
	opListJoin // list.join(sep)
	opSplit
	opFormat
	opRange
	opPairs // enumerate, which is treated like opSame
	opMe    // the ID of the code's own process or process group
	lastText

	// Paths, directories and environment variables.
	opPath // a Path object
	opJoin
	opDirname
	opExpand // replaces ~ and $HOME
	opHome
	opCwd
	opTmp // a temporary file or directory
	opGlob
	opListdir
	opWalk
	opGetenv
	opEnvAll // all environment variables
	opChdir
	lastPlace

	// Files.
	opDel
	opRmdir
	opDelTree
	opRmOpt // deletes a file or a tree, depending on its options
	opRead
	opWrite
	opWriteMaybe // writes if the argument is a file name
	opAppend
	opTouch
	opTruncate
	opOpen
	opOsOpen  // open with flags such as O_WRONLY
	opInplace // changes files if the option inplace is set
	opMove
	opCopy
	opCopyTree
	opLink
	opChmod
	opChown
	opMkdir
	opExtract
	lastFile

	// Programs and code.
	opShell // a command line, or a list with a program and its arguments
	opArgv  // a program and a list of its arguments
	opWords // the arguments are a program and its arguments
	opExecl
	opExecv
	opNamed // the function's name is the program
	opFork
	opIter // iter(f, sentinel)
	opKill
	opDup     // duplicates a descriptor
	opEndless // an endless iterator
	opEval
	opEvalText // runs its argument if that is a string, and calls it otherwise
	opImport
	opRequire
	opGetattr
	opMap      // map(f, list)
	opEach     // list.map(f) and promise.then(f)
	opDyn      // runs unknown code or native functions
	opRequirer // returns a require function
	opUnread   // runs code or changes files in an unknown way
	lastRun

	// Requests.
	opGet
	opSend      // a request with a body
	opReq       // a request whose options contain the method
	opReqMethod // a request whose first argument is the method
	opUrlopen
	opHTTPDelete
	opClient  // returns an HTTP client
	opConn    // returns an HTTP connection
	opConnReq // a request over an HTTP connection
	opFetchTo // downloads to a file
	lastRequest

	// Connections.
	opSocket
	opLogTo // sends log records to a host
	opConnect
	opListen
	opSockSend
	opPipe // copies a stream to another
	opDNS
	opMail
	opUpload
	opSftp // returns an SFTP client
	lastConnection

	// Databases.
	opCloudDelete
	opSQL
	opSqlOpen
	opDrop
	opDropAll // deletes all rows, or those that match a filter
	opSync    // drops tables if the option force is set
	opFlush   // empties a key-value store
	opQueryDelete
	opServe   // serves files over HTTP
	opDestroy // deletes objects of the application
	opUpdateAll
)

// self in entry.at means that a function works on its receiver instead of an argument.
const self = 255

// An entry describes a function in the tables.
type entry struct {
	// name is the function's dotted name. "*." in front stands for any object.
	name string
	op   op
	// at is the index of the argument that the function works on, or self.
	at uint8
}

// functionTable returns the functions of the language l that have an operation, sorted by name.
func functionTable(l lang) []entry {
	switch l {
	case python:
		return pythonNames[:]
	case javascript:
		return javascriptNames[:]
	case perl, ruby, php:
		return scannedNames[:]
	}
	return nil
}

// findFunction returns the entry of the function of l with the name n. It reports false if there is
// none.
func findFunction(l lang, n string) (entry, bool) {
	rows := functionTable(l)
	if i := lowerBound(rows, n); i < len(rows) && rows[i].name == n {
		return rows[i], true
	}
	return entry{}, false
}

// lowerBound returns the index of the first of the sorted rows whose name is not less than n, or
// len(rows).
func lowerBound(rows []entry, n string) int {
	lo, hi := 0, len(rows)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if rows[mid].name < n {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// applyOp adds the effects of calling the function v, whose entry is e, with args, and returns the
// call's result. From is the index of the call's first token.
func (r *reader) applyOp(e *entry, v value, args []value, from int) value {
	switch {
	case e.op < lastText:
		return r.applyTextOp(e, v, args)
	case e.op < lastPlace:
		return r.applyPathOp(e, v, args)
	case e.op < lastFile:
		return r.applyFileOp(e, v, args, from)
	case e.op < lastRun:
		return r.applyRunOp(e, v, args, from)
	case e.op < lastRequest:
		return r.applyRequestOp(e, v, args, from)
	case e.op < lastConnection:
		return r.applyConnectionOp(e, v, args, from)
	default:
		r.applyDatabaseOp(e, args, from)
	}
	return value{}
}

// subjectArg returns the argument or receiver that the function v works on, according to its entry e.
func subjectArg(e *entry, v value, args []value) value {
	if e.at == self {
		if v.recv != nil {
			return *v.recv
		}
		return value{taint: v.taint}
	}
	return namedOrNthArg(args, int(e.at), subjectKeys)
}

// subjectKeys lists the keywords under which the subject of a function may be passed.
const subjectKeys = "path src filename file pathname atPath args cmd url name at command"
