package reader

import (
	"github.com/checkrein/checkrein/internal/secret/lex"
	"github.com/checkrein/checkrein/internal/secret/search"
)

// This file finds passwords in commands: mysql -pX, sshpass -p X, htpasswd -b f joe X.
// The flags are listed by program, because -p alone has no meaning.

const maxCommand = 512 // maximum bytes of a command that are read

// passwordFlags returns the flags of program that take a password, or "" if it has none. The last
// character of each flag states where the password is: - in the same word, _ in the next word, ~ in
// either, and one of : % , in a value such as user:password, after that character.
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

// FindCommandPassword finds the password in the arguments of a program whose name starts with the
// anchor.
func FindCommandPassword(f *search.Finder, rule, start, end int) {
	s := f.Text
	if s[end-1] == ' ' {
		end-- // the anchor of a short name includes the space after it
	}
	to := lex.Skip(s, end, min(len(s), end+16), lex.IsNameByte)
	if to+1 >= len(s) || !lex.OpensWord(s, start) || start > 0 && (s[start-1] == '-' || s[start-1] == '.') {
		return
	}
	w := wordReader{s: s, at: to, limit: min(len(s), to+maxCommand)}
	switch {
	case lex.IsQuote(s[to]) && s[to+1] == ',': // ["mysql", "-px"]
		w.list = true
		w.at++
	case !lex.IsBlank(s[to]):
		return
	}
	program := s[start:to]
	if lex.HasSuffixFold(program, ".exe") {
		program = program[:len(program)-len(".exe")]
	}
	findProgramPassword(f, rule, program, &w)
}

// findProgramPassword finds the password in the arguments of program: in its flags, or in the position
// where the program expects it.
func findProgramPassword(f *search.Finder, rule int, program string, w *wordReader) {
	flags := *w
	switch program {
	case "htpasswd":
		addHtpasswdPassword(f, rule, w)
		return
	case "rabbitmqctl":
		addWordAfter(f, rule, w, "add_user change_password authenticate_user", 2)
		return
	case "samba-tool":
		addWordAfter(f, rule, w, "create add setpassword", 2)
		return
	case "wpa_passphrase":
		addWordAfter(f, rule, w, "", 2)
		return
	case "sqlplus", "imp", "exp", "impdp", "expdp", "rman", "sqlldr":
		addOracleLogins(f, rule, w)
		return
	case "security":
		if w.next() && lex.ContainsAnyFold(w.text(), "keychain -password import") {
			addFlagValues(f, rule, w, "-w_ -p_ -P_")
		}
		return
	}
	addFlagValues(f, rule, &flags, passwordFlags(program))
	if program == "mysqladmin" {
		addWordAfter(f, rule, w, "password", 1)
	}
}

// addFlagValues adds the values of all flags of the command that are listed in flags; see
// passwordFlags.
func addFlagValues(f *search.Finder, rule int, w *wordReader, flags string) {
	for flags != "" && w.next() {
		if w.quoted && !w.list {
			continue
		}
		for at := 0; at < len(flags); {
			end := at
			for end < len(flags) && flags[end] != ' ' {
				end++
			}
			if addFlagValue(f, rule, w, flags[at:end-1], flags[end-1]) {
				break
			}
			at = end + 1
		}
	}
}

// addFlagValue reports whether the current word is flag, and adds its value if it is. The byte how
// states where the value is; see passwordFlags.
func addFlagValue(f *search.Finder, rule int, w *wordReader, flag string, how byte) bool {
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
	from, to := w.valueSpan()
	if how == ':' || how == '%' || how == ',' {
		sign := lex.Skip(f.Text, from, to, func(c byte) bool { return c != how })
		if sign == to || lex.IsOneOf(f.Text[from:sign], "env file fd") {
			return true
		}
		from = sign + 1
	}
	addTypedPassword(f, rule, from, to)
	return true
}

// addHtpasswdPassword adds the password of htpasswd -b file user X and htpasswd -nb user X.
func addHtpasswdPassword(f *search.Finder, rule int, w *wordReader) {
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
				w.next() // skip the cost, the value of -C
			}
			continue
		}
		if left--; left == 0 && batch {
			from, to := w.valueSpan()
			addTypedPassword(f, rule, from, to)
		}
	}
}

// addWordAfter adds the n-th word after the first word that is in list, or the n-th word of the
// command if list is empty.
func addWordAfter(f *search.Finder, rule int, w *wordReader, list string, n int) {
	for w.next() {
		if list != "" {
			if lex.IsOneOf(w.text(), list) {
				list = ""
			}
			continue
		}
		if n--; n == 0 {
			from, to := w.valueSpan()
			addTypedPassword(f, rule, from, to)
			return
		}
	}
}

// addOracleLogins adds the passwords of all arguments of the form user/X@host.
func addOracleLogins(f *search.Finder, rule int, w *wordReader) {
	for w.next() {
		from, to := w.valueSpan()
		addOraclePassword(f, rule, from, to)
	}
}
