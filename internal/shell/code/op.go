package code

// An op is what a function does.
type op uint8

const (
	_ op = iota // nothing

	// Texts that are put together while the code runs.
	opSame
	opTextJoin
	opListJoin
	opSplit
	opFormat
	opRange
	opPairs
	opMe
	lastText

	// Places and what is in them.
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

// self as an entry's place means: not an argument, but what the method belongs to.
const self = 255

// An entry describes what a function does, and which argument it does it to.
type entry struct {
	name string
	op   op
	at   uint8
}

// table is what is known of a language's functions, sorted by name.
func table(l lang) []entry {
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

// find looks a function up.
func find(l lang, n string) (entry, bool) {
	rows := table(l)
	if i := lowerBound(rows, n); i < len(rows) && rows[i].name == n {
		return rows[i], true
	}
	return entry{}, false
}

// lowerBound is the first row whose name is not before n.
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

// apply does what the table says of a function, and returns its result.
func (r *reader) apply(e *entry, v value, args []value, from int) value {
	switch {
	case e.op < lastText:
		return r.applyText(e, v, args)
	case e.op < lastPlace:
		return r.applyPath(e, v, args)
	case e.op < lastFile:
		return r.applyFile(e, v, args, from)
	case e.op < lastRun:
		return r.applyRun(e, v, args, from)
	case e.op < lastRequest:
		return r.applyRequest(e, v, args, from)
	case e.op < lastConnection:
		return r.applyConnection(e, v, args, from)
	default:
		r.applyDatabase(e, args, from)
	}
	return value{}
}

// subject is the argument that a function works on.
func subject(e *entry, v value, args []value) value {
	if e.at == self {
		if v.recv != nil {
			return *v.recv
		}
		return value{taint: v.taint}
	}
	return positionalArg(args, int(e.at), subjectKeys)
}

// subjectKeys are the names under which languages take the argument that counts.
const subjectKeys = "path src filename file pathname atPath args cmd url name at command"
