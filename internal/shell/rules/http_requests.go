package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// A request is a request of an HTTP client, as far as this package judges it. Package exfil judges the
// data that it sends.
type request struct {
	method string // "" for the client's default
	body   bool   // it has a body
	hidden bool   // some options are unknown because they are in a configuration file
	saves  bool   // it writes a file
	socket bool   // it goes to a Unix socket, such as that of a container engine
	urls   []string
	data   string // the known part of the body
}

// curlValueFlags lists the letters of curl's short flags that take a value.
const curlValueFlags = "AbcCdDeEFHKmoPQrtTuUwxXyYz"

// curlEffects returns the effects of the request that curl makes. It reports false if they are
// unknown.
func curlEffects(c *shell.Call) ([]shell.Effect, bool) {
	var q request
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		next := func() string {
			if i++; i < len(c.Args) {
				return c.Args[i].Text
			}
			return ""
		}
		switch {
		case strings.HasPrefix(t, "--"):
			name, value, ok := strings.Cut(t, "=")
			if curlFlagTakesValue(name) && !ok {
				value = next()
			}
			q.addLongFlag(name, value)
		case len(t) > 1 && t[0] == '-':
			for k := 1; k < len(t); k++ {
				if strings.IndexByte(curlValueFlags, t[k]) < 0 {
					switch t[k] {
					case 'I':
						q.method = "HEAD"
					case 'O', 'J':
						q.saves = true
					}
					continue
				}
				value := t[k+1:]
				if value == "" {
					value = next()
				}
				q.addShortFlag(t[k], value)
				break
			}
		default:
			q.urls = append(q.urls, t)
		}
	}
	return q.effects(c)
}

// curlFlagTakesValue reports whether the long flag name of curl takes a value. Flags that do not
// matter here are left out.
func curlFlagTakesValue(name string) bool {
	return inListFold("--request --data --data-raw --data-binary --data-urlencode --data-ascii --json --form --form-string --upload-file --url --output --header --user-agent --user --config --max-time --connect-timeout --cookie --cookie-jar --referer --write-out --proxy --resolve --cacert --cert --key --retry --retry-delay --range --interface --quote --unix-socket --output-dir --dump-header --oauth2-bearer --aws-sigv4 --limit-rate --url-query --connect-to --noproxy --proto --max-redirs --retry-max-time --stderr --trace --trace-ascii --variable --expand-data --expand-url", name)
}

// addShortFlag applies a short flag of curl with its value.
func (q *request) addShortFlag(flag byte, value string) {
	switch flag {
	case 'X':
		q.method = value
	case 'd', 'F', 'T':
		q.body, q.data = true, q.data+value
		if flag == 'T' && q.method == "" {
			q.method = "PUT"
		}
	case 'Q':
		q.body, q.data = true, q.data+" quote "+value
	case 'K':
		q.hidden = true
	case 'o', 'c', 'D':
		q.saves = q.saves || !isOutputSink(value)
	}
}

// isOutputSink reports whether the file name stands for standard output or a device such as /dev/null.
func isOutputSink(name string) bool {
	return name == "-" || facts.IsOutputDevice(name)
}

// addLongFlag applies the long flag name of curl with its value.
func (q *request) addLongFlag(name, value string) {
	switch {
	case name == "--request":
		q.method = value
	case strings.HasPrefix(name, "--data"), name == "--json", strings.HasPrefix(name, "--form"), name == "--expand-data":
		q.addShortFlag('d', value)
	case name == "--upload-file":
		q.addShortFlag('T', value)
	case name == "--quote":
		q.addShortFlag('Q', value)
	case name == "--config":
		q.hidden = true
	case name == "--unix-socket" || name == "--abstract-unix-socket":
		q.socket = true
	case name == "--url":
		q.urls = append(q.urls, value)
	case name == "--head":
		q.method = "HEAD"
	case inListFold("--output --cookie-jar --dump-header --stderr --trace --trace-ascii", name):
		q.saves = q.saves || !isOutputSink(value)
	case strings.HasPrefix(name, "--remote-name"), strings.HasPrefix(name, "--remote-header-name"), inListFold("--output-dir --create-dirs --etag-save --hsts --alt-svc --libcurl --xattr", name):
		q.saves = true
	}
}

// wgetEffects returns the effects of the request that wget makes. It reports false if they are
// unknown.
func wgetEffects(c *shell.Call) ([]shell.Effect, bool) {
	q := request{saves: true}
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		if at := strings.IndexByte(t, 'O'); at > 0 && len(t) > at+1 && t[0] == '-' && t[1] != '-' {
			q.saves = !isOutputSink(t[at+1:]) // as in -qO-
		}
		name, value, ok := strings.Cut(t, "=")
		if !ok && strings.HasPrefix(t, "-") && strings.HasSuffix(t, "O") {
			name = "-O" // as in -qO -
		}
		if !ok && inListFold("--method --post-data --post-file --body-data --body-file --header --output-document -O -P -o -U -t -T --user --password --use-askpass -i --input-file -e --execute --directory-prefix", name) && i+1 < len(c.Args) {
			i++
			value = c.Args[i].Text
		}
		switch name {
		case "--method":
			q.method = value
		case "-O", "--output-document":
			q.saves = !isOutputSink(value)
		case "--spider":
			q.saves = false
		case "--post-data", "--post-file", "--body-data", "--body-file":
			q.body, q.data = true, value
			if q.method == "" {
				q.method = "POST"
			}
		case "-e", "--execute", "--use-askpass", "-i", "--input-file", "--config":
			q.hidden = true
		default:
			if !strings.HasPrefix(t, "-") {
				q.urls = append(q.urls, t)
			}
		}
	}
	return q.effects(c)
}

// effects returns the effect of sending q as the only effect of c. It reports false if options or the
// method are unknown.
func (q *request) effects(c *shell.Call) ([]shell.Effect, bool) {
	method := q.effectiveMethod()
	if q.hidden || strings.ContainsRune(method, shell.Placeholder) {
		return nil, false
	}
	e := shell.Effect{Label: shell.Unknown, Kind: "request", Category: shell.HTTPWrite, Rule: "http", Impact: shell.ImpactMedium, Reason: "may change data on a web service"}
	local := len(q.urls) > 0
	for _, u := range q.urls {
		host := facts.HostOf(u)
		e.Hosts = append(e.Hosts, host.Name)
		local = local && host.IsLocal()
	}
	own := local && !q.targetsDataStore() // a service on this machine that stores no valuable data
	switch {
	case method == "DELETE" && own:
		e.Kind, e.Category, e.Impact, e.Reason = "delete", shell.HTTPDelete, shell.ImpactLow, "deletes something in a service on this machine"
	case method == "DELETE":
		e.Label, e.Kind, e.Category, e.Reason = shell.Destructive, "delete", shell.HTTPDelete, "deletes something on a web service"
	case q.requestsDelete(method) || q.requestsAPIDelete():
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Destructive, "delete", shell.HTTPDelete, shell.ImpactHigh, "makes a service delete, drop or stop something"
	case method == "GET" || method == "HEAD" || method == "OPTIONS":
		if q.body && method != "GET" {
			return nil, false
		}
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Safe, "read", shell.NetRead, shell.ImpactLow, "reads from the network"
		if e.Uncertain = c.MayHaveUnknownOption(); q.saves {
			e.Kind = "download"
		}
	case (method == "PUT" || method == "PATCH") && own:
		e.Label, e.Impact, e.Reason = shell.Safe, shell.ImpactLow, "changes something in a service on this machine"
	case method == "POST" && !q.socket && (local || q.isPlainPost()):
		e.Label, e.Impact, e.Reason = shell.Safe, shell.ImpactLow, "sends an ordinary request to a service"
	}
	return singleEffect(c, e)
}

// effectiveMethod returns the method of q in upper case, or the client's default. For PURGE it returns
// DELETE.
func (q *request) effectiveMethod() string {
	switch method := strings.ToUpper(q.method); {
	case method == "PURGE":
		return "DELETE"
	case method != "":
		return method
	case q.body:
		return "POST"
	}
	return "GET"
}

// targetsDataStore reports whether q goes to a service that stores data, such as a database, a queue
// or the container engine. It recognizes them by their port.
func (q *request) targetsDataStore() bool {
	if q.socket {
		return true
	}
	for _, u := range q.urls {
		if i := strings.Index(u, "://"); i >= 0 {
			u = u[i+3:]
		}
		host, _, _ := strings.Cut(u, "/")
		switch host[strings.LastIndexByte(host, ':')+1:] {
		case "9200", "9201", "9243", "5984", "8086", "2379", "8500", "8123", "7474", "15672", "6333", "7700", "8108", "19530", "2375", "2376", "8529", "8983", "9000", "6443", "10250", "4646", "8200":
			return true
		}
		if strings.Contains(u, "/_all") || strings.Contains(u, "*") {
			return true
		}
	}
	return false
}

// isPlainPost reports whether q has a body, all of which is written in the command, and no URL that
// suggests a change.
func (q *request) isPlainPost() bool {
	for _, u := range q.urls {
		if suggestsChange(u) || strings.ContainsRune(u, shell.Placeholder) {
			return false
		}
	}
	return q.body && len(q.urls) > 0 && !strings.Contains(q.data, "@") && !strings.ContainsRune(q.data, shell.Placeholder)
}

// requestsDelete reports whether the paths or the body of q, sent by method, make a service delete
// something: a search engine, an FTP server, a management page.
func (q *request) requestsDelete(method string) bool {
	if method != "GET" || q.body {
		for _, u := range q.urls {
			if containsAnyFold(u, "_delete_by_query", "/shutdown", "/_shutdown", "/flushall", "/drop", "/delete", "/destroy", "/purge", "/truncate", "/wipe", "/prune") {
				return true
			}
		}
	}
	data := strings.ToLower(q.data)
	return strings.Contains(data, "drop table") || strings.Contains(data, "drop database") || strings.Contains(data, "truncate table") || strings.Contains(data, "delete from ") ||
		strings.Contains(data, " quote ") && containsAnyFold(data, "dele ", "rmd ", "delete") || strings.Contains(data, `"remove_index"`) || strings.Contains(data, "mutation") && containsAnyFold(data, "delete")
}

// requestsAPIDelete reports whether a query, a path or the body of q makes a known service delete
// something, whatever the method: ?action=UNLOAD of Solr, ?query=DROP+TABLE of ClickHouse, doDelete of
// Jenkins.
func (q *request) requestsAPIDelete() bool {
	for _, u := range q.urls {
		if len(u) > program.MaxMatch {
			continue
		}
		path, query, _ := strings.Cut(strings.ToLower(u), "?")
		switch last := path[strings.LastIndexByte(path, '/')+1:]; last {
		case "dodelete", "dowipeoutworkspace", "safeexit", "quietdown", "_purge", "_forcemerge", "_close", "safeshutdown", "saferestart", "delete_series", "clean_tombstones":
			if q.method != "" || q.body {
				return true
			}
		}
		for query != "" {
			var one string
			one, query, _ = strings.Cut(query, "&")
			key, value, _ := strings.Cut(one, "=")
			value = strings.NewReplacer("+", " ", "%20", " ", "%3c", "<", "%3e", ">").Replace(value)
			switch key {
			case "action", "operation", "op", "cmd":
				if strings.HasPrefix(value, "unload") || strings.HasPrefix(value, "delete") || value == "drop" || value == "destroy" || strings.HasPrefix(value, "remove") || value == "truncate" {
					return true
				}
			case "query", "q", "sql", "stream.body":
				if q.targetsDataStore() && (beginsDestructiveSQL(value) || strings.Contains(value, "<delete>")) {
					return true
				}
			default:
				if strings.HasPrefix(key, "delete") && value == "true" {
					return true
				}
			}
		}
	}
	return beginsDestructiveSQL(strings.ToLower(q.data)) || q.targetsDataStore() && containsAnyFold(q.data, "<delete>", `{"delete"`, `"_deleted":true`, `"_deleted": true`, "destructive_requires_name") ||
		strings.HasPrefix(strings.TrimSpace(q.data), "<delete>")
}

// beginsDestructiveSQL reports whether low, which is in lower case, begins with a destructive SQL
// statement.
func beginsDestructiveSQL(low string) bool {
	low = strings.TrimLeft(low, " q=\"'")
	return strings.HasPrefix(low, "drop ") || strings.HasPrefix(low, "truncate ") || strings.HasPrefix(low, "delete from ") || strings.HasPrefix(low, "alter table ") && strings.Contains(low, " delete ")
}
