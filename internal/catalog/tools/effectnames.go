package tools

import "strings"

// Words in the names of unknown tools that suggest an effect on remote objects, as in
// delete_repository, resources_delete, drop-database and flushall. Tools that change files are
// judged by their paths instead.
const (
	destructiveWords = " delete destroy drop purge wipe flush flushall flushdb truncate terminate erase deprovision "
	objectWords      = " repository repositories repo project projects database databases db collection collections table tables schema bucket buckets cluster clusters namespace namespaces" +
		" resource resources instance instances server servers machine vm app application environment volume volumes disk snapshot snapshots backup backups stack organization org tenant" +
		" account user users deployment service queue topic domain zone site workspace keyspace graph dataset warehouse all "
	sendingWords = " upload send share attach post publish mail email forward transfer export "
)

// IsDestructiveName reports whether the name of a tool suggests that it deletes a whole object on a
// machine or a service.
func IsDestructiveName(name string) bool {
	ends, thing := false, false
	eachWord(withoutServer(name), func(word string) {
		ends = ends || strings.Contains(destructiveWords, word)
		thing = thing || strings.Contains(objectWords, word) || word == " flushall " || word == " flushdb "
	})
	return ends && thing
}

// IsSendingName reports whether the name of a tool suggests that it sends data to others.
func IsSendingName(name string) bool {
	sends := false
	eachWord(withoutServer(name), func(word string) { sends = sends || strings.Contains(sendingWords, word) })
	return sends
}

// withoutServer returns the name of a tool without the name of its server.
func withoutServer(name string) string {
	if i := max(strings.LastIndex(name, "__")+1, strings.LastIndexByte(name, '/')); i > 0 {
		name = name[i+1:]
	}
	return name
}

// eachWord calls fn with each word of name in lower case, with a space before and after it.
func eachWord(name string, fn func(word string)) {
	var word [maxName]byte
	for name != "" {
		n, rest := nextWord(&word, name)
		if n > 0 && n < maxName-2 {
			fn(" " + string(word[:n]) + " ")
		}
		if len(rest) >= len(name) {
			return
		}
		name = rest
	}
}
