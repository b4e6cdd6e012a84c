package rules

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// redisEffects returns the effects of the commands that a Redis client runs, from its words or from
// the lines of its input.
func redisEffects(c *shell.Call) ([]shell.Effect, bool) {
	r := newReading(c)
	worst := shell.Effect{Label: shell.Safe}
	seen := false
	use := func(line string) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			return
		}
		e := redisCommandEffect(line)
		if !seen || isWorse(&e, &worst) {
			worst = e
		}
		seen = true
	}
	looks := r.hasAnyFlag("--version -v --help --stat --bigkeys --memkeys --hotkeys --scan --latency --latency-history --latency-dist --intrinsic-latency")
	if words := r.Words; len(words) > 0 && !looks {
		use(joinWords(words))
	}
	sure := eachInput(c, func(text string) {
		for line := range strings.SplitSeq(text, "\n") {
			use(line)
		}
	})
	if r.Has("--eval") == yes || r.Has("--pipe") == yes || r.Has("--cluster") == yes || !sure {
		e := newRedisEffect(shell.Unknown, shell.ImpactMedium, "run", shell.KVWrite, "runs an unknown script or unknown commands")
		if !seen || isWorse(&e, &worst) {
			worst = e
		}
		seen = true
	}
	if !seen {
		if looks {
			return singleEffect(c, newRedisEffect(shell.Safe, shell.ImpactLow, "read", shell.KVRead, "shows statistics about the store"))
		}
		return singleEffect(c, newRedisEffect(shell.Unknown, shell.ImpactLow, "run", shell.KVWrite, "waits for commands; what it will run is unknown"))
	}
	if worst.Label == shell.Destructive && worst.Impact == shell.ImpactLow && !allWordsKnown(c.Args) {
		worst.Impact = shell.ImpactMedium
	}
	return singleEffect(c, worst)
}

// newRedisEffect returns an effect of a Redis command.
func newRedisEffect(l shell.Label, r shell.Impact, kind string, category shell.Category, reason string) shell.Effect {
	return shell.Effect{Label: l, Kind: kind, Category: category, Rule: "redis", Impact: r, Reason: reason}
}

// The commands of Redis, grouped by what they do.
const (
	redisFlush  = "FLUSHALL FLUSHDB SWAPDB"
	redisDelete = "DEL UNLINK HDEL SREM ZREM LREM LTRIM XTRIM XDEL ZREMRANGEBYSCORE ZREMRANGEBYRANK ZREMRANGEBYLEX GETDEL SPOP LPOP RPOP ZPOPMIN ZPOPMAX RENAME RESTORE MIGRATE MOVE EXPIRE PEXPIRE EXPIREAT PEXPIREAT JSON.DEL JSON.FORGET FT.DROP FT.DROPINDEX TS.DEL GRAPH.DELETE FUNCTION.DELETE BLPOP BRPOP"
	redisStop   = "SHUTDOWN DEBUG REPLICAOF SLAVEOF FAILOVER"
	redisRun    = "EVAL EVALSHA FCALL EVAL_RO FCALL_RO MODULE FUNCTION SCRIPT ACL CLIENT CLUSTER CONFIG SAVE BGSAVE BGREWRITEAOF SENTINEL RESET SYNC PSYNC GETSET GETEX COPY SORT"
	redisWrite  = "SET MSET SETEX PSETEX SETNX MSETNX APPEND SETRANGE INCR INCRBY INCRBYFLOAT DECR DECRBY HSET HMSET HSETNX HINCRBY SADD ZADD ZINCRBY LPUSH RPUSH LPUSHX RPUSHX LINSERT LSET XADD XGROUP XACK PFADD PFMERGE GEOADD SETBIT BITOP PUBLISH PERSIST TOUCH SMOVE RPOPLPUSH LMOVE JSON.SET FT.CREATE TS.ADD BF.ADD BF.RESERVE"
	redisRead   = "MONITOR GET MGET KEYS SCAN HSCAN SSCAN ZSCAN INFO PING ECHO TTL PTTL TYPE EXISTS STRLEN LLEN LRANGE LINDEX LPOS HGET HGETALL HKEYS HVALS HLEN HMGET HEXISTS HSTRLEN SMEMBERS SISMEMBER SMISMEMBER SCARD SINTER SUNION SDIFF SRANDMEMBER ZRANGE ZREVRANGE ZRANGEBYSCORE ZREVRANGEBYSCORE ZRANGEBYLEX ZCARD ZSCORE ZMSCORE ZRANK ZREVRANK ZCOUNT XRANGE XREVRANGE XLEN XINFO XREAD XPENDING DBSIZE OBJECT MEMORY LATENCY SLOWLOG TIME LASTSAVE ROLE COMMAND GETRANGE SUBSTR GETBIT BITCOUNT BITPOS RANDOMKEY DUMP PUBSUB SUBSCRIBE PSUBSCRIBE AUTH SELECT HELLO QUIT EXIT MULTI EXEC DISCARD WATCH UNWATCH WAIT LOLWUT READONLY READWRITE ASKING GEODIST GEOPOS GEOSEARCH GEORADIUS GEOHASH PFCOUNT SORT_RO JSON.GET JSON.MGET JSON.TYPE FT.SEARCH FT.INFO FT._LIST TS.RANGE TS.GET HELP EXPIRETIME"
)

// redisCommandEffect returns the effect of the Redis command in line, which must not be blank.
func redisCommandEffect(line string) shell.Effect {
	fields := strings.Fields(line)
	name, rest := strings.Trim(fields[0], `"'`), fields[1:]
	second := ""
	if len(rest) > 0 {
		second = rest[0]
	}
	switch {
	case strings.ContainsRune(name, shell.Placeholder):
		return newRedisEffect(shell.Unknown, shell.ImpactUnknown, "run", shell.KVWrite, "runs an unknown command")
	case inListFold(redisFlush, name):
		return newRedisEffect(shell.Destructive, shell.ImpactHigh, "delete", shell.KVFlush, "deletes every key")
	case inListFold(redisDelete, name):
		return newRedisEffect(shell.Destructive, shell.ImpactLow, "delete", shell.KVFlush, "deletes or overwrites keys")
	case inListFold(redisRead, name), inListFold("CONFIG CLIENT CLUSTER ACL SCRIPT SENTINEL MODULE FUNCTION", name) &&
		inListFold("GET LIST INFO NODES SLOTS SHARDS WHOAMI CAT EXISTS MASTERS MASTER REPLICAS SLAVES ID GETNAME USERS GETUSER LOG HELP STATS KEYSLOT MYID COUNTKEYSINSLOT", second):
		return newRedisEffect(shell.Safe, shell.ImpactLow, "read", shell.KVRead, "reads from the store")
	case inListFold(redisWrite, name):
		return newRedisEffect(shell.Safe, shell.ImpactLow, "modify", shell.KVWrite, "sets keys")
	case inListFold(redisStop, name):
		return newRedisEffect(shell.Destructive, shell.ImpactHigh, "stop", shell.SvcStop, "stops the store or makes it a replica of another")
	case inListFold("CONFIG", name) && inListFold("SET REWRITE RESETSTAT", second):
		return newRedisEffect(shell.Destructive, shell.ImpactHigh, "modify", shell.KVConfig, "changes the store's settings, including where it saves its data")
	case inListFold("SCRIPT FUNCTION", name) && inListFold("FLUSH DELETE", second), inListFold("CLUSTER", name) && inListFold("RESET FORGET FLUSHSLOTS DELSLOTS FAILOVER", second), inListFold("ACL", name) && inListFold("DELUSER SETUSER LOAD", second):
		return newRedisEffect(shell.Destructive, shell.ImpactHigh, "delete", shell.KVFlush, "deletes scripts, users or parts of the cluster")
	case inListFold("EVAL EVALSHA", name) && luaScriptDeletes(line):
		return newRedisEffect(shell.Destructive, shell.ImpactHigh, "delete", shell.KVFlush, "runs a script that deletes keys")
	case inListFold(redisRun, name):
		return newRedisEffect(shell.Unknown, shell.ImpactMedium, "run", shell.KVWrite, "runs a script or changes the store's settings")
	}
	// A number before a command repeats it, as in 5 PING.
	if len(rest) > 0 && name[0] >= '0' && name[0] <= '9' {
		return redisCommandEffect(strings.Join(rest, " "))
	}
	return newRedisEffect(shell.Unknown, shell.ImpactUnknown, "run", shell.KVWrite, "runs an unknown command")
}

// luaScriptDeletes reports whether text, a Lua script for Redis, deletes keys or starts a program.
func luaScriptDeletes(text string) bool {
	return containsAnyFold(text, "flushall", "flushdb", "'del'", `"del"`, "'unlink'", `"unlink"`, "os.execute", "io.popen")
}

// joinWords returns the text of words, separated by spaces.
func joinWords(words []shell.Word) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[i].Text)
	}
	return b.String()
}

// containsAnyFold reports whether text contains one of words, ignoring case. The words must be in
// lower case.
func containsAnyFold(text string, words ...string) bool {
	low := strings.ToLower(text)
	for _, w := range words {
		if strings.Contains(low, w) {
			return true
		}
	}
	return false
}

// mongoEffects returns the effects of the code that a MongoDB shell runs.
func mongoEffects(c *shell.Call) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.SQLWrite, Rule: "mongo", Impact: shell.ImpactMedium, Reason: "runs unknown code or waits for commands"}
	code := false
	sure := eachText(c, func(text string) {
		if isMongoCode(text) {
			code = true
			next := mongoCodeEffect(text)
			if e.Rule == "mongo" && e.Kind == "run" || isWorse(&next, &e) {
				e = next
			}
		}
	})
	r := newReading(c)
	file := false
	for i := range r.Words {
		file = file || strings.HasSuffix(r.Words[i].Text, ".js")
	}
	if code && e.Label == shell.Safe && (!sure || file || r.hasAnyFlag("-f --file")) {
		e.Label, e.Impact, e.Reason = shell.Unknown, shell.ImpactMedium, "runs unknown code"
	}
	return singleEffect(c, e)
}

// isMongoCode reports whether text is code for the MongoDB shell, as opposed to a URL or an option.
func isMongoCode(text string) bool {
	return strings.ContainsAny(text, "(;") && !strings.HasPrefix(text, "mongodb://") && !strings.HasPrefix(text, "mongodb+srv://") ||
		strings.HasPrefix(text, "show ") || strings.HasPrefix(text, "use ")
}

// mongoCodeEffect returns the worst effect of text, which is code for the MongoDB shell.
func mongoCodeEffect(text string) shell.Effect {
	e := shell.Effect{Label: shell.Destructive, Rule: "mongo-code", Impact: shell.ImpactHigh}
	plain := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\t' {
			return -1
		}
		return r
	}, withoutStringValues(text))
	switch {
	case containsAnyFold(plain, "dropdatabase", ".drop(", "dropalluser", "dropallroles", "'drop'](", `"drop"](`, "drop:1", "dropcollection", "dropdatabase:"):
		e.Kind, e.Category, e.Reason = "drop", shell.SQLDrop, "drops a database or a collection"
	case containsAnyFold(plain, "deletemany({})", "remove({})", "deletemany()", ".remove()", "deletemany(null"):
		e.Kind, e.Category, e.Reason = "delete", shell.SQLDelete, "deletes everything in a collection"
	case containsAnyFold(plain, "shutdownserver", "shutdown:1", "rs.stepdown", "rs.remove", "sh.removeshard", "replsetreconfig", "fsynclock"):
		e.Kind, e.Category, e.Reason = "stop", shell.SvcStop, "stops the server or removes a cluster member"
	case containsAnyFold(plain, "deletemany(", "deleteone(", ".remove(", "dropindex", "dropuser", "droprole", "findoneanddelete", "findandmodify", "$out", "$merge", "renamecollection", "converttocapped", "revokeroles", "dropindexes"):
		e.Kind, e.Category, e.Impact, e.Reason = "delete", shell.SQLDelete, shell.ImpactMedium, "deletes or replaces documents, indexes or users"
	case containsAnyFold(plain, "updatemany({},", "update({},"):
		e.Kind, e.Category, e.Reason = "overwrite", shell.SQLUpdate, "updates every document in a collection"
	case containsAnyFold(plain, "update", "replaceone", "createuser", "grantroles", "bulkwrite", "admincommand", "runcommand", "eval(", "load(", "function", "require(", "process.", "setparameter", "save("):
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Unknown, "modify", shell.SQLWrite, shell.ImpactMedium, "changes documents or runs code"
	case containsAnyFold(plain, "insert", "createindex", "createcollection"):
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Safe, "modify", shell.SQLWrite, shell.ImpactLow, "adds documents"
	default:
		e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Safe, "read", shell.SQLRead, shell.ImpactLow, "reads a database"
	}
	if e.Label != shell.Destructive && strings.ContainsRune(text, shell.Placeholder) {
		e.Label, e.Impact = shell.Unknown, shell.ImpactUnknown
	}
	return e
}

// cypherEffects returns the effects of the Cypher statements that a client of a graph database runs.
func cypherEffects(c *shell.Call) ([]shell.Effect, bool) {
	e := shell.Effect{Label: shell.Unknown, Kind: "run", Category: shell.SQLWrite, Rule: "cypher", Impact: shell.ImpactMedium, Reason: "runs unknown statements"}
	eachText(c, func(text string) {
		switch {
		case e.Label == shell.Destructive:
		case hasSQLWord(text, "delete") || hasSQLWord(text, "drop"):
			e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Destructive, "delete", shell.SQLDelete, shell.ImpactHigh, "deletes graph nodes, indexes or databases"
		case hasSQLWord(text, "match") && hasSQLWord(text, "return") && !hasSQLWord(text, "set") && !hasSQLWord(text, "remove") && !hasSQLWord(text, "call"):
			e.Label, e.Kind, e.Category, e.Impact, e.Reason = shell.Safe, "read", shell.SQLRead, shell.ImpactLow, "reads a graph database"
		}
	})
	return singleEffect(c, e)
}

// cacheInputEffects returns the effects of commands that are piped to memcached or Redis, as in echo
// flush_all | nc. It reports false if none of them is destructive.
func cacheInputEffects(c *shell.Call) ([]shell.Effect, bool) {
	found := false
	eachInput(c, func(text string) {
		found = found || containsAnyFold(text, "flush_all", "flushall", "flushdb", "config set dir")
	})
	if !found {
		return nil, false
	}
	return singleEffect(c, shell.Effect{Label: shell.Destructive, Kind: "delete", Category: shell.KVFlush, Rule: "cache-line", Impact: shell.ImpactHigh, Reason: "empties a cache or key-value store"})
}
