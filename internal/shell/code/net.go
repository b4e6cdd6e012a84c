package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// applyRequestOp adds the effects of calling a function that sends a request, and returns its result.
// E is the function's entry, v the function, and from the index of the call's first token.
func (r *reader) applyRequestOp(e *entry, v value, args []value, from int) value {
	switch e.op {
	case opGet:
		return r.addFetch(namedOrNthArg(args, 0, "url uri"), args, from)
	case opHTTPDelete:
		u := namedOrNthArg(args, 0, "url")
		r.addCommand("curl -X DELETE " + shellQuote(&u))
	case opClient:
		return value{form: name, text: "requests"}
	case opConn:
		return value{form: text, text: namedOrNthArg(args, 0, "host").str(), class: "httpconn"}
	case opConnReq:
		return r.addConnRequest(v, args, from)
	case opFetchTo:
		u, f := namedOrNthArg(args, 0, "url"), namedOrNthArg(args, 1, "filename destfile out")
		r.addSend(send{url: u.str(), taint: u.taint & (local &^ fromInput), direct: true, words: r.snippet(from)})
		if f.form == text {
			r.addCommand("curl -o " + shellQuote(&f) + " " + shellQuote(&u))
		} else {
			r.addCommand("curl -O " + shellQuote(&u))
		}
	default:
		return r.addRequest(e, v, args, from)
	}
	return value{taint: fromNet}
}

// applyConnectionOp adds the effects of calling a function that opens or uses a connection, and
// returns its result.
func (r *reader) applyConnectionOp(e *entry, v value, args []value, from int) value {
	first := namedOrNthArg(args, 0, "")
	switch e.op {
	case opSocket:
		return value{class: "sock"}
	case opConnect:
		return r.recordConnection(args)
	case opLogTo: // the handler sends log records to a host
		if len(args) > 0 && r.quiet == 0 {
			r.out.logs = true
			return r.recordConnection(args)
		}
	case opListen:
		if r.quiet == 0 {
			r.out.socket = true
		}
		return value{class: "sock", taint: fromNet}
	case opSockSend:
		r.recordSocketSend(v, args, from)
	case opPipe:
		if v.recv != nil && first.class == "sock" {
			r.recordSocketData([]value{*v.recv}, true, from)
		}
	case opDNS:
		r.addDNSLookup(args, from)
		return first
	case opMail:
		r.addSend(send{taint: taintOf(args), mail: true, words: r.snippet(from)})
	case opUpload:
		r.addSend(send{taint: taintOf(args), upload: true, words: r.snippet(from)})
	case opSftp:
		return value{class: "sftp"}
	}
	return value{}
}

// addSend records s, unless the reader is looking ahead or has recorded 32 sends.
func (r *reader) addSend(s send) {
	if r.quiet == 0 && len(r.out.sends) < 32 {
		r.out.sends = append(r.out.sends, s)
	}
}

// addFetch adds a request for the URL u and returns the response. Tainted data in the arguments or in
// the client's headers leaves the machine with it.
func (r *reader) addFetch(u value, args []value, from int) value {
	if r.out.headers != 0 {
		args = append(args[:len(args):len(args)], value{taint: r.out.headers, key: "headers"})
	}
	r.addSend(send{url: u.str(), taint: taintOf(args) & (local &^ fromInput), direct: true, words: r.snippet(from)})
	return value{taint: fromNet}
}

// addRequest adds a request whose method and body depend on the operation of e and on args, and
// returns the response. A Request object without a body is returned as its URL.
func (r *reader) addRequest(e *entry, v value, args []value, from int) value {
	url := namedOrNthArg(args, 0, "url uri")
	body := false
	switch e.op {
	case opSend:
		body = true
	case opReqMethod:
		m := namedOrNthArg(args, 0, "method")
		url = namedOrNthArg(args, 1, "url")
		body = !isReadMethod(m.str())
	case opUrlopen:
		_, data := keywordArg(args, "data")
		body = data || len(args) > 1 && args[1].key == "" && args[1].form != name
	case opReq:
		m, ok := keywordArg(append([]value{{}}, args...), "method type")
		_, data := keywordArg(append([]value{{}}, args...), "body data form formData json")
		body = ok && !isReadMethod(m.str()) || data
		if u, ok := keywordArg(append([]value{{}}, args...), "url uri hostname host"); ok {
			url = u
		}
	}
	if e.op == opReq && strings.HasSuffix(v.text, ".request") && r.lang == javascript {
		return r.addNodeRequest(url, args, body, from)
	}
	if strings.HasSuffix(v.text, "Request") && !body {
		return value{form: text, text: url.str(), taint: taintOf(args)}
	}
	_, files := keywordArg(args, "files")
	if body {
		r.addSend(send{url: url.str(), taint: taintOf(args), upload: files, words: r.snippet(from)})
		return value{taint: fromNet}
	}
	return r.addFetch(url, args, from)
}

// addNodeRequest adds a call of Node's http.request and returns the request as a connection, because
// the code writes the request's body to it.
func (r *reader) addNodeRequest(url value, args []value, body bool, from int) value {
	if r.quiet == 0 {
		r.out.recordPeer(facts.HostOf(url.str()))
	}
	if body {
		r.addSend(send{url: url.str(), taint: taintOf(args), words: r.snippet(from)})
	} else {
		r.addFetch(url, args, from)
	}
	return value{class: "sock", taint: fromNet}
}

// recordSentAssignment records that w is assigned to the attribute to, if a request will send it: the
// headers or parameters of a client, or the address that a web page loads.
func (r *reader) recordSentAssignment(to, w value, from int) {
	switch {
	case to.form == name && strings.Contains(to.text, ".headers"), to.form == name && strings.HasSuffix(to.text, ".params"): // sent with later requests
		r.out.headers |= w.taint & (fromFile | fromSecret | fromEnv | fromCommand)
	case r.lang == javascript && to.form == name && isURL(w.str()) && (strings.HasSuffix(to.text, ".src") || strings.HasSuffix(to.text, ".href") || strings.HasSuffix(to.text, "location")):
		r.addSend(send{url: w.str(), taint: w.taint & local, direct: true, words: r.snippet(from)})
	}
}

// isReadMethod reports whether the HTTP method m is GET, HEAD or OPTIONS, in any case.
func isReadMethod(m string) bool {
	switch strings.ToUpper(m) {
	case "GET", "HEAD", "OPTIONS":
		return true
	}
	return false
}

// deepTaint returns the combined taint of args, including the items of nested lists.
func deepTaint(args []value) (t taint) {
	for i := range args {
		args[i].eachLeaf(func(v *value) { t |= v.taint })
	}
	return t
}

// addConnRequest adds conn.request('POST', path, body), where the receiver of v is the connection, and
// returns the response.
func (r *reader) addConnRequest(v value, args []value, from int) value {
	host := ""
	if v.recv != nil {
		host = v.recv.text
	}
	r.addSend(send{url: host, taint: taintOf(args), direct: isReadMethod(namedOrNthArg(args, 0, "method").str()), words: r.snippet(from)})
	return value{taint: fromNet}
}

// addDNSLookup adds an effect if the name in a DNS lookup contains data that must not leave the
// machine.
func (r *reader) addDNSLookup(args []value, from int) {
	if deepTaint(args)&local != 0 {
		r.addEffectWithWords(&sendsInLookup, r.snippet(from))
	}
}

// applyDatabaseOp adds the effects of calling a function that changes a database or a cloud resource,
// or that serves files.
func (r *reader) applyDatabaseOp(e *entry, args []value, from int) {
	words := r.snippet(from)
	switch e.op {
	case opSqlOpen:
		if s := namedOrNthArg(args, 0, "database"); s.text == ":memory:" {
			r.out.memory = true
		}
	case opSQL:
		s := namedOrNthArg(args, int(e.at), "sql statement query operation")
		if s.form == list && len(s.items) > 0 {
			s = s.items[0]
		}
		if s.form == text && !r.out.memory {
			r.addSQLStatements(s.text, words)
		}
	case opDrop:
		r.addEffectWithWords(&dropsTables, words)
	case opSync:
		if f, ok := keywordArg(append([]value{{}}, args...), "force"); ok && isTrueLiteral(f) {
			r.addEffectWithWords(&dropsTables, words)
		}
	case opDropAll:
		if first := namedOrNthArg(args, 0, ""); len(args) == 0 || first.form == list && len(first.items) == 0 {
			r.addEffectWithWords(&deletesAllRows, words)
		} else {
			r.addEffectWithWords(&deletesSomeRows, words)
		}
	case opQueryDelete:
		if r.deletesQueryResult(words, args) {
			r.addEffectWithWords(&deletesQueried, words)
		}
	case opServe:
		if strings.HasSuffix(e.name, ".test") || strings.Contains(words, "SimpleHTTP") {
			r.addCommand("python3 -m http.server")
		}
	case opFlush:
		r.addEffectWithWords(&flushesStore, words)
	case opDestroy:
		r.addEffectWithWords(&deletesObjects, words)
	case opUpdateAll:
		r.addEffectWithWords(&updatesAll, words)
	case opCloudDelete:
		r.addEffectWithWords(&deletesCloudResource, words)
	}
}

// deletesQueryResult reports whether the call in words seems to delete the objects that a query
// returns, and not an item of a collection in memory.
func (r *reader) deletesQueryResult(words string, args []value) bool {
	return containsAny(words, ".objects.", ".all()", ".filter(", ".query.", "indices.delete") ||
		r.out.console && (len(args) == 0 || args[0].form == list) || usesCloudLibrary(r.src) && strings.Contains(words, "(")
}

// addSQLStatements adds the effects of the first 64 statements in sql. Words is the code that the
// effects quote.
func (r *reader) addSQLStatements(sql, words string) {
	for n := 0; sql != "" && n < 64; n++ {
		var one string
		one, sql, _ = strings.Cut(sql, ";")
		if e, ok := sqlEffect(one); ok {
			e.Words = words
			r.addEffect(e)
		}
	}
}

// sqlEffect returns the effect of the SQL statement s. It reports false if s neither drops, deletes,
// truncates nor updates whole tables.
func sqlEffect(s string) (shell.Effect, bool) {
	f := strings.Fields(strings.ToUpper(s[:min(len(s), 4096)]))
	if len(f) < 2 {
		return shell.Effect{}, false
	}
	e := shell.Effect{Label: shell.Destructive, Impact: shell.ImpactHigh}
	switch f[0] {
	case "DROP":
		switch f[1] {
		case "TABLE", "DATABASE", "SCHEMA", "KEYSPACE", "COLLECTION":
			e.Kind, e.Category, e.Reason = "drop", shell.SQLDrop, "drops a table or database"
		default:
			e.Kind, e.Category, e.Impact, e.Reason = "drop", shell.SQLDrop, shell.ImpactMedium, "drops part of a database"
		}
		return e, true
	case "TRUNCATE":
		e.Kind, e.Category, e.Reason = "truncate", shell.SQLTruncate, "empties a table"
		return e, true
	case "DELETE":
		if f[1] != "FROM" && !strings.ContainsAny(f[1], "\\:") { // in Doctrine, a class name follows DELETE
			return e, false
		}
		e.Kind, e.Category, e.Reason = "delete", shell.SQLDelete, "deletes every row of a table"
		for _, w := range f {
			if w == "WHERE" {
				e.Impact, e.Reason = shell.ImpactMedium, "deletes rows from a table"
			}
		}
		return e, true
	case "ALTER":
		for i, w := range f {
			if w == "DROP" && i > 1 {
				e.Kind, e.Category, e.Impact, e.Reason = "drop", shell.SQLDrop, shell.ImpactMedium, "drops part of a table"
				return e, true
			}
		}
	case "UPDATE":
		if len(f) > 2 && f[2] == "SET" {
			for _, w := range f {
				if w == "WHERE" {
					return e, false
				}
			}
			e.Kind, e.Category, e.Impact, e.Reason = "update", shell.SQLUpdate, shell.ImpactMedium, "updates every row of a table"
			return e, true
		}
	}
	return e, false
}
