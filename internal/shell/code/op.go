package code

// An op is an operation: what a function does.
type op uint8

const (
	_ op = iota // nothing

	// Texts that the code computes.
	opSame
	opTextJoin
	opListJoin
	opSplit
	opFormat
	opRange
	opPairs
	opMe
	lastText

	// Paths, directories and environment variables.
	opPath
	opJoin
	opDirname
	opExpand
	opHome
	opCwd
	opTmp
	opGlob
	opListdir
	opWalk
	opGetenv
	opEnvAll
	opChdir
	lastPlace

	// Files.
	opDel
	opRmdir
	opDelTree
	opRmOpt
	opRead
	opWrite
	opWriteMaybe
	opAppend
	opTouch
	opTruncate
	opOpen
	opOsOpen
	opInplace
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
	opShell
	opArgv
	opWords
	opExecl
	opExecv
	opNamed
	opFork
	opIter
	opKill
	opDup
	opEndless
	opEval
	opEvalText
	opImport
	opRequire
	opGetattr
	opMap
	opEach
	opDyn
	opRequirer
	opUnread
	lastRun

	// Requests.
	opGet
	opSend
	opReq
	opReqMethod
	opUrlopen
	opHTTPDelete
	opClient
	opConn
	opConnReq
	opFetchTo
	lastRequest

	// Connections.
	opSocket
	opLogTo
	opConnect
	opListen
	opSockSend
	opPipe
	opDNS
	opMail
	opUpload
	opSftp
	lastConnection

	// Databases.
	opCloudDelete
	opSQL
	opSqlOpen
	opDrop
	opDropAll
	opSync
	opFlush
	opQueryDelete
	opServe
	opDestroy
	opUpdateAll
)

// self in entry.at stands for the receiver of a method instead of an argument.
const self = 255

// An entry is the operation of a function, with the index of the argument that it works on.
type entry struct {
	name string
	op   op
	at   uint8
}

// functionTable returns the functions of l that have an operation, sorted by name.
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

// findFunction returns the entry of the function n.
func findFunction(l lang, n string) (entry, bool) {
	rows := functionTable(l)
	if i := lowerBound(rows, n); i < len(rows) && rows[i].name == n {
		return rows[i], true
	}
	return entry{}, false
}

// lowerBound returns the index of the first row whose name is not less than n.
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

// applyFunction adds the effects of a call of v, whose entry is e, and returns its result.
func (r *reader) applyFunction(e *entry, v value, args []value, from int) value {
	switch {
	case e.op < lastText:
		return r.applyText(e, v, args)
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

// subjectArg returns the argument or receiver that a function works on.
func subjectArg(e *entry, v value, args []value) value {
	if e.at == self {
		if v.recv != nil {
			return *v.recv
		}
		return value{taint: v.taint}
	}
	return positionalArg(args, int(e.at), subjectKeys)
}

// subjectKeys are the keywords under which that argument may be passed.
const subjectKeys = "path src filename file pathname atPath args cmd url name at command"
