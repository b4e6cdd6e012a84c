package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// Effects returns what c sends away. It is nil for a call that sends nothing,
// or only text that is typed in the command, or sends to this machine itself.
func Effects(c *shell.Call, p *shell.Place) []shell.Effect {
	if c == nil {
		return nil
	}
	t := tracer{place: p, budget: budget}
	return t.effects(applet(c))
}

// Knows reports whether a program is one of those that send: a rule is named after it.
func Knows(program string) bool {
	t := tracer{place: &shell.Place{}, budget: budget}
	t.effects(&shell.Call{Name: program})
	return t.missed < 2
}

// effects is the one switch over programs: what cannot send ends here.
func (t *tracer) effects(c *shell.Call) []shell.Effect {
	if len(c.Redir) > 0 {
		if e, ok := t.device(c); ok {
			return []shell.Effect{e}
		}
	}
	t.missed = 0
	e, ok := t.transport(c)
	if !ok {
		e, ok = t.service(c)
	}
	if !ok && t.missed == 2 {
		e, ok = t.sent(c)
	}
	if !ok || e.Label != shell.Exfiltration {
		if more, found := t.anything(c); found && (!ok || worse(&more, &e)) {
			e, ok = more, true
		}
	}
	if !ok {
		if t.budget > 0 {
			return nil
		}
		e = plain(c, shell.Unknown, shell.ExfilFile, shell.RadiusUnknown, facts.Host{}, "takes its input from a command chain too long to follow")
	}
	return []shell.Effect{e}
}

// transport is about programs that speak a protocol to any host.
func (t *tracer) transport(c *shell.Call) (shell.Effect, bool) {
	switch c.Name {
	case "curl", "curlie":
		return t.curl(c)
	case "wget", "wget2":
		return t.wget(c)
	case "http", "https", "httpie", "xh", "xhs":
		return t.httpie(c)
	case "lwp-request", "post", "put", "lynx", "w3m", "links", "elinks", "ab", "hey", "wrk",
		"open", "xdg-open", "firefox", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "brave-browser", "microsoft-edge", "chrome-headless-shell", "opera", "qutebrowser", "epiphany", "sensible-browser", "start",
		"websocat", "wscat", "grpcurl", "aria2c", "fetch", "axel":
		return t.browser(c)
	case "nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "telnet", "pwncat", "cryptcat", "sbd":
		return t.netcat(c)
	case "socat":
		return t.socat(c)
	case "openssl":
		return t.openssl(c)
	case "exec":
		return t.shell(c)
	case "ssh", "mosh", "autossh", "dbclient", "plink":
		return t.ssh(c)
	case "scp", "pscp", "rcp":
		return t.scp(c)
	case "rsync":
		return t.rsync(c)
	case "tar", "gtar":
		return t.tape(c)
	case "ztcp":
		return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusHigh, lastHost(c), "opens a raw connection that can carry anything"), true
	case "sftp", "ftp", "lftp", "tftp", "psftp", "ncftp", "smbclient", "pftp", "atftp", "cadaver", "davix-put", "cmdftp", "yafc":
		return t.ftp(c)
	case "ncftpput", "ftpput", "ftp-upload", "wput":
		return t.ftpput(c)
	case "mail", "mailx", "mutt", "neomutt", "sendmail", "swaks", "msmtp", "s-nail", "nail", "ssmtp",
		"mpack", "sendemail", "himalaya", "exim", "exim4", "smtp-cli", "biabam", "email":
		return t.mail(c)
	case "dig", "nslookup", "host", "drill", "kdig", "delv", "dog", "doggo", "ping", "ping6", "fping", "getent",
		"resolvectl", "systemd-resolve", "traceroute", "tracepath", "mtr", "whois", "finger", "nping", "hping3",
		"avahi-resolve", "avahi-resolve-host-name", "arping", "dns-sd":
		return t.names(c)
	}
	if facts.AnyShell(c.Name) {
		return t.shell(c)
	}
	t.missed++
	return shell.Effect{}, false
}

// service is about programs of one service or with one way to send.
func (t *tracer) service(c *shell.Call) (shell.Effect, bool) {
	switch c.Name {
	case "aws", "awslocal":
		return t.aws(c)
	case "gsutil", "gcloud", "s3cmd", "s5cmd", "s4cmd", "mc", "mcli", "ossutil", "ossutil64", "coscmd", "coscli",
		"obsutil", "b2", "azcopy", "rclone":
		return t.bucket(c)
	case "az", "oci", "wrangler", "swift", "ibmcloud", "doctl", "vercel", "netlify", "heroku", "fly", "flyctl":
		return t.upload(c)
	case "gh", "hub", "glab":
		return t.forge(c)
	case "git":
		return t.git(c)
	case "docker", "podman", "buildah", "nerdctl", "crane", "skopeo":
		return t.image(c)
	case "kubectl", "oc", "k3s", "microk8s.kubectl":
		return t.kubectl(c)
	case "ngrok", "cloudflared", "lt", "localtunnel", "bore", "tailscale", "frpc", "serveo", "pagekite", "zrok",
		"syncthing", "chisel", "dnscat", "dnscat2", "iodine", "ptunnel", "localhost.run", "telebit", "expose",
		"inlets", "rathole", "gost", "tmate", "teleconsole", "upterm":
		return t.tunnel(c)
	case "code", "code-insiders":
		if len(c.Args) > 1 && c.Args[0].Text == "tunnel" && strings.HasPrefix(c.Args[1].Text, "-") {
			return plain(c, shell.Unknown, shell.Tunnel, shell.RadiusHigh, facts.Host{}, "gives others access to this machine"), true
		}
		return shell.Effect{}, false
	case "psql", "mysql", "mariadb", "mongosh", "mongo", "cqlsh", "clickhouse-client", "sqlcmd", "mongoimport", "mysqlimport", "pgcli", "mycli", "usql":
		return t.database(c)
	case "kcat", "kafkacat":
		return t.kcat(c)
	case "amqp-publish", "kafka-console-producer", "kafka-console-producer.sh", "logger", "mosquitto_pub", "redis-cli", "nats", "cancel", "nmap", "zabbix_sender", "statsd",
		"lpr", "lp", "ipptool", "snmptrap", "restic", "borg", "duplicity", "kopia", "rdiff-backup":
		return t.message(c)
	case "npm", "yarn", "pnpm", "twine", "cargo", "gem", "helm", "dotnet", "poetry":
		return t.publish(c)
	case "npx", "bunx", "pnpx", "uvx", "pipx":
		return t.carried(c)
	}
	if servesFiles(c.Name) {
		return t.serve(c)
	}
	t.missed++
	return shell.Effect{}, false
}

// carried is about a program that another fetches and starts.
func (t *tracer) carried(c *shell.Call) (shell.Effect, bool) {
	i := 0
	for i < len(c.Args) && (strings.HasPrefix(c.Args[i].Text, "-") || c.Args[i].Text == "run" && c.Name == "pipx") {
		if o := c.Args[i].Text; o == "-p" || o == "--package" || o == "--registry" || o == "--from" || o == "--spec" {
			i++
		}
		i++
	}
	if i >= len(c.Args) {
		return shell.Effect{}, false
	}
	a := *c
	name, _, _ := strings.Cut(c.Args[i].Text, "@")
	a.Name, a.Args = strings.ToLower(name), c.Args[i+1:]
	if e, ok := t.transport(&a); ok {
		return e, true
	}
	switch a.Name {
	case "npx", "bunx", "pnpx", "uvx", "pipx":
		return shell.Effect{}, false
	}
	if e, ok := t.service(&a); ok {
		return e, true
	}
	return t.sent(&a)
}

// applet returns the call that busybox makes of its first word.
func applet(c *shell.Call) *shell.Call {
	if c.Name != "busybox" && c.Name != "toybox" || len(c.Args) == 0 {
		return c
	}
	a := *c
	a.Name, a.Args = c.Args[0].Text, c.Args[1:]
	return &a
}
