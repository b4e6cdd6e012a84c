package tools

// A meaning is what an argument's name says of it.
type meaning uint8

const (
	isOther     meaning = iota // the name says nothing: its value may
	isCommand                  // a command, or one as a list of words
	isCommands                 // several
	isProgram                  // the program of a command whose words are in isArgs
	isArgs                     // words of a command, or a tool's arguments
	isCode                     // of an interpreter
	isSQL                      // statements
	isQuery                    // statements or search text
	isPath                     // a file or directory
	isDirPath                  // a directory, in which commands run if there are any
	isDir                      // the directory in which commands run
	isOutPath                  // a file that is written
	isSource                   // where a file comes from
	isDest                     // where it goes
	isContent                  // text of a file
	isNew                      // text of a file, in an edit
	isOld                      // text that was there
	isPatch                    // a patch
	isURL                      // an address
	isPayload                  // what is sent to an address, else prose
	isInput                    // what is typed into a program that runs, else what it looks like
	isText                     // the same, else prose
	isInner                    // another tool's arguments, maybe as text
	isToolName                 // whose arguments isInner are
	isLanguage                 // of code
	isAction                   // what the tool is to do
	isRecursive                // with everything below
	isFilter                   // what a search goes by, and all in it
	isProse                    // for people
)

// An argName is the name of an argument in small letters without marks between its
// words: file_path, filePath and File-Path are one. Canonical is checkrein's word
// for it, where hosts have several and rewrites need one.
type argName struct {
	name, canonical string
	means           meaning
}

// argNames is sorted by name.
var argNames = [...]argName{
	{"absolutefilepath", "", isPath},
	{"absolutepath", "path", isPath},
	{"abstract", "", isProse},
	{"acceptancecriteria", "", isProse},
	{"action", "", isAction},
	{"actiontype", "", isAction},
	{"aggregation", "", isFilter},
	{"alt", "", isProse},
	{"alttext", "", isProse},
	{"announcement", "", isProse},
	{"answer", "", isProse},
	{"apiurl", "", isURL},
	{"appendtext", "", isContent},
	{"applescript", "", isCode},
	{"args", "", isArgs},
	{"argsjson", "", isInner},
	{"argumentlist", "", isArgs},
	{"arguments", "", isArgs},
	{"argumentsjson", "", isInner},
	{"argv", "", isArgs},
	{"attachment", "", isPath},
	{"attachments", "", isPath},
	{"background", "", isProse},
	{"baseurl", "", isURL},
	{"bash", "", isCommand},
	{"bashcode", "", isCommand},
	{"bashcommand", "", isCommand},
	{"bashscript", "", isCommand},
	{"binary", "", isProgram},
	{"bio", "", isProse},
	{"blocks", "", isProse},
	{"body", "", isPayload},
	{"bodytext", "", isProse},
	{"callbackurl", "", isURL},
	{"caption", "", isProse},
	{"cell", "", isCode},
	{"cellcontent", "", isCode},
	{"cellsource", "", isCode},
	{"chars", "", isInput},
	{"chat", "", isProse},
	{"cmd", "command", isCommand},
	{"cmdargs", "", isArgs},
	{"cmdline", "", isCommand},
	{"cmds", "", isCommands},
	{"cmdstring", "", isCommand},
	{"code", "", isCode},
	{"codeblock", "", isCode},
	{"codeedit", "", isContent},
	{"codelanguage", "", isLanguage},
	{"codesnippet", "", isCode},
	{"command", "command", isCommand},
	{"commandargs", "", isArgs},
	{"commandarguments", "", isArgs},
	{"commandline", "command", isCommand},
	{"commandlines", "", isCommands},
	{"commands", "", isCommands},
	{"commandstring", "", isCommand},
	{"commandtext", "", isCommand},
	{"commandtorun", "", isCommand},
	{"comment", "", isProse},
	{"commentbody", "", isProse},
	{"commitmessage", "", isProse},
	{"conclusion", "", isProse},
	{"condition", "", isFilter},
	{"conditions", "", isFilter},
	{"content", "content", isContent},
	{"contents", "content", isContent},
	{"context", "", isProse},
	{"criteria", "", isFilter},
	{"currentdirectory", "", isDir},
	{"currentworkingdirectory", "", isDir},
	{"cwd", "", isDir},
	{"data", "", isText},
	{"ddl", "", isQuery},
	{"desc", "", isProse},
	{"description", "", isProse},
	{"dest", "", isDest},
	{"destfile", "", isOutPath},
	{"destination", "", isDest},
	{"destinationfile", "", isOutPath},
	{"destinationpath", "", isDest},
	{"destpath", "", isDest},
	{"details", "", isProse},
	{"diff", "", isPatch},
	{"dir", "", isDirPath},
	{"directories", "", isPath},
	{"directory", "path", isDirPath},
	{"directorypath", "", isDirPath},
	{"dirpath", "path", isDirPath},
	{"dirs", "", isPath},
	{"docstring", "", isProse},
	{"documentpath", "", isPath},
	{"documenturi", "", isPath},
	{"downloadpath", "", isOutPath},
	{"editmode", "", isAction},
	{"endpoint", "", isURL},
	{"example", "", isProse},
	{"examples", "", isProse},
	{"excerpt", "", isProse},
	{"exe", "", isProgram},
	{"execcommand", "", isCommand},
	{"execdir", "", isDir},
	{"executable", "", isProgram},
	{"existingpath", "", isSource},
	{"explanation", "", isProse},
	{"explanationtext", "", isProse},
	{"exportpath", "", isOutPath},
	{"expr", "", isCode},
	{"expression", "", isCode},
	{"fact", "", isProse},
	{"facts", "", isProse},
	{"feedback", "", isProse},
	{"fields", "", isPayload},
	{"file", "", isPath},
	{"filecontent", "", isContent},
	{"filecontents", "", isContent},
	{"filedata", "", isContent},
	{"filename", "path", isPath},
	{"filenames", "", isPath},
	{"filepath", "path", isPath},
	{"filepaths", "", isPath},
	{"files", "", isPath},
	{"filetext", "content", isContent},
	{"fileuri", "", isPath},
	{"filter", "", isFilter},
	{"filters", "", isFilter},
	{"folder", "", isDirPath},
	{"folderpath", "", isDirPath},
	{"folders", "", isPath},
	{"footer", "", isProse},
	{"form", "", isPayload},
	{"formdata", "", isPayload},
	{"from", "", isSource},
	{"frompath", "", isSource},
	{"fullpath", "", isPath},
	{"function", "", isCode},
	{"functiondeclaration", "", isCode},
	{"functionname", "", isToolName},
	{"goal", "", isProse},
	{"goals", "", isProse},
	{"header", "", isProse},
	{"headers", "", isPayload},
	{"heading", "", isProse},
	{"headline", "", isProse},
	{"hint", "", isProse},
	{"hints", "", isProse},
	{"href", "", isURL},
	{"html", "", isProse},
	{"htmlbody", "", isProse},
	{"hypothesis", "", isProse},
	{"id", "", isProse},
	{"ids", "", isProse},
	{"imageurl", "", isURL},
	{"input", "", isInput},
	{"inputjson", "", isInner},
	{"inputtext", "", isInput},
	{"inserttext", "", isContent},
	{"insight", "", isProse},
	{"instruction", "", isProse},
	{"instructions", "", isProse},
	{"interpreter", "", isLanguage},
	{"intro", "", isProse},
	{"issuebody", "", isProse},
	{"itempath", "", isPath},
	{"javascript", "", isCode},
	{"javascriptcode", "", isCode},
	{"jscode", "", isCode},
	{"jscript", "", isCode},
	{"json", "", isPayload},
	{"kernel", "", isLanguage},
	{"kernelname", "", isLanguage},
	{"keys", "", isInput},
	{"keystrokes", "", isInput},
	{"keyword", "", isProse},
	{"keywords", "", isProse},
	{"label", "", isProse},
	{"labels", "", isProse},
	{"lang", "", isLanguage},
	{"language", "", isLanguage},
	{"languageid", "", isLanguage},
	{"lesson", "", isProse},
	{"line", "", isInput},
	{"link", "", isURL},
	{"linkpath", "", isPath},
	{"localfile", "", isPath},
	{"localfilepath", "", isPath},
	{"localpath", "", isPath},
	{"logpath", "", isPath},
	{"markdown", "", isProse},
	{"match", "", isFilter},
	{"mcptoolarguments", "", isInner},
	{"mcptoolname", "", isToolName},
	{"memory", "", isProse},
	{"message", "", isProse},
	{"messages", "", isProse},
	{"mode", "", isAction},
	{"msg", "", isProse},
	{"msgs", "", isProse},
	{"multipart", "", isPayload},
	{"name", "", isProse},
	{"needle", "", isProse},
	{"new", "", isNew},
	{"newbody", "", isContent},
	{"newcode", "", isContent},
	{"newcontent", "", isContent},
	{"newcontents", "", isContent},
	{"newfilename", "", isDest},
	{"newfilepath", "", isDest},
	{"newname", "", isDest},
	{"newpath", "", isDest},
	{"newsource", "", isContent},
	{"newstr", "new_string", isContent},
	{"newstring", "new_string", isContent},
	{"newtext", "new_string", isContent},
	{"newuri", "", isDest},
	{"note", "", isProse},
	{"notebook", "", isPath},
	{"notebookpath", "path", isPath},
	{"notes", "", isProse},
	{"notice", "", isProse},
	{"objective", "", isProse},
	{"observation", "", isProse},
	{"observations", "", isProse},
	{"old", "", isOld},
	{"oldcode", "", isOld},
	{"oldcontent", "", isOld},
	{"oldfilepath", "", isSource},
	{"oldpath", "", isSource},
	{"oldstr", "old_string", isOld},
	{"oldstring", "old_string", isOld},
	{"oldtext", "old_string", isOld},
	{"olduri", "", isSource},
	{"op", "", isAction},
	{"operation", "", isAction},
	{"operationtype", "", isAction},
	{"outfile", "", isOutPath},
	{"outputdir", "", isOutPath},
	{"outputdirectory", "", isOutPath},
	{"outputfile", "", isOutPath},
	{"outputfilepath", "", isOutPath},
	{"outputpath", "", isOutPath},
	{"pagefunction", "", isCode},
	{"pageurl", "", isURL},
	{"paragraph", "", isProse},
	{"parameters", "", isInner},
	{"params", "", isPayload},
	{"patch", "", isPatch},
	{"patchcontent", "", isPatch},
	{"patchtext", "", isPatch},
	{"path", "path", isPath},
	{"pathinproject", "", isPath},
	{"pathname", "", isPath},
	{"paths", "", isPath},
	{"pathstr", "", isPath},
	{"pattern", "pattern", isProse},
	{"payload", "", isPayload},
	{"phrase", "", isProse},
	{"pipeline", "", isFilter},
	{"plan", "", isProse},
	{"postdata", "", isPayload},
	{"powershellcommand", "", isCommand},
	{"powershellscript", "", isCommand},
	{"program", "", isProgram},
	{"programargs", "", isArgs},
	{"prompt", "", isProse},
	{"pythoncode", "", isCode},
	{"pythonscript", "", isCode},
	{"q", "", isQuery},
	{"queries", "", isQuery},
	{"query", "pattern", isQuery},
	{"querybody", "", isFilter},
	{"querystring", "", isQuery},
	{"querystringparams", "", isPayload},
	{"querytext", "", isQuery},
	{"question", "", isProse},
	{"questions", "", isProse},
	{"quote", "", isProse},
	{"rationale", "", isProse},
	{"rawsql", "", isSQL},
	{"reason", "", isProse},
	{"reasoning", "", isProse},
	{"recurse", "", isRecursive},
	{"recursive", "", isRecursive},
	{"regex", "pattern", isProse},
	{"relativefilepath", "", isPath},
	{"relativepath", "", isPath},
	{"relativeworkspacepath", "", isPath},
	{"remark", "", isProse},
	{"remarks", "", isProse},
	{"remarktext", "", isProse},
	{"replacement", "", isContent},
	{"replacewith", "", isContent},
	{"reply", "", isProse},
	{"requestbody", "", isPayload},
	{"requesturl", "", isURL},
	{"response", "", isProse},
	{"review", "", isProse},
	{"runcommand", "", isCommand},
	{"rundir", "", isDir},
	{"runtime", "", isLanguage},
	{"savefile", "", isOutPath},
	{"savepath", "", isOutPath},
	{"saveto", "", isOutPath},
	{"script", "command", isCommand},
	{"scripts", "", isCommands},
	{"search", "", isProse},
	{"searchphrase", "", isProse},
	{"searchquery", "", isProse},
	{"searchterm", "", isProse},
	{"searchterms", "", isProse},
	{"selector", "", isFilter},
	{"selectors", "", isFilter},
	{"sentence", "", isProse},
	{"sessionid", "", isProse},
	{"shellcmd", "", isCommand},
	{"shellcode", "", isCommand},
	{"shellcommand", "", isCommand},
	{"shellid", "", isProse},
	{"shellscript", "", isCommand},
	{"snippet", "", isCode},
	{"snippettext", "", isProse},
	{"source", "", isSource},
	{"sourcecode", "", isCode},
	{"sourcefile", "", isSource},
	{"sourcefilepath", "", isSource},
	{"sourcepath", "", isSource},
	{"sql", "", isSQL},
	{"sqlcommand", "", isSQL},
	{"sqlqueries", "", isSQL},
	{"sqlquery", "", isSQL},
	{"sqlscript", "", isSQL},
	{"sqlstatement", "", isSQL},
	{"sqlstatements", "", isSQL},
	{"sqltext", "", isSQL},
	{"src", "", isSource},
	{"srcpath", "", isSource},
	{"statement", "", isQuery},
	{"statements", "", isQuery},
	{"stdin", "", isInput},
	{"step", "", isProse},
	{"steps", "", isProse},
	{"story", "", isProse},
	{"subcommand", "", isAction},
	{"subject", "", isProse},
	{"subtitle", "", isProse},
	{"summary", "", isProse},
	{"symlinkpath", "", isPath},
	{"system", "", isProse},
	{"systemprompt", "", isProse},
	{"tagline", "", isProse},
	{"target", "", isDest},
	{"targetdir", "", isPath},
	{"targetdirectory", "", isPath},
	{"targetfile", "path", isPath},
	{"targetfilepath", "", isPath},
	{"targetpath", "", isPath},
	{"targeturl", "", isURL},
	{"task", "", isProse},
	{"taskid", "", isProse},
	{"tasks", "", isProse},
	{"term", "", isProse},
	{"terminalcommand", "", isCommand},
	{"terms", "", isProse},
	{"text", "", isText},
	{"textbody", "", isProse},
	{"texturi", "", isPath},
	{"thinking", "", isProse},
	{"thought", "", isProse},
	{"thoughts", "", isProse},
	{"tip", "", isProse},
	{"title", "", isProse},
	{"to", "", isDest},
	{"todo", "", isProse},
	{"todos", "", isProse},
	{"tool", "", isToolName},
	{"toolargs", "", isInner},
	{"toolarguments", "", isInner},
	{"toolinput", "", isInner},
	{"toolname", "", isToolName},
	{"toolparameters", "", isInner},
	{"tooltip", "", isProse},
	{"topath", "", isDest},
	{"topic", "", isProse},
	{"transcript", "", isProse},
	{"type", "", isAction},
	{"unifieddiff", "", isPatch},
	{"uri", "url", isURL},
	{"url", "url", isURL},
	{"urls", "", isURL},
	{"userprompt", "", isProse},
	{"value", "", isText},
	{"values", "", isText},
	{"variables", "", isPayload},
	{"verb", "", isAction},
	{"warning", "", isProse},
	{"wd", "", isDir},
	{"webhook", "", isURL},
	{"webhookurl", "", isURL},
	{"where", "", isFilter},
	{"workdir", "", isDir},
	{"workingdir", "", isDir},
	{"workingdirectory", "", isDir},
}

// maxName is how long a name of an argument may be that means something.
const maxName = 48

// spelled returns a name without marks and in small letters; nil if it is too long
// to be one of ours.
func spelled(buf *[maxName]byte, name []byte) []byte {
	n := 0
	for _, c := range name {
		switch {
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case c == '_' || c == '-' || c == ' ' || c == '.':
			continue
		}
		if n == len(buf) {
			return nil
		}
		buf[n] = c
		n++
	}
	return buf[:n]
}

// argNamed finds an argument's row; nil = it has none.
func argNamed(name []byte) *argName {
	var buf [maxName]byte
	key := spelled(&buf, name)
	lo, hi := 0, len(argNames)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if argNames[mid].name < string(key) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(argNames) && argNames[lo].name == string(key) {
		return &argNames[lo]
	}
	return nil
}

// meaningOf reads a name; of one that is not in the table its last word counts,
// where that word has one meaning: the_command, target_sql, rule_names.
func meaningOf(name []byte) meaning {
	if m := oneOrMore(name); m != isOther {
		return m
	}
	at := len(name)
	for at > 0 && !startsWord(name, at) {
		at--
	}
	if at == 0 {
		return isOther
	}
	switch m := oneOrMore(name[at:]); m {
	case isCommand, isSQL, isPath, isURL, isCode, isDirPath, isProse, isText, isContent:
		return m
	}
	return isOther
}

// oneOrMore reads a word of the table, or several of what it means.
func oneOrMore(name []byte) meaning {
	if row := argNamed(name); row != nil {
		return row.means
	}
	if n := len(name); n > 3 && name[n-1]|0x20 == 's' {
		if row := argNamed(name[:n-1]); row != nil {
			return row.means
		}
	}
	return isOther
}

// startsWord reports whether a word begins at a place of a name.
func startsWord(name []byte, at int) bool {
	if at >= len(name) {
		return false
	}
	before, c := name[at-1], name[at]
	return before == '_' || before == '-' || before == '.' || 'a' <= before && before <= 'z' && 'A' <= c && c <= 'Z'
}

// CanonicalName returns checkrein's word for an argument; one that hosts agree on
// keeps its name.
func CanonicalName(name string) string {
	if row := argNamed([]byte(name)); row != nil && row.canonical != "" {
		return row.canonical
	}
	return name
}

// IsDir reports whether an argument's name is one for the directory in which commands run.
func IsDir(name string) bool {
	row := argNamed([]byte(name))
	return row != nil && (row.means == isDir || row.means == isDirPath)
}

// Means reports whether an argument's name is another word for name.
func Means(key []byte, name string) bool {
	a, b := argNamed(key), argNamed([]byte(name))
	return a != nil && b != nil && a.canonical != "" && a.canonical == b.canonical
}
