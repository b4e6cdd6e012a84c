package packs

import "github.com/checkrein/checkrein/internal/shell"

// servicesPack knows what stops or changes the services and processes of a
// machine. kill is in special_process.go, for what it does hangs on a number.
var servicesPack = shell.RuleSet{
	Pack: shell.PackServices,
	Rules: []shell.Rule{
		// Processes.
		{
			ID: "kill-by-name", Cmd: "xkill|taskkill|tskill", Not: "-l --list",
			Label: shell.Destructive, Kind: "kill", Category: shell.ProcSignal, Radius: shell.RadiusMedium, Reason: "ends processes by their name",
			Match:   []string{"xkill -a", "taskkill /F /IM node.exe"},
			NoMatch: []string{"pgrep -f node", "tasklist"},
		},
		{
			ID: "kill-all-of-user", Cmd: "slay|skill|killall5", Not: "-l --list",
			Label: shell.Destructive, Kind: "kill", Category: shell.ProcSignal, Radius: shell.RadiusHigh, Reason: "ends all processes, or all of a user",
			Match:   []string{"slay bob", "skill -KILL -u bob", "killall5 -9"},
			NoMatch: []string{"pkill node", "skill -l"},
		},
		{
			ID: "pm2-delete", Cmd: "pm2 delete|del|kill|flush|unstartup|cleardump|killall|stop|deleteNamespace",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "ends processes that pm2 keeps running, or their logs",
			Match:   []string{"pm2 delete all", "pm2 kill", "pm2 stop app", "pm2 flush"},
			NoMatch: []string{"pm2 list", "pm2 start app.js"},
		},
		{
			ID: "pm2-restart", Cmd: "pm2 restart|reload|scale|startup|update|reset|sendSignal|deploy|gracefulReload|resurrect|save|dump",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcRestart, Reason: "restarts or changes processes that pm2 keeps running",
			Match:   []string{"pm2 restart app", "pm2 reload all"},
			NoMatch: []string{"pm2 list", "pm2 delete all"},
		},
		{
			ID: "pm2-read", Cmd: "pm2 list|ls|l|status|ps|logs|log|show|describe|info|monit|jlist|prettylist|start|env|report|id|pid|init",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists or starts processes",
			Match:   []string{"pm2 list", "pm2 logs app", "pm2 start app.js"},
			NoMatch: []string{"pm2 delete all", "pm2 kill"},
		},
		{
			ID: "supervisor-stop", Cmd: "supervisorctl stop|shutdown|remove|clear|signal",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops processes under supervision",
			Match:   []string{"supervisorctl stop all", "supervisorctl shutdown"},
			NoMatch: []string{"supervisorctl status", "supervisorctl start x"},
		},
		{
			ID: "supervisor-restart", Cmd: "supervisorctl restart|reload|update|reread|add",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcRestart, Radius: shell.RadiusMedium, Reason: "restarts processes under supervision",
			Match:   []string{"supervisorctl restart x", "supervisorctl reload"},
			NoMatch: []string{"supervisorctl status"},
		},
		{
			ID: "supervisor-read", Cmd: "supervisorctl status|start|tail|avail|pid|maintail|version",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads or starts processes under supervision",
			Match:   []string{"supervisorctl status", "supervisorctl start x"},
			NoMatch: []string{"supervisorctl stop all"},
		},
		{
			ID: "tmux-kill", Cmd: "tmux kill-server|kill-session|kill-window|kill-pane|killp|killw|respawn-pane|respawn-window|clear-history|clearhist|kill-ses",
			Label: shell.Destructive, Kind: "kill", Category: shell.ProcSignal, Radius: shell.RadiusMedium, Reason: "ends terminal sessions with what runs in them",
			Match:   []string{"tmux kill-server", "tmux kill-session -t work"},
			NoMatch: []string{"tmux ls", "tmux new -d -s x"},
		},
		{
			ID: "tmux-read", Cmd: "tmux ls|list-sessions|list-windows|list-panes|lsp|lsw|new|new-session|attach|a|attach-session|at|capture-pane|capturep|display-message|display|has-session|has|show-options|info|detach|rename-session|rename-window|select-window|select-pane|list-keys|show-buffer|switch-client|list-clients|resize-pane|set-option|set|show",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists, starts or shows terminal sessions",
			Match:   []string{"tmux ls", "tmux new-session -d -s x", "tmux capture-pane -p -t x"},
			NoMatch: []string{"tmux kill-server", `tmux send-keys -t x "rm -rf /" Enter`},
		},
		{
			ID: "tmux-send", Cmd: "tmux send-keys|send|run-shell|run|split-window|splitw|new-window|neww|if-shell|pipe-pane|pipep|source-file|source|load-buffer|paste-buffer|set-hook|command-prompt|confirm-before|bind-key|respawnp|popup|display-popup|save-buffer",
			Label: shell.Unknown, Kind: "run", Category: shell.Run, Radius: shell.RadiusMedium, Reason: "has another terminal run something",
			Match:   []string{"tmux paste-buffer -t x", "tmux load-buffer x"},
			NoMatch: []string{"tmux ls"},
		},
		{
			ID: "screen-kill", Cmd: "screen", Any: "quit kill", All: "-X",
			Label: shell.Destructive, Kind: "kill", Category: shell.ProcSignal, Radius: shell.RadiusMedium, Reason: "ends terminal sessions with what runs in them",
			Match:   []string{"screen -X quit", "screen -S x -X quit"},
			NoMatch: []string{"screen -ls", "screen -S x"},
		},
		{
			ID: "screen-read", Cmd: "screen|byobu|zellij", Not: "-X -wipe kill-session kill-all-sessions delete-session delete-all-sessions k ka d da run action r",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists or starts terminal sessions",
			Match:   []string{"screen -ls", "screen -S x", "zellij ls"},
			NoMatch: []string{"screen -S x -X quit", "zellij kill-all-sessions"},
		},
		{
			ID: "zellij-kill", Cmd: "zellij kill-session|kill-all-sessions|delete-session|delete-all-sessions|k|ka|d|da",
			Label: shell.Destructive, Kind: "kill", Category: shell.ProcSignal, Radius: shell.RadiusMedium, Reason: "ends terminal sessions with what runs in them",
			Match:   []string{"zellij kill-all-sessions", "zellij ka -y"},
			NoMatch: []string{"zellij ls"},
		},
		{
			ID: "priority", Cmd: "renice|ionice|chrt|taskset|cpulimit|prlimit|cgset|cgdelete|cgexec|cgclassify",
			Label: shell.Unknown, Kind: "modify", Category: shell.ProcModify, Reason: "changes how processes run",
			Match:   []string{"renice -n 5 -p 123", "prlimit --pid 1 --nofile=10"},
			NoMatch: []string{"nice -n 5 make"},
		},

		// Services.
		{
			ID: "service-stop", Cmd: "systemctl stop|kill|disable|mask|isolate|emergency|rescue|halt|freeze|clean|revert",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops services or keeps them from starting",
			Match:   []string{"systemctl stop nginx", "systemctl disable --now sshd", "systemctl mask x", "systemctl --user stop x", "systemctl kill nginx"},
			NoMatch: []string{"systemctl status nginx", "systemctl start nginx", "systemctl list-units --state=stop"},
		},
		{
			ID: "power-by-service", Cmd: "systemctl|loginctl poweroff|reboot|halt|kexec|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|soft-reboot|exit|emergency|rescue|isolate",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcPower, Radius: shell.RadiusHigh, Reason: "stops the whole machine",
			Match:   []string{"systemctl poweroff", "systemctl reboot -f", "systemctl isolate rescue.target", "systemctl emergency"},
			NoMatch: []string{"systemctl status", "systemctl list-units"},
		},
		{
			ID: "service-vital", Cmd: "systemctl stop|kill|disable|mask", Any: "ssh sshd ssh.service sshd.service firewalld firewalld.service ufw ufw.service nftables iptables auditd auditd.service apparmor networking network NetworkManager NetworkManager.service systemd-networkd systemd-resolved systemd-journald docker docker.service docker.socket containerd kubelet kubelet.service postgresql postgresql.service mysql mysqld mariadb mysql.service redis redis-server mongod etcd rsyslog cron crond dbus fail2ban falcon-sensor clamav-daemon wazuh-agent osqueryd",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusHigh, Reason: "stops what the machine is reached, guarded or kept running by",
			Match:   []string{"systemctl stop sshd", "systemctl disable --now firewalld", "systemctl mask auditd", "systemctl stop docker", "systemctl stop postgresql.service"},
			NoMatch: []string{"systemctl stop myapp", "systemctl status sshd"},
		},
		{
			ID: "service-restart", Cmd: "systemctl restart|try-restart|reload-or-restart|condrestart|reload|force-reload|daemon-reexec|enable|reenable|unmask|edit|link|set-property|preset|preset-all|set-environment|unset-environment|import-environment|add-wants|add-requires|switch-root|log-level|bind|mount-image|thaw|try-reload-or-restart",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcRestart, Radius: shell.RadiusMedium, Reason: "restarts services or changes how they start",
			Match:   []string{"systemctl restart nginx", "systemctl enable x", "systemctl reload nginx"},
			NoMatch: []string{"systemctl status nginx", "systemctl start nginx", "systemctl stop x"},
		},
		{
			ID: "service-start", Cmd: "systemctl start|daemon-reload", Not: "poweroff.target reboot.target halt.target rescue.target emergency.target shutdown.target kexec.target suspend.target hibernate.target",
			Label: shell.Safe, Kind: "run", Category: shell.SvcStart, Reason: "starts services",
			Match:   []string{"systemctl start nginx", "systemctl --user start x", "systemctl daemon-reload"},
			NoMatch: []string{"systemctl stop nginx", "systemctl start poweroff.target"},
		},
		{
			ID: "service-start-target", Cmd: "systemctl start", Any: "poweroff.target reboot.target halt.target rescue.target emergency.target shutdown.target kexec.target suspend.target hibernate.target",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcPower, Radius: shell.RadiusHigh, Reason: "stops the whole machine",
			Match:   []string{"systemctl start poweroff.target", "systemctl start reboot.target"},
			NoMatch: []string{"systemctl start nginx"},
		},
		{
			ID: "service-read", Cmd: "systemctl status|show|cat|list-units|list-unit-files|list-timers|list-sockets|list-dependencies|list-jobs|list-machines|is-active|is-enabled|is-failed|is-system-running|get-default|help|show-environment|whoami|list-automounts|list-paths",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about services",
			Match:   []string{"systemctl status nginx", "systemctl list-units", "systemctl is-active x", "systemctl --user list-timers"},
			NoMatch: []string{"systemctl stop x", "systemctl restart x"},
		},
		{
			ID: "service-read-bare", Cmd: "systemctl|systemd-analyze|systemd-cgls|systemd-cgtop|systemd-detect-virt|systemd-path|systemd-escape|systemd-id128", Any: "--failed --all --type --state blame critical-chain verify time plot dump unit-paths security calendar timespan --list", Not: "stop kill disable mask restart start enable reload poweroff reboot isolate halt edit set-property revert clean",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about services",
			Match:   []string{"systemctl --failed", "systemd-analyze blame"},
			NoMatch: []string{"systemctl stop x", "systemctl restart a --all"},
		},
		{
			ID: "sysv-stop", Cmd: "service * stop|force-stop|graceful-stop",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops a service",
			Match:   []string{"service nginx stop", "service mysql stop"},
			NoMatch: []string{"service nginx status", "service nginx start"},
		},
		{
			ID: "sysv-restart", Cmd: "service * restart|reload|force-reload|condrestart|try-restart|--full-restart",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcRestart, Radius: shell.RadiusMedium, Reason: "restarts a service",
			Match:   []string{"service nginx restart", "service nginx reload"},
			NoMatch: []string{"service nginx status"},
		},
		{
			ID: "sysv-read", Cmd: "service * status|start",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about or starts a service",
			Match:   []string{"service nginx status", "service nginx start"},
			NoMatch: []string{"service nginx stop"},
		},
		{
			ID: "sysv-all", Cmd: "service", Any: "--status-all",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about services",
			Match:   []string{"service --status-all", "service --status-all -x"},
			NoMatch: []string{"service nginx stop"},
		},
		{
			ID: "init-config", Cmd: "update-rc.d|chkconfig|rc-update|insserv|sysrc|initctl|rc-service|sv|svc|s6-rc|s6-svc|runsvchdir|dinitctl|rcctl|monit|svcadm", Any: "stop remove off del delete disable down exit -d -k force-stop unmonitor zap shutdown",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops services or keeps them from starting",
			Match:   []string{"update-rc.d -f nginx remove", "chkconfig sshd off", "rc-service nginx stop", "initctl stop x", "sv stop nginx", "rc-update del sshd"},
			NoMatch: []string{"rc-service nginx status", "chkconfig --list", "sv status x"},
		},
		{
			ID: "init-read", Cmd: "update-rc.d|chkconfig|rc-update|rc-status|initctl|rc-service|sv|svstat|svcs|s6-svstat|monit|rcctl", Any: "status --list list show summary check get ls start",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about services",
			Match:   []string{"rc-service nginx status", "chkconfig --list", "initctl list", "sv status x"},
			NoMatch: []string{"sv stop x", "rc-service x restart"},
		},
		{
			ID: "init-restart", Cmd: "rc-service|initctl|sv|rcctl|svcadm|monit", Any: "restart reload hup term enable reopen refresh",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcRestart, Radius: shell.RadiusMedium, Reason: "restarts a service",
			Match:   []string{"sv restart nginx", "rc-service nginx restart"},
			NoMatch: []string{"sv status x"},
		},
		{
			ID: "launchd-stop", Cmd: "launchctl unload|bootout|remove|disable|kill|stop|reboot|unsetenv|attach",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops services or keeps them from starting",
			Match:   []string{"launchctl unload ~/Library/LaunchAgents/x.plist", "launchctl bootout system/com.x", "launchctl remove com.x"},
			NoMatch: []string{"launchctl list", "launchctl load x.plist"},
		},
		{
			ID: "unit-file", Cmd: "systemctl enable|link|reenable|start", Arg: "/* ~/* ./*",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "has the system run a unit of somebody's own by itself",
			Match:   []string{"systemctl enable --now /tmp/updater.timer", "systemctl --user link ./x.service"},
			NoMatch: []string{"systemctl enable nginx", "systemctl start docker"},
		},
		{
			ID: "launchd-plist", Cmd: "launchctl load|bootstrap|submit", Arg: "*.plist",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "has the system run a job by itself",
			Match:   []string{"launchctl load ~/Library/LaunchAgents/x.plist", "launchctl bootstrap gui/501 x.plist"},
			NoMatch: []string{"launchctl list", "launchctl print system"},
		},
		{
			ID: "launchd-start", Cmd: "launchctl load|bootstrap|enable|kickstart|start|submit|setenv|config|asuser",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcRestart, Radius: shell.RadiusMedium, Reason: "starts services or changes how they start",
			Match:   []string{"launchctl load x.plist", "launchctl kickstart -k system/x"},
			NoMatch: []string{"launchctl list"},
		},
		{
			ID: "launchd-read", Cmd: "launchctl list|print|print-disabled|blame|getenv|version|dumpstate|hostinfo|managerpid|manageruid|managername|procinfo|print-cache|plist|error|limit|help",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about services",
			Match:   []string{"launchctl list", "launchctl print system"},
			NoMatch: []string{"launchctl unload x"},
		},
		{
			ID: "windows-service", Cmd: "sc|net|nssm stop|delete|pause|remove",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusMedium, Reason: "stops or deletes a service",
			Match:   []string{"sc stop wuauserv", "net stop mssqlserver", "sc delete x", "nssm remove x confirm"},
			NoMatch: []string{"sc query", "net start"},
		},
		{
			ID: "windows-service-read", Cmd: "sc|nssm query|queryex|qc|status|get|list|start",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about or starts a service",
			Match:   []string{"sc query", "nssm status x"},
			NoMatch: []string{"sc stop x"},
		},

		// Power.
		{
			ID: "power", Cmd: "shutdown|reboot|halt|poweroff|pm-suspend|pm-hibernate|rtcwake|kexec", Not: "-c --show -w --wtmp-only",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcPower, Radius: shell.RadiusHigh, Reason: "stops the whole machine",
			Match:   []string{"shutdown -h now", "reboot", "poweroff", "halt -f", "shutdown -r +5"},
			NoMatch: []string{"shutdown -c", "shutdown --show", "reboot --help"},
		},
		{
			ID: "power-cancel", Cmd: "shutdown", Any: "-c --show", Not: "now -h -r -P",
			Label: shell.Safe, Kind: "modify", Category: shell.SvcPower, Reason: "cancels or shows a planned shutdown",
			Match:   []string{"shutdown -c", "shutdown --show"},
			NoMatch: []string{"shutdown now"},
		},
		{
			ID: "runlevel", Cmd: "init|telinit 0|1|6|s|S|single|q|u",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcPower, Radius: shell.RadiusHigh, Reason: "stops the whole machine or its services",
			Match:   []string{"init 0", "telinit 6", "init 1"},
			NoMatch: []string{"init --version", "runlevel"},
		},

		// Jobs that run later.
		{
			ID: "cron-remove", Cmd: "crontab", Any: "-r",
			Label: shell.Destructive, Kind: "delete", Category: shell.SvcCron, Radius: shell.RadiusHigh, Reason: "deletes all scheduled jobs",
			Match:   []string{"crontab -r", "crontab -u bob -r", "crontab -ir"},
			NoMatch: []string{"crontab -l", "crontab -e"},
		},
		{
			ID: "cron-replace", Cmd: "crontab", Not: "-l -e -r", Arg: "*",
			Label: shell.Destructive, Kind: "overwrite", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "replaces all scheduled jobs",
			Match:   []string{"crontab jobs.txt", "crontab -", "crontab -u bob jobs.txt"},
			NoMatch: []string{"crontab -l", "crontab -e", "crontab -r"},
		},
		{
			ID: "cron-edit", Cmd: "crontab", Any: "-e",
			Label: shell.Unknown, Kind: "modify", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "changes scheduled jobs",
			Match:   []string{"crontab -e", "crontab -u bob -e"},
			NoMatch: []string{"crontab -l"},
		},
		{
			ID: "at-remove", Cmd: "atrm|at|batch|schtasks", Any: "-d -r /delete /Delete /DELETE",
			Label: shell.Destructive, Kind: "delete", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "deletes a planned job",
			Match:   []string{"at -d 3", "at -r 3", "schtasks /delete /tn x /f"},
			NoMatch: []string{"at -l", "atq"},
		},
		{
			ID: "atrm", Cmd: "atrm",
			Label: shell.Destructive, Kind: "delete", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "deletes a planned job",
			Match:   []string{"atrm 3", "atrm 3 4"},
			NoMatch: []string{"atq"},
		},
		{
			ID: "at-run", Cmd: "at|batch|systemd-run|schtasks|anacron|incrontab|fcrontab", Not: "-l -d -r /query /delete",
			Label: shell.Unknown, Kind: "run", Category: shell.SvcCron, Radius: shell.RadiusMedium, Reason: "plans a job or starts one in the background",
			Match:   []string{"at now + 1 minute", "systemd-run --on-calendar=daily x", "batch -f job"},
			NoMatch: []string{"at -l", "schtasks /query"},
		},
		{
			ID: "at-list", Cmd: "at|schtasks", Any: "-l /query /Query",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists planned jobs",
			Match:   []string{"at -l", "schtasks /query"},
			NoMatch: []string{"at now", "schtasks /delete /tn x"},
		},

		// Kernel and hardware.
		{
			ID: "kernel-set", Cmd: "sysctl", Any: "-w --write -p --load --system *=*",
			Label: shell.Unknown, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusMedium, Reason: "changes settings of the kernel",
			Match:   []string{"sysctl -w vm.swappiness=10", "sysctl net.ipv4.ip_forward=1", "sysctl -p"},
			NoMatch: []string{"sysctl -a", "sysctl kernel.hostname"},
		},
		{
			ID: "kernel-set-risky", Cmd: "sysctl", Any: "kernel.sysrq=* kernel.randomize_va_space=0 kernel.panic* kernel.modules_disabled=* kernel.core_pattern=* kernel.yama.ptrace_scope=0 vm.overcommit_memory=2",
			Label: shell.Destructive, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusHigh, Reason: "makes the machine stop or drops its guards",
			Match:   []string{"sysctl -w kernel.panic_on_oops=1 kernel.sysrq=1", "sysctl -w kernel.randomize_va_space=0"},
			NoMatch: []string{"sysctl -a", "sysctl -w vm.swappiness=10"},
		},
		{
			ID: "sysctl-name", Cmd: "sysctl", Not: "*=* -w -p --system --write --load", Arg: "*.*",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads a setting of the kernel",
			Match:   []string{"sysctl kernel.hostname", "sysctl vm.swappiness"},
			NoMatch: []string{"sysctl vm.swappiness=10", "sysctl -w a=b"},
		},
		{
			ID: "module-remove", Cmd: "modprobe|rmmod|kextunload|kldunload|dkms", Any: "-r --remove remove uninstall", Not: "-n --show --dry-run",
			Label: shell.Destructive, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusHigh, Reason: "takes a driver out of the running kernel",
			Match:   []string{"modprobe -r nvidia", "modprobe --remove x", "dkms remove -m x -v 1"},
			NoMatch: []string{"lsmod", "modprobe x", "modprobe -n -r x"},
		},
		{
			ID: "module-unload", Cmd: "rmmod|kextunload|kldunload",
			Label: shell.Destructive, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusHigh, Reason: "takes a driver out of the running kernel",
			Match:   []string{"rmmod nvidia", "rmmod -f x"},
			NoMatch: []string{"lsmod"},
		},
		{
			ID: "boot-read", Cmd: "efibootmgr|nvram|bcdedit|bootctl|kmutil|dkms|pmset|powercfg|wsl|qm|pct|pvesm|pvesh", Any: "-v --verbose -p /enum list status -g /list /query -l --list --status showloaded config ls /a /batteryreport",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads how the machine starts, sleeps or what it hosts",
			Match:   []string{"efibootmgr -v", "bcdedit /enum", "pmset -g", "qm list", "wsl -l -v"},
			NoMatch: []string{"efibootmgr -B -b 0", "qm destroy 100", "pmset -a sleep 0"},
		},
		{
			ID: "power-set", Cmd: "pmset|powercfg|wsl", Any: "-a -b -c -u /h /setactive /change /delete /hibernate --shutdown --terminate -t restoredefaults sleepnow",
			Label: shell.Unknown, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusMedium, Reason: "changes how the machine sleeps, or stops what it hosts",
			Match:   []string{"pmset -a hibernatemode 0", "wsl --shutdown", "powercfg /h off"},
			NoMatch: []string{"pmset -g", "wsl -l -v"},
		},
		{
			ID: "fs-shrink", Cmd: "resize2fs|resize_reiserfs|ntfsresize|fsadm", Any: "-M -s --size *K *M *G *T *k *m *g *s resize", Not: "-P -i --info -n --no-action",
			Label: shell.Destructive, Kind: "modify", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "makes a file system smaller, with whatever is behind its new end",
			Match:   []string{"resize2fs /dev/sda1 5G", "resize2fs -M /dev/sda1", "ntfsresize -s 10G /dev/sda1"},
			NoMatch: []string{"resize2fs -P /dev/sda1", "ntfsresize --info /dev/sda1"},
		},
		{
			ID: "fs-debug", Cmd: "debugfs|xfs_db|btrfs-corrupt-block|e2undo|zdb", Any: "-w -x",
			Label: shell.Destructive, Kind: "modify", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "changes a file system by hand",
			Match:   []string{"debugfs -w /dev/sda1", "xfs_db -x /dev/sda1"},
			NoMatch: []string{"debugfs /dev/sda1", "debugfs -R ls /dev/sda1"},
		},
		{
			ID: "module-load", Cmd: "modprobe|insmod|kextload|kldload|depmod|dkms|update-initramfs|mkinitcpio|dracut|update-grub|grub-mkconfig|grub2-mkconfig|grubby|bootctl|efibootmgr|nvram|kmutil|bcdedit", Not: "-r --remove remove --show-depends -n --dry-run status -D -c -v -p /enum list",
			Label: shell.Unknown, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusHigh, Reason: "puts code into the kernel or changes how the machine starts",
			Match:   []string{"insmod evil.ko", "modprobe x", "update-grub"},
			NoMatch: []string{"lsmod", "modprobe -r x", "modprobe --show-depends x"},
		},
		{
			ID: "boot-delete", Cmd: "efibootmgr|bcdedit|grub-install|grub2-install|bootctl|nvram", Any: "-B -b --delete-bootnum -O --delete-bootorder /dev/* -c remove /delete /set /deletevalue",
			Label: shell.Destructive, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusHigh, Reason: "changes or deletes how the machine starts",
			Match:   []string{"efibootmgr -b 0001 -B", "grub-install /dev/sda", "nvram -c", "bcdedit /delete {current}"},
			NoMatch: []string{"efibootmgr", "bootctl status"},
		},
		{
			ID: "swap", Cmd: "swapoff|swapon|mkswap|zramctl", Not: "--show -s --summary",
			Label: shell.Unknown, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusMedium, Reason: "changes the swap space",
			Match:   []string{"swapoff -a", "swapon /swapfile"},
			NoMatch: []string{"swapon --show", "free -h", "swapon -s"},
		},
		{
			ID: "swap-read", Cmd: "swapon", Any: "--show -s --summary",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "lists the swap space",
			Match:   []string{"swapon --show", "swapon -s"},
			NoMatch: []string{"swapon /swapfile"},
		},
		{
			ID: "clock", Cmd: "hwclock|ntpdate|chronyc|timedatectl|ntpd|rdate|systemsetup", Any: "-w --systohc --hctosys -s --set set-time set-timezone set-ntp makestep settime pool.ntp.org -setdate -settime -settimezone -b -u",
			Label: shell.Unknown, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusMedium, Reason: "changes the clock of the machine",
			Match:   []string{"hwclock -w", "timedatectl set-time 2020-01-01", "ntpdate pool.ntp.org"},
			NoMatch: []string{"hwclock -r", "timedatectl status", "chronyc tracking", "timedatectl"},
		},
		{
			ID: "ipc-remove", Cmd: "ipcrm",
			Label: shell.Destructive, Kind: "delete", Category: shell.Kernel, Radius: shell.RadiusMedium, Reason: "deletes memory that processes share",
			Match:   []string{"ipcrm -a", "ipcrm -m 123"},
			NoMatch: []string{"ipcs"},
		},
		{
			ID: "hardware-read", Cmd: "smartctl|hdparm|nvme|ipmitool|sensors-detect", Any: "-a -i -H -x -A -I -t --all --info --health --xall list smart-log id-ctrl id-ns sdr sensor fru lan --scan", Not: "--security-erase --security-erase-enhanced --security-set-pass format sanitize delete-ns off cycle reset --trim-sector-ranges --set -s -o -S",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks hardware",
			Match:   []string{"smartctl -a /dev/sda", "hdparm -I /dev/sda", "nvme list", "ipmitool sdr"},
			NoMatch: []string{"nvme format /dev/nvme0", "hdparm --security-erase x /dev/sda", "ipmitool power off"},
		},
		{
			ID: "hardware", Cmd: "hdparm|nvme|smartctl|sg_format|blkdiscard|tpm2_clear|ipmitool|flashrom|fwupdtool", Any: "--security-erase --security-erase-enhanced --security-set-pass --trim-sector-ranges --format format sanitize delete-ns off cycle reset -w -E --erase -c security-send write-uncor power", Not: "status -I -i",
			Label: shell.Destructive, Kind: "modify", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "erases, resets or locks hardware",
			Match:   []string{"hdparm --security-erase x /dev/sda", "nvme format /dev/nvme0n1", "ipmitool power off", "tpm2_clear -c x", "nvme sanitize /dev/nvme0", "flashrom -w x.bin"},
			NoMatch: []string{"hdparm -I /dev/sda", "smartctl -a /dev/sda", "nvme list", "ipmitool power status"},
		},

		// Firewall and network.
		{
			ID: "firewall-flush", Cmd: "iptables|ip6tables|ebtables|arptables|iptables-legacy|iptables-nft", Any: "-F --flush -X --delete-chain -Z -P --policy -D --delete",
			Label: shell.Destructive, Kind: "delete", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "deletes the rules of the firewall",
			Match:   []string{"iptables -F", "iptables --flush", "iptables -t nat -F", "iptables -X", "iptables -P INPUT DROP"},
			NoMatch: []string{"iptables -L", "iptables -S", "iptables -A INPUT -j DROP"},
		},
		{
			ID: "firewall-add", Cmd: "iptables|ip6tables|ebtables|arptables|iptables-restore|ip6tables-restore|ipset|nft|netsh|pfctl|firewall-cmd|ufw|tc|conntrack|fail2ban-client|ebtables-restore", Any: "-A -I -R -N --append --insert --replace --new-chain add insert replace create allow deny limit reject enable reload --add-* --permanent --reload -f -e route default rename ban unban set change",
			Label: shell.Unknown, Kind: "modify", Category: shell.NetFirewall, Radius: shell.RadiusMedium, Reason: "changes the firewall",
			Match:   []string{"iptables -A INPUT -j DROP", "ufw allow 22", "firewall-cmd --add-port=80/tcp", "nft add rule x"},
			NoMatch: []string{"iptables -L", "ufw status", "nft list ruleset", "firewall-cmd --list-all"},
		},
		{
			ID: "firewall-restore", Cmd: "iptables-restore|ip6tables-restore|ebtables-restore", Not: "-t --test -n --noflush",
			Label: shell.Destructive, Kind: "overwrite", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "replaces the rules of the firewall",
			Match:   []string{"iptables-restore rules.v4", "ip6tables-restore x"},
			NoMatch: []string{"iptables-save", "iptables-restore --test x", "iptables-restore -n x"},
		},
		{
			ID: "nft-flush", Cmd: "nft flush|delete|destroy|reset",
			Label: shell.Destructive, Kind: "delete", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "deletes the rules of the firewall",
			Match:   []string{"nft flush ruleset", "nft delete table inet filter"},
			NoMatch: []string{"nft list ruleset", "nft add table x"},
		},
		{
			ID: "ufw-off", Cmd: "ufw disable|reset|delete",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "switches the firewall off or deletes its rules",
			Match:   []string{"ufw disable", "ufw --force reset", "ufw delete allow 22"},
			NoMatch: []string{"ufw status", "ufw enable"},
		},
		{
			ID: "firewalld-remove", Cmd: "firewall-cmd|pfctl|ipset|netsh|conntrack|tc|socketfilterfw|firewall", Any: "--remove-* --delete-* --panic-on --complete-reload -F -d off destroy flush delete del -X -D reset --reset-to-defaults --setglobalstate", Not: "-l list show",
			Label: shell.Destructive, Kind: "delete", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "switches the firewall off or deletes its rules",
			Match:   []string{"firewall-cmd --remove-service=ssh", "firewall-cmd --panic-on", "pfctl -d", "pfctl -F all", "netsh advfirewall set allprofiles state off", "ipset destroy", "conntrack -F", "socketfilterfw --setglobalstate off"},
			NoMatch: []string{"firewall-cmd --list-all", "pfctl -s rules", "ipset list"},
		},
		{
			ID: "firewall-read", Cmd: "iptables|ip6tables|iptables-save|ip6tables-save|nft|ufw|firewall-cmd|pfctl|ipset|tc|conntrack|ebtables|fail2ban-client", Any: "-L -S --list --list-rules list status show --list-* --get-* --state --query-* -s -L version app", Not: "-F -X -D -A -I -P -R -N -Z --flush flush delete add insert disable enable reset allow deny --add-* --remove-* -d -e -f set",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "lists the rules of the firewall",
			Match:   []string{"iptables -L -n -v", "iptables -S", "nft list ruleset", "ufw status verbose", "firewall-cmd --list-all", "firewall-cmd --state"},
			NoMatch: []string{"iptables -F", "ufw disable", "pfctl -d"},
		},
		{
			ID: "firewall-save", Cmd: "iptables-save|ip6tables-save|ebtables-save|arptables-save", Not: "-f --file",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "prints the rules of the firewall",
			Match:   []string{"iptables-save", "iptables-save -t nat"},
			NoMatch: []string{"iptables -F", "iptables-save -f /etc/x"},
		},
		{
			ID: "link-down", Cmd: "ip link|l|addr|address|a|route|r|ro|neigh|rule|ru|netns|tunnel|maddr del|delete|flush|set|d|f", Not: "up mtu name",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetDown, Radius: shell.RadiusHigh, Reason: "takes a part of the network down",
			Match:   []string{"ip link set eth0 down", "ip route flush table main", "ip addr flush dev eth0", "ip link delete eth0", "ip route del default"},
			NoMatch: []string{"ip link", "ip addr show", "ip link set eth0 up", "ip -s link"},
		},
		{
			ID: "link-change", Cmd: "ip link|addr|address|a|route|r|neigh|rule|netns|tunnel add|replace|change|append|set|exec|restore",
			Label: shell.Unknown, Kind: "modify", Category: shell.NetChange, Radius: shell.RadiusMedium, Reason: "changes the network",
			Match:   []string{"ip addr add 10.0.0.1/8 dev eth0", "ip link set eth0 up", "ip route add default via 10.0.0.1"},
			NoMatch: []string{"ip addr", "ip route show"},
		},
		{
			ID: "interface-down", Cmd: "ifdown|ifconfig|nmcli|wg-quick|wg|networksetup|route|arp|ethtool|iwconfig|rfkill|brctl|ovs-vsctl|connmanctl|netplan|tailscale|zerotier-cli|warp-cli|openvpn3|scutil", Any: "down off del delete flush block -d disconnect logout remove leave unload --flush -setnetworkserviceenabled disable del-br del-port delbr delif",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetDown, Radius: shell.RadiusHigh, Reason: "takes a part of the network down",
			Match:   []string{"ifconfig eth0 down", "nmcli networking off", "nmcli con delete x", "wg-quick down wg0", "route del default", "rfkill block all", "tailscale down", "networksetup -setairportpower en0 off", "nmcli radio wifi off"},
			NoMatch: []string{"ifconfig", "nmcli device", "wg show", "route -n", "tailscale status"},
		},
		{
			ID: "ifdown", Cmd: "ifdown",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetDown, Radius: shell.RadiusHigh, Reason: "takes a network interface down",
			Match:   []string{"ifdown eth0", "ifdown -a"},
			NoMatch: []string{"ifup eth0"},
		},
		{
			ID: "interface-change", Cmd: "nmcli|ifup|wg-quick|wg|networksetup|route|netplan|tailscale|dhclient|ethtool|iwconfig|brctl|ovs-vsctl|ifconfig|dhcpcd|wpa_cli|resolvconf|warp-cli|zerotier-cli", Any: "up add set connect modify apply join reload -setdnsservers -setwebproxy -s -r serve funnel set-default try generate addconf setconf syncconf on edit hotspot change netmask add-br add-port addbr addif",
			Label: shell.Unknown, Kind: "modify", Category: shell.NetChange, Radius: shell.RadiusMedium, Reason: "changes the network",
			Match:   []string{"nmcli con up x", "ifconfig eth0 up", "netplan apply", "route add default gw 10.0.0.1"},
			NoMatch: []string{"nmcli device", "ifconfig", "tailscale status"},
		},
		{
			ID: "interface-read", Cmd: "nmcli|wg|networksetup|tailscale|scutil|zerotier-cli|netplan|rfkill|iw|iwlist|brctl|ovs-vsctl|wpa_cli|networkctl", Any: "device dev d con connection c show status general g list -l --dns --proxy --nwi -listallhardwareports -listallnetworkservices -getinfo -getdnsservers -listpreferredwirelessnetworks version ip netcheck ping get info peers listnetworks scan link", Not: "up down add del delete modify off on set connect disconnect edit logout set-default reload",
			Label: shell.Safe, Kind: "read", Category: shell.NetRead, Reason: "looks at the network",
			Match:   []string{"nmcli device", "nmcli con show", "wg show", "tailscale status", "networksetup -listallhardwareports", "scutil --dns"},
			NoMatch: []string{"nmcli con delete x", "tailscale down", "nmcli networking off"},
		},

		// Logs.
		{
			ID: "journal-vacuum", Cmd: "journalctl", Any: "--vacuum-time --vacuum-size --vacuum-files",
			Label: shell.Destructive, Kind: "delete", Category: shell.LogDelete, Radius: shell.RadiusHigh, Reason: "deletes logs of the system",
			Match:   []string{"journalctl --vacuum-time=1s", "journalctl --vacuum-size 1M", "journalctl --rotate --vacuum-files=1"},
			NoMatch: []string{"journalctl -u x", "journalctl --rotate"},
		},
		{
			ID: "journal-rotate", Cmd: "journalctl", Any: "--rotate --flush --relinquish-var",
			Label: shell.Unknown, Kind: "modify", Category: shell.LogRotate, Reason: "closes the logs and begins new ones",
			Match:   []string{"journalctl --rotate", "journalctl --flush"},
			NoMatch: []string{"journalctl -u x", "journalctl -f", "journalctl -fu nginx"},
		},
		{
			ID: "logrotate-force", Cmd: "logrotate", Any: "-f --force", Not: "-d --debug",
			Label: shell.Destructive, Kind: "delete", Category: shell.LogDelete, Radius: shell.RadiusMedium, Reason: "rotates logs at once, and deletes old ones",
			Match:   []string{"logrotate -f /etc/logrotate.conf", "logrotate --force x"},
			NoMatch: []string{"logrotate -d x", "logrotate -df x"},
		},
		{
			ID: "log-clear", Cmd: "dmesg|auditctl|ausearch|wevtutil|log|aureport|utmpdump|fc", Any: "-C --clear -c --read-clear cl clear-log erase -D",
			Label: shell.Destructive, Kind: "delete", Category: shell.LogDelete, Radius: shell.RadiusHigh, Reason: "deletes logs of the system",
			Match:   []string{"dmesg -C", "dmesg --clear", "wevtutil cl System", "log erase --all", "auditctl -D"},
			NoMatch: []string{"dmesg -T", "log show", "auditctl -l", "wevtutil qe System"},
		},
		{
			ID: "log-read", Cmd: "log|wevtutil|ausearch|aureport|auditctl|lnav|multitail|goaccess", Any: "show stream stats qe el gl -l -s -m *.log -i -ts --summary --start", Not: "cl clear-log erase -D -e -w -a -d -R",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads logs of the system",
			Match:   []string{"log show --last 1h", "wevtutil qe System", "auditctl -l", "lnav x.log"},
			NoMatch: []string{"log erase --all", "wevtutil cl System", "auditctl -D"},
		},
		{
			ID: "history-clear", Cmd: "history", Any: "-c -d clear --clear delete",
			Label: shell.Destructive, Kind: "delete", Category: shell.LogDelete, Radius: shell.RadiusMedium, Reason: "deletes the list of earlier commands",
			Match:   []string{"history -c", "history -cw", "history -d 5", "history clear"},
			NoMatch: []string{"history", "history 20"},
		},
		{
			ID: "history-write", Cmd: "history|fc", Any: "-w -a -r -n -p -s -e",
			Label: shell.Unknown, Kind: "modify", Category: shell.LogRotate, Reason: "changes the list of earlier commands",
			Match:   []string{"history -w", "history -a"},
			NoMatch: []string{"history", "fc -l"},
		},
		{
			ID: "mount-off", Cmd: "umount|fusermount|fusermount3|udisksctl|eject", Not: "info status dump monitor",
			Label: shell.Unknown, Kind: "modify", Category: shell.FSMount, Radius: shell.RadiusMedium, Reason: "takes a file system away from where it is",
			Match:   []string{"umount /mnt", "umount -l /data", "fusermount -u x", "eject /dev/cdrom"},
			NoMatch: []string{"mount", "udisksctl status"},
		},
		// Storage controllers and management boards.
		{
			ID: "controller-delete", Cmd: "storcli|storcli64|storcli2|perccli|perccli64|perccli2|megacli|megacli64|megacli32|hpssacli|ssacli|hpacucli|arcconf|tw_cli|sas2ircu|sas3ircu|mvcli|areca|cli64|omconfig|mdadm-cli|hpraidconf|adaptec|aaccli|lsiutil|sasinfo", Any: "del delete erase init initialize wipe clear sanitize clearconfig -CfgLdDel -CfgClr -Clear -LDInit -CfgSpanDel -AdpFacDefSet -PDClear -SecureErase -CfgEachDskRaid0 -cfglddel -cfgclr -ldinit -CfgAllFreeDrv action=delete* action=reset* action=initialize action=format* action=slowinit action=fastinit action=secureerase action=cryptographicerase action=clear* factory defaults default deletelogicaldrive setconfig uninit task forced",
			Label: shell.Destructive, Kind: "delete", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "deletes or initialises disks of a storage controller",
			Match:   []string{"megacli -CfgLdDel -LAll -aAll", "megacli64 -CfgClr -aAll", "storcli /c0/v0 del force", "ssacli ctrl slot=0 ld 1 delete forced", "arcconf delete 1 logicaldrive 0 noprompt", "omconfig storage vdisk action=deletevdisk controller=0 vdisk=1", "storcli /c0/v0 start init full"},
			NoMatch: []string{"megacli -LDInfo -Lall -aALL", "storcli /c0 show all", "ssacli ctrl all show config", "arcconf getconfig 1"},
		},
		{
			ID: "controller-read", Cmd: "storcli|storcli64|storcli2|perccli|perccli64|perccli2|megacli|megacli64|megacli32|hpssacli|ssacli|hpacucli|arcconf|tw_cli|sas2ircu|sas3ircu|mvcli|cli64|omreport|lsiutil", Any: "show info display getconfig list status -LDInfo -PDList -AdpAllInfo -AdpGetProp -EncInfo -CfgDsply -AdpBbuCmd -LdPdInfo -LDPDInfo -PdInfo -PDInfo -FwTermLog -AdpEventLog -v storage system chassis getlogs help getstatus config -ShowSummary", Not: "del delete erase init set add create modify start stop flush import reset clear -CfgLdDel -CfgClr -LDInit -CfgLdAdd -AdpSetProp -LDSetProp -PDOffline -PDPrpRmv -Clear setconfig forced force",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "reads the state of a storage controller",
			Match:   []string{"megacli -LDInfo -Lall -aALL", "storcli /c0 show all", "arcconf getconfig 1", "omreport storage vdisk", "ssacli ctrl all show config"},
			NoMatch: []string{"storcli /c0/v0 del", "megacli -CfgClr -aAll", "storcli /c0 set alarm=off"},
		},
		{
			ID: "board-reset", Cmd: "racadm|ilorest|hponcfg|redfishtool|onecli|asu|asu64|ipmicfg|xclarity", Any: "systemerase racresetcfg racreset deletevd* clrsel clrraclog powerdown powercycle hardreset graceshutdown resetconfig raid:* resetcfg reset factorydefaults clear storageerase initialize secureerase delete rawdelete deletecomp deleteuser ForceOff ForceRestart PushPowerButton -fd -fde --reset loaddefault -clear",
			Label: shell.Destructive, Kind: "delete", Category: shell.SvcStop, Radius: shell.RadiusHigh, Reason: "erases, resets or switches off a machine through its management board",
			Match:   []string{"racadm systemerase bios,diag", "racadm racresetcfg", "racadm raid deletevd:Disk.Virtual.0", "racadm serveraction powerdown", "ilorest factorydefaults"},
			NoMatch: []string{"racadm getsysinfo", "racadm get iDRAC.Info", "ilorest list"},
		},
		{
			ID: "board-read", Cmd: "racadm|ilorest|hponcfg|redfishtool|onecli|ipmicfg", Any: "getsysinfo get getconfig getsel getraclog getniccfg getversion gettracelog getsensorinfo getled getssninfo getsvctag hwinventory swinventory list types serverinfo status help powerstatus inventory show", Not: "set clear reset delete",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks a management board",
			Match:   []string{"racadm getsysinfo", "racadm get BIOS.SysProfileSettings", "racadm serveraction powerstatus", "ilorest list"},
			NoMatch: []string{"racadm racresetcfg", "racadm set x y"},
		},
		{
			ID: "ipmi-change", Cmd: "ipmitool|ipmiutil|ipmi-chassis-config|bmc-config|ipmipower|bmc-device|freeipmi", Any: "clear off cycle reset soft disable --off --cycle --reset cold warm --cold-reset raw set priv shutdown --soft",
			Label: shell.Destructive, Kind: "stop", Category: shell.SvcStop, Radius: shell.RadiusHigh, Reason: "switches a machine off, or changes its management board",
			Match:   []string{"ipmitool chassis power off", "ipmitool sel clear", "ipmitool user disable 2", "ipmipower --off -h x"},
			NoMatch: []string{"ipmitool chassis power status", "ipmitool sensor list"},
		},
		{
			ID: "ipmi-read", Cmd: "ipmitool|ipmiutil|ipmi-sensors|ipmi-sel|ipmipower|bmc-info|ipmi-fru", Any: "status list print info sdr sensor fru elist sel get guid summary --stat health", Not: "clear off cycle reset soft set disable raw --off --clear",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks a management board",
			Match:   []string{"ipmitool chassis power status", "ipmitool sel list", "ipmitool lan print 1"},
			NoMatch: []string{"ipmitool power off", "ipmitool sel clear"},
		},
		// What locks people out.
		{
			ID: "firewall-lock", Cmd: "iptables|ip6tables|iptables-legacy|iptables-nft", All: "-A|-I|-R|--append|--insert|--replace -j=DROP|-j=REJECT|--jump=DROP|--jump=REJECT", Not: "-p=icmp --dport --dports --sport --sports --destination-port -d --destination -s --source --src --dst -m=recent -m=limit -m=conntrack -m=state -m=set --match=limit",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "drops what comes in or goes out, with it the way back in",
			Match:   []string{"iptables -I INPUT -j DROP", "iptables --append INPUT --jump REJECT", "iptables -A INPUT -p tcp -j DROP"},
			NoMatch: []string{"iptables -A INPUT -p tcp --dport 8080 -j DROP", "iptables -A INPUT -s 203.0.113.5 -j DROP", "iptables -A INPUT -m conntrack --ctstate INVALID -j DROP", "iptables -L"},
		},
		{
			ID: "firewall-lock-ssh", Cmd: "iptables|ip6tables|iptables-legacy|iptables-nft", All: "-A|-I|-R|--append|--insert|--replace -j=DROP|-j=REJECT|--jump=DROP|--jump=REJECT --dport=22|--dport=ssh|--dports=22*|--dports=*,22*|--destination-port=22|--destination-port=ssh", Not: "-s --source --src -m=recent -m=limit --match=limit",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "shuts the way in to this machine",
			Match:   []string{"iptables -A INPUT -p tcp --dport 22 -j DROP", "iptables -I INPUT 1 -p tcp --dport=ssh -j REJECT"},
			NoMatch: []string{"iptables -A INPUT -p tcp --dport 22 -j ACCEPT", "iptables -A INPUT -s 203.0.113.5 -p tcp --dport 22 -j DROP", "iptables -A INPUT -p tcp --dport 8080 -j DROP"},
		},
		{
			ID: "ufw-lock", Cmd: "ufw deny|reject|insert|prepend", Any: "ssh 22 22/tcp OpenSSH 22/udp SSH", Not: "allow limit out",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "shuts the way in to this machine",
			Match:   []string{"ufw deny 22", "ufw deny ssh", "ufw reject 22/tcp", "ufw insert 1 deny OpenSSH"},
			NoMatch: []string{"ufw allow 22", "ufw default deny incoming", "ufw deny 8080", "ufw limit ssh", "ufw status"},
		},
		{
			ID: "nft-lock", Cmd: "nft add|insert|create|replace rule", All: "drop|reject 22|ssh|{22|{22}|{22,*|22,*|*22*", Not: "saddr ct limit",
			Label: shell.Destructive, Kind: "modify", Category: shell.NetFirewall, Radius: shell.RadiusHigh, Reason: "drops what comes in or goes out, with it the way back in",
			Match:   []string{"nft add rule inet filter input tcp dport 22 drop", "nft insert rule inet filter input tcp dport ssh reject"},
			NoMatch: []string{"nft add rule inet filter input tcp dport 80 accept", "nft add rule inet filter input ip saddr 1.2.3.4 drop", "nft list ruleset", "nft add rule inet filter input tcp dport 8080 drop"},
		},
		{
			ID: "fsck-fix", Cmd: "xfs_repair|e2fsck|fsck|btrfs|ntfsfix|reiserfsck|jfs_fsck|fsck.ext4|fsck.ext3|fsck.vfat|dosfsck|fsck_msdos|fsck_hfs|fsck_apfs|zpool", Any: "-L -y --repair --rebuild-tree --rebuild-sb --init-csum-tree --init-extent-tree zero-log rescue labelclear", Not: "-n -N --readonly status list get",
			Label: shell.Destructive, Kind: "modify", Category: shell.BlockDevice, Radius: shell.RadiusHigh, Reason: "repairs a file system without asking, and throws away what does not fit",
			Match:   []string{"xfs_repair -L /dev/sdb1", "e2fsck -y /dev/sda1", "btrfs check --repair /dev/sdb", "btrfs rescue zero-log /dev/sda2"},
			NoMatch: []string{"xfs_repair -n /dev/sdb1", "fsck -n /dev/sda1", "btrfs check /dev/sdb"},
		},
		{
			ID: "fsck-look", Cmd: "xfs_repair|e2fsck|fsck|fsck.ext4|fsck.ext3|fsck.vfat|dosfsck|ntfsfix", Any: "-n -N", Not: "-L -y -p -a -f",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Radius: shell.RadiusLow, Reason: "checks a file system and changes nothing",
			Match:   []string{"xfs_repair -n /dev/sdb1", "fsck -n /dev/sda1", "fsck -N /dev/sda1"},
			NoMatch: []string{"xfs_repair -L /dev/sdb1", "fsck /dev/sda1"},
		},
	},
}
