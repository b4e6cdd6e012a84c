package secret

// Passwords in commands: mysql -pX, sshpass -p X, docker login -p X. Which flag
// of which program has one is known by name, since -p alone says nothing.

const maxCommand = 512 // bytes of a command that are read

// passwordFlags returns the flags of a program that have a password. The sign
// behind a flag says where: - in the same word, _ in the next word, ~ in either,
// and : % , behind that sign of what follows, which starts with a user.
func passwordFlags(program string) string {
	switch program {
	case "mysql", "mysqldump", "mysqladmin", "mysqlimport", "mysqlshow", "mysqlcheck", "mysqlsh", "mysqlbinlog", "mysqlpump", "mysqlslap",
		"mariadb", "mariadb-dump", "mariadb-admin", "7z", "7za", "7zr", "7zz":
		return "-p-"
	case "rar", "unrar":
		return "-hp- -p-"
	case "sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport", "cqlsh", "cypher-shell", "rdesktop", "psexec",
		"crackmapexec", "netexec", "nxc", "evil-winrm", "smbmap", "rabbitmqadmin", "ncftp", "ncftpput", "ncftpget", "iscsiadm", "couchbase-cli",
		"twine", "snowsql":
		return "-p~ -password_"
	case "skopeo":
		return "--creds: --src-creds: --dest-creds:"
	case "redis-cli", "redis-benchmark", "keydb-cli", "valkey-cli":
		return "-a_"
	case "ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldapcompare", "ldapmodrdn":
		return "-w~"
	case "ldappasswd":
		return "-w~ -s~ -a~"
	case "unzip", "zip", "zipcloak", "sqlcmd", "bcp", "osql", "isql", "tsql", "ipmitool", "mosquitto_pub", "mosquitto_sub", "mosquitto_rr":
		return "-P~ -pw_"
	case "keytool", "jarsigner", "apksigner":
		return "-storepass_ -keypass_ -srcstorepass_ -deststorepass_ -srckeypass_ -destkeypass_ -new_ --ks-pass: --key-pass:"
	case "openssl":
		return "-k_ -passin: -passout: -pass: -password: -passwd:"
	case "smbclient", "rpcclient", "winexe", "smbget", "smbcacls", "smbtree", "wmic":
		return "-U%"
	case "lftp":
		return "-u,"
	case "etcdctl":
		return "--user:"
	case "xfreerdp", "xfreerdp3", "wfreerdp":
		return "/p:-"
	case "schtasks":
		return "/rp_ /RP_"
	case "cmdkey":
		return "/pass:-"
	case "plink", "pscp", "psftp":
		return "-pw_"
	case "snmpwalk", "snmpget", "snmpset", "snmpbulkwalk":
		return "-A_ -X_"
	case "useradd", "usermod":
		return "-p_ --password_"
	case "az":
		return "-p_"
	case "http", "https", "xh":
		return "-a: --auth:"
	case "influx", "impdp":
		return "-password_"
	}
	return ""
}

var byCommand = &reader{look: (*finder).lookCommand, rank: ofContext, repeats: true}

// lookCommand reads the command whose program has the anchor in its name.
func (f *finder) lookCommand(rule, start, end int) {
	s := f.text
	if s[end-1] == ' ' {
		end-- // a short name and what follows it
	}
	to := skip(s, end, min(len(s), end+16), isName)
	list := to+1 < len(s) && isQuote(s[to]) && s[to+1] == ',' // ["mysql", "-px"]
	if to+1 >= len(s) || !isBlank(s[to]) && !list || !opensWord(s, start) || start > 0 && (s[start-1] == '-' || s[start-1] == '.') {
		return
	}
	program := s[start:to]
	if endsInFold(program, ".exe") {
		program = program[:len(program)-len(".exe")]
	}
	w := words{s: s, at: to, most: min(len(s), to+maxCommand), list: list}
	if list {
		w.at++
	}
	switch program {
	case "htpasswd":
		f.readHtpasswd(rule, &w)
	case "rabbitmqctl":
		f.readAfter(rule, &w, "add_user change_password authenticate_user", 2)
	case "openssl":
		at := w.at
		if w.next() && w.text() == "passwd" {
			f.readLast(rule, &w)
			return
		}
		w.at = at
		f.readFlags(rule, &w, passwordFlags(program))
	case "mysqladmin":
		flags := w
		f.readFlags(rule, &flags, passwordFlags(program))
		f.readAfter(rule, &w, "password", 1)
	case "samba-tool":
		f.readAfter(rule, &w, "create add setpassword", 2)
	case "wpa_passphrase":
		f.readAfter(rule, &w, "", 2)
	case "sqlplus", "imp", "exp", "impdp", "expdp", "rman", "sqlldr":
		f.readOracle(rule, &w)
	case "security":
		if w.next() && containsAny(w.text(), "keychain -password import") {
			f.readFlags(rule, &w, "-w_ -p_ -P_")
		}
	default:
		f.readFlags(rule, &w, passwordFlags(program))
	}
}

// readFlags notes the values of the flags.
func (f *finder) readFlags(rule int, w *words, flags string) {
	for flags != "" && w.next() {
		if w.quoted && !w.list {
			continue
		}
		for at := 0; at < len(flags); {
			end := at
			for end < len(flags) && flags[end] != ' ' {
				end++
			}
			if f.readFlag(rule, w, flags[at:end-1], flags[end-1]) {
				break
			}
			at = end + 1
		}
	}
}

// readFlag reports whether the word is the flag, and notes its value.
func (f *finder) readFlag(rule int, w *words, flag string, how byte) bool {
	word := w.text()
	if len(word) < len(flag) || word[:len(flag)] != flag {
		return false
	}
	switch {
	case len(word) > len(flag):
		if how == '_' || how == ':' && word[len(flag)] != '=' {
			return false
		}
		w.from += len(flag)
	case how == '-' || !w.next():
		return true
	}
	from, to := w.inner()
	if how == ':' || how == '%' || how == ',' {
		sign := skip(f.text, from, to, func(c byte) bool { return c != how })
		if sign == to || isOneOf(f.text[from:sign], "env file fd") {
			return true
		}
		from = sign + 1
	}
	f.addTyped(rule, from, to)
	return true
}

// readHtpasswd reads htpasswd -b file user X, and -nb user X.
func (f *finder) readHtpasswd(rule int, w *words) {
	batch, left := false, 3
	for w.next() {
		word := w.text()
		if word != "" && word[0] == '-' && !w.quoted {
			for i := range len(word) {
				batch = batch || word[i] == 'b'
				if word[i] == 'n' {
					left = 2
				}
			}
			if word == "-C" {
				w.next() // its cost
			}
			continue
		}
		if left--; left == 0 && batch {
			from, to := w.inner()
			f.addTyped(rule, from, to)
		}
	}
}

var byLogin = &reader{look: (*finder).lookLogin, rank: ofContext, repeats: true}

// lookLogin reads docker login -p X and its kin, and net use share /user:joe X.
func (f *finder) lookLogin(rule, start, end int) {
	s := f.text
	if start > 0 && !isSpace(s[start-1]) {
		return
	}
	before := s[max(0, start-64):start]
	w := words{s: s, at: end, most: min(len(s), end+maxCommand)}
	switch {
	case s[start] == 'n':
		if w.next() && w.next() && w.to > w.from && s[w.from] != '/' && s[w.from] != '*' {
			from, to := w.inner()
			f.addTyped(rule, from, to)
		}
	case s[start] == '/':
		if containsFold(before, "net use") {
			f.readShare(rule, &w, start)
		}
	case isBlank(s[min(end, len(s)-1)]) && hasWord(before, "docker podman nerdctl buildah skopeo oras helm crane cosign az oc cf ibmcloud regctl finch mc gh acr registry auth"):
		f.readFlags(rule, &w, "-p~")
	}
}

// readShare reads net use share /user:joe X, and net use share X /user:joe with
// the flag at i.
func (f *finder) readShare(rule int, w *words, i int) {
	s := f.text
	to := back(s, i, max(0, i-8), isBlank)
	if from := back(s, to, max(0, to-maxLogin), isToken); from < to && s[from] != '\\' && s[from] != '/' {
		f.addTyped(rule, from, to)
		return
	}
	if w.next() && w.next() {
		from, to := w.inner()
		f.addTyped(rule, from, to)
	}
}

// hasWord reports whether one of the list is a word of s.
func hasWord(s, list string) bool {
	for i := 0; i < len(s); {
		to := skip(s, i, len(s), isName)
		if isOneOf(s[i:to], list) {
			return true
		}
		i = to + 1
	}
	return false
}

// readAfter notes the n-th word behind one of the list.
func (f *finder) readAfter(rule int, w *words, list string, n int) {
	for w.next() {
		if list != "" {
			if isOneOf(w.text(), list) {
				list = ""
			}
			continue
		}
		if n--; n == 0 {
			from, to := w.inner()
			f.addTyped(rule, from, to)
			return
		}
	}
}

// readLast notes the last word of a command, if it is no flag.
func (f *finder) readLast(rule int, w *words) {
	from, to, flag := 0, 0, false
	for w.next() {
		flag = to > from && f.text[from] == '-' && to-from > 2 && !isOneOf(f.text[from:to], "-apr1 -crypt -noverify -quiet -table -reverse")
		from, to = w.inner()
	}
	if to > from && f.text[from] != '-' && !flag {
		f.addTyped(rule, from, to)
	}
}

// readOracle reads user/X@host in a command.
func (f *finder) readOracle(rule int, w *words) {
	for w.next() {
		from, to := w.inner()
		f.addOracle(rule, from, to)
	}
}

// addOracle notes the password of the user/password@host from i to end.
func (f *finder) addOracle(rule, i, end int) {
	s := f.text
	slash := skip(s, i, end, isName)
	if slash == i || slash >= end || s[slash] != '/' {
		return
	}
	to := end
	for k := slash + 1; k < end; k++ {
		if s[k] == '@' {
			to = k
		}
	}
	if from, to := trimmed(s, slash+1, to); to < end || isSaid(s[from:to], true) {
		f.addTyped(rule, from, to)
	}
}

// addTyped notes a password that stands where a program expects one, unless it
// is a stand-in or a plain word.
func (f *finder) addTyped(rule, from, to int) {
	if to-from < 4 || to-from > maxValue {
		return
	}
	val := f.text[from:to]
	if !isTyped(val) {
		return
	}
	f.add(rule, from, to)
}

func isTyped(val string) bool {
	digits, uppers, lowers, others := traits(val)
	switch {
	case isAppPassword(val):
		return true
	case isReferenceIn(val) || isVariable(val) || isStandIn(val) || isOneOf(val, "changeit secret pass1 pass123"):
		return false
	case val[0] == '-' && lowers > 0 && digits == 0, val[0] == '/' && isDotted(val):
		return false
	case uppers+lowers == 0:
		return digits >= 6 && others == 0
	}
	return digits > 0 && (uppers > 0 || others > 0 || len(val) >= 6) || others > 0 && !readsLikeWords(val) || uppers > 1 && lowers > 1 && len(val) >= 8 && !readsLikeWords(val)
}

// isVariable reports whether val is one of a shell or of PowerShell: $x, $env:x.
func isVariable(val string) bool {
	return val[0] == '$' && skip(val, 1, len(val), func(c byte) bool { return isName(c) || c == ':' || c == '}' }) == len(val)
}
