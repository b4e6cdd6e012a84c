package tools

import "strings"

// Words in the names of unknown tools that suggest an effect on remote objects:
// delete_repository, resources_delete, drop-database, flushall. Files are judged by
// their paths instead.
const (
	endings = " delete destroy drop purge wipe flush flushall flushdb truncate terminate erase deprovision "
	things  = " repository repositories repo project projects database databases db collection collections table tables schema bucket buckets cluster clusters namespace namespaces" +
		" resource resources instance instances server servers machine vm app application environment volume volumes disk snapshot snapshots backup backups stack organization org tenant" +
		" account user users deployment service queue topic domain zone site workspace keyspace graph dataset warehouse all "
	sendings = " upload send share attach post publish mail email forward transfer export "
)

// IsDestructiveName reports whether the name of a tool suggests that it deletes a whole object on a
// machine or a service.
func IsDestructiveName(name string) bool {
	ends, thing := false, false
	eachWord(withoutServer(name), func(word string) {
		ends = ends || strings.Contains(endings, word)
		thing = thing || strings.Contains(things, word) || word == " flushall " || word == " flushdb "
	})
	return ends && thing
}

// IsSendingName reports whether the name of a tool suggests that it sends data elsewhere.
func IsSendingName(name string) bool {
	sends := false
	eachWord(withoutServer(name), func(word string) { sends = sends || strings.Contains(sendings, word) })
	return sends
}

// withoutServer returns the tool's part of a name, without the server's.
func withoutServer(name string) string {
	if i := max(strings.LastIndex(name, "__")+1, strings.LastIndexByte(name, '/')); i > 0 {
		name = name[i+1:]
	}
	return name
}

// eachWord calls fn with each word of a name, between spaces.
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
