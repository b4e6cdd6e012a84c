package program

import "github.com/checkrein/checkrein/internal/shell"

// privilegePack knows what makes users, gives rights and switches guards off.
var privilegePack = shell.RuleSet{
	Pack: shell.PackPrivilege,
	Rules: []shell.Rule{
		// Becoming someone else. sudo and su are in packs/special_process.go.
		{
			ID: "sudoers", Cmd: "visudo|vipw|vigr|sudoedit", Not: "-c --check",
			Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "changes who may do everything",
			Match:   []string{"visudo -f /etc/sudoers.d/x", "sudoedit /etc/sudoers", "visudo"},
			NoMatch: []string{"visudo -c", "visudo --check", "-l"},
		},
		{
			ID: "sudoers-check", Cmd: "visudo", Any: "-c --check",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "checks the rules of sudo",
			Match:   []string{"visudo -c", "visudo -cf /etc/sudoers"},
			NoMatch: []string{"visudo"},
		},

		// Users, groups and passwords.
		{
			ID: "user-delete", Cmd: "userdel|deluser|groupdel|delgroup|rmuser|luserdel|lgroupdel",
			Label: shell.Destructive, Kind: "delete", Category: shell.Privilege, Radius: shell.RadiusMedium, Reason: "deletes a user or group",
			Match:   []string{"userdel bob", "deluser bob", "groupdel devs"},
			NoMatch: []string{"useradd bob", "id bob"},
		},
		{
			ID: "user-delete-home", Cmd: "userdel|deluser|luserdel", Any: "-r --remove --remove-home --remove-all-files -f --force",
			Label: shell.Destructive, Kind: "delete", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "deletes a user with the files",
			Match:   []string{"userdel -r bob", "userdel -rf bob", "deluser --remove-home bob", "userdel --remove bob", "deluser --remove-all-files bob"},
			NoMatch: []string{"userdel bob", "deluser bob"},
		},
		{
			ID: "user-rights", Cmd: "usermod|gpasswd|adduser|addgroup|groupmod|dseditgroup|pw|net|useradd", Any: "sudo wheel root admin docker lxd disk shadow adm libvirt kvm administrators Administrators -G=*sudo* -G=*wheel* -G=*root* -G=*docker* -G=*admin* --groups=*sudo* --groups=*wheel* --groups=*docker* --groups=*root* --groups=*admin* *sudo,* *,sudo* *,docker* *docker,* *,wheel* *wheel,* -o --non-unique --gid=0 -g=0 --uid=0 -u=0", Not: "-l -o=list",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "gives a user the rights of the system",
			Match:   []string{"usermod -aG sudo bob", "usermod -a -G docker bob", "gpasswd -a bob wheel", "adduser bob sudo", "usermod -G root bob", "useradd -u 0 -o root2", "useradd -ou 0 x", "net localgroup administrators bob /add", "dseditgroup -o edit -a bob -t user admin"},
			NoMatch: []string{"usermod -s /bin/zsh bob", "groups bob", "usermod -aG video bob"},
		},
		{
			ID: "user-lock", Cmd: "usermod|passwd|gpasswd|pwpolicy|net", Any: "-L --lock -l -d --delete -E --expiredate -e --expire /delete /active:no -disableuser", Not: "-S --status --list",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "locks a user out or takes the password away",
			Match:   []string{"usermod -L bob", "passwd -l root", "passwd -d bob", "gpasswd -d bob sudo", "net user bob /delete"},
			NoMatch: []string{"passwd -S bob", "usermod -aG video bob"},
		},
		{
			ID: "user-expire", Cmd: "chage", Any: "-E --expiredate",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "locks a user out",
			Match:   []string{"chage -E 0 bob", "chage --expiredate 0 bob"},
			NoMatch: []string{"chage -l bob", "chage -M 90 bob"},
		},
		{
			ID: "passwd-status", Cmd: "passwd", Any: "-S --status", Not: "-d -l -u",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks about a user",
			Match:   []string{"passwd -S bob", "passwd --status"},
			NoMatch: []string{"passwd bob", "passwd -l bob"},
		},
		{
			ID: "chage-list", Cmd: "chage", Any: "-l --list", Not: "-E -M -m -I -W -d",
			Label: shell.Safe, Kind: "read", Category: shell.ProcRead, Reason: "asks when a password ends",
			Match:   []string{"chage -l bob", "chage --list bob"},
			NoMatch: []string{"chage -E 0 bob"},
		},
		{
			ID: "password", Cmd: "passwd|chpasswd|chgpasswd|smbpasswd|htpasswd|dscl|kpasswd|ldappasswd|grub-mkpasswd-pbkdf2|vncpasswd|newusers|cpasswd|net", Not: "-S --status -l -d list -list -read read ls localgroup start stop view share use /delete -search search config",
			Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "changes a password or an account",
			Match:   []string{"passwd root", "chpasswd", "htpasswd -b f u p", "net user bob pw"},
			NoMatch: []string{"passwd -S bob", "dscl . list /Users", "dscl . -read /Users/x"},
		},
		{
			ID: "password-file", Cmd: "chpasswd|newusers|chgpasswd",
			Label: shell.Destructive, Kind: "overwrite", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "sets passwords of users",
			Match:   []string{"chpasswd", "chpasswd -e"},
			NoMatch: []string{"passwd -S bob", "id bob"},
		},
		{
			ID: "user-add", Cmd: "useradd|adduser|groupadd|addgroup|usermod|groupmod|chage|gpasswd|newgrp|chfn|chsh|sysadminctl|luseradd|lusermod|loginctl|homectl|pw|net|dseditgroup|groupmems|newgidmap|newuidmap|pwconv|pwunconv|grpconv|grpunconv|pwck|grpck|subuid", Any: "-* *", Not: "-l --list list-users list-sessions status show list-seats session-status user-status view start use list inspect localgroup share stop statistics config",
			Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusMedium, Reason: "changes users or groups",
			Match:   []string{"useradd -m bob", "usermod -s /bin/zsh bob", "groupadd devs", "chsh -s /bin/zsh", "usermod -aG video bob"},
			NoMatch: []string{"id bob", "chage -l bob", "chsh -l", "loginctl list-users", "net view"},
		},
		{
			ID: "user-read", Cmd: "dscl|net|homectl|sysadminctl|pwck|chsh|dscacheutil|wbinfo|realm|klist", Any: "list -list -read read ls view -q list-users discover -l -r search -search -u -g inspect --list-shells statistics -t", Not: "-delete -passwd -create -append -merge -change delete /delete /add join leave -adminUser -deleteUser",
			Label: shell.Safe, Kind: "run", Category: shell.ProcRead, Reason: "asks about users",
			Match:   []string{"dscl . list /Users", "dscl . -read /Users/x", "net view", "chsh -l", "dscacheutil -q user"},
			NoMatch: []string{"dscl . -delete /Users/x", "net user bob /delete"},
		},
		{
			ID: "user-remove-mac", Cmd: "dscl|sysadminctl|homectl|realm|adcli|kadmin|kadmin.local|ldapdelete|ipa|samba-tool|smbpasswd|pdbedit|kdestroy|dsconfigad", Any: "-delete delete -deleteUser remove leave delprinc delete_principal user-del group-del host-del -x --delete -remove -f *-del deactivate", Not: "list -list",
			Label: shell.Destructive, Kind: "delete", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "deletes an account or takes the machine out of its domain",
			Match:   []string{"dscl . -delete /Users/bob", "sysadminctl -deleteUser bob", "homectl remove bob", "realm leave", "ldapdelete -x cn=bob", "ipa user-del bob", "samba-tool user delete bob", "kadmin.local delprinc bob"},
			NoMatch: []string{"dscl . list /Users", "homectl list", "realm list", "ipa user-find"},
		},
		{
			ID: "ldap-delete", Cmd: "ldapdelete|ldapmodrdn|kdestroy",
			Label: shell.Destructive, Kind: "delete", Category: shell.Privilege, Radius: shell.RadiusMedium, Reason: "deletes entries of a directory",
			Match:   []string{"ldapdelete cn=bob,dc=x", "ldapdelete -r dc=x"},
			NoMatch: []string{"ldapsearch -x"},
		},
		{
			ID: "ldap", Cmd: "ldapmodify|ldapadd|kadmin|kadmin.local|kinit|realm|adcli|ipa|samba-tool|pdbedit|dsconfigad|ldappasswd", Not: "list user-find group-find user-show group-show -L discover listprincs find show *-find *-show",
			Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusMedium, Reason: "changes a directory of users",
			Match:   []string{"ldapmodify -f x.ldif", "kinit bob", "realm join x"},
			NoMatch: []string{"ldapsearch -x", "realm list", "ipa user-find"},
		},
		{
			ID: "ldap-read", Cmd: "ldapsearch|ldapwhoami|klist|ldapcompare|testparm|realm|ipa", Not: "join leave *-del *-add *-mod permit deny passwd *-disable",
			Label: shell.Safe, Kind: "run", Category: shell.ProcRead, Reason: "asks a directory of users",
			Match:   []string{"ldapsearch -x", "klist", "ipa user-find", "realm list"},
			NoMatch: []string{"ldapdelete x", "ipa user-del bob", "realm leave"},
		},

		// Rights of programs, and containers around them.
		{
			ID: "capability", Cmd: "setcap|capsh|setpriv|chcon|restorecon|semanage|setsebool|setfattr|aa-disable|aa-complain|aa-teardown|apparmor_parser|semodule|audit2allow|firejail|unshare|nsenter|chroot|pivot_root|systemd-nspawn|bwrap|newrole|runcon|fixfiles|prctl", Not: "--print -l --list -V --version",
			Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "changes what programs may do, or runs them elsewhere",
			Match:   []string{"setcap cap_setuid+ep /usr/bin/python3", "nsenter -t 1 -m -u bash", "chroot /mnt bash", "semanage port -a -t http_port_t -p tcp 81"},
			NoMatch: []string{"getcap -r /", "semanage port -l", "capsh --print"},
		},
		{
			ID: "capability-set", Cmd: "setcap", Not: "-v -r", Arg: "*setuid* *setgid* *sys_admin* *dac_override* *dac_read* *sys_ptrace* *sys_module* all* =ep* *chown* *fowner*",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "gives a program the rights of the system",
			Match:   []string{"setcap cap_setuid+ep /usr/bin/python3", "setcap cap_sys_admin,cap_net_admin=eip x", "setcap all+ep x"},
			NoMatch: []string{"setcap cap_net_bind_service=+ep ./server", "getcap x", "setcap -v cap_setuid+ep x"},
		},
		{
			ID: "namespace-host", Cmd: "nsenter", Any: "-t=1 --target=1",
			Label: shell.Destructive, Kind: "run", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "steps out of the container into the machine",
			Match:   []string{"nsenter -t 1 -m -u -i -n bash", "nsenter --target 1 --all sh", "nsenter --target=1 --mount -- sh"},
			NoMatch: []string{"nsenter -t 4242 -n ip a", "nsenter --help"},
		},
		{
			ID: "capability-read", Cmd: "capsh|semanage|semodule|aa-status|getsebool|sesearch|seinfo|matchpathcon", Any: "--print -l --list -a --decode", Not: "-d -D -r -m --delete -i -X",
			Label: shell.Safe, Kind: "run", Category: shell.ProcRead, Reason: "asks what programs may do",
			Match:   []string{"capsh --print", "semanage port -l", "getsebool -a", "semodule -l"},
			NoMatch: []string{"setcap x y", "semodule -r x"},
		},

		// Guards.
		{
			ID: "selinux-off", Cmd: "setenforce 0|permissive|Permissive",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "switches a guard of the system off",
			Match:   []string{"setenforce 0", "setenforce Permissive"},
			NoMatch: []string{"setenforce 1", "getenforce"},
		},
		{
			ID: "selinux-on", Cmd: "setenforce 1|enforcing|Enforcing",
			Label: shell.Safe, Kind: "modify", Category: shell.Privilege, Reason: "switches a guard of the system on",
			Match:   []string{"setenforce 1", "setenforce Enforcing"},
			NoMatch: []string{"setenforce 0"},
		},
		{
			ID: "guard-off", Cmd: "aa-disable|aa-teardown|aa-complain|csrutil|spctl|auditctl|mokutil|systemextensionsctl|fdesetup|manage-bde|bputil", Any: "disable clear --master-disable --global-disable --disable -e=0 0 -D --disable-validation --reset uninstall -off -n -k -g --remove", Not: "status -l -v --assess",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "switches a guard of the system off",
			Match:   []string{"csrutil disable", "spctl --master-disable", "auditctl -e 0", "auditctl -D", "spctl --global-disable", "mokutil --disable-validation", "fdesetup disable", "csrutil clear", "bputil -n", "csrutil authenticated-root disable"},
			NoMatch: []string{"csrutil status", "spctl --status", "auditctl -l", "fdesetup status", "spctl -a x"},
		},
		{
			ID: "guard-off-profile", Cmd: "aa-disable|aa-teardown|aa-complain",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "switches a guard of the system off",
			Match:   []string{"aa-disable /etc/apparmor.d/x", "aa-teardown"},
			NoMatch: []string{"aa-status", "aa-enforce x"},
		},
		{
			ID: "guard-read", Cmd: "csrutil|spctl|auditctl|mokutil|fdesetup|manage-bde|systemextensionsctl|codesign|pkgutil|ausearch", Any: "status --status -l -s=status -status list --list-enrolled --sb-state -d -dv -v --verify --pkgs --pkg-info --files -a --assess isactive --display --check-signature", Not: "disable -D --master-disable -s --sign --force -f --forget --expand -off clear --remove-signature -e",
			Label: shell.Safe, Kind: "run", Category: shell.ProcRead, Reason: "asks how the guards of the system are",
			Match:   []string{"csrutil status", "spctl --status", "auditctl -l", "codesign -dv x.app", "fdesetup status", "pkgutil --pkgs"},
			NoMatch: []string{"csrutil disable", "auditctl -D", "codesign -s x y", "pkgutil --forget x"},
		},
		{
			ID: "quarantine", Cmd: "xattr", Any: "-d -c",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusMedium, Reason: "takes the mark off that makes the system check a download",
			Match:   []string{"xattr -d com.apple.quarantine x.app", "xattr -dr com.apple.quarantine /Applications/x.app", "xattr -c x.app", "xattr -cr x.app"},
			NoMatch: []string{"xattr -l x", "xattr x"},
		},
		{
			ID: "xattr-read", Cmd: "xattr", Any: "-l -p", Not: "-d -c -w",
			Label: shell.Safe, Kind: "read", Category: shell.FSRead, Reason: "lists the marks of a file",
			Match:   []string{"xattr -l x", "xattr -p com.apple.quarantine x"},
			NoMatch: []string{"xattr -d a x", "xattr -c x", "xattr -w a b c"},
		},
		{
			ID: "antivirus", Cmd: "falconctl|mdatp|sentinelctl|sophosctl|cbagent|osqueryctl|wazuh-control|ossec-control|freshclam|mpcmdrun|tripwire|aide|rkhunter|fail2ban-client|psad|suricatasc|falco|santactl|littlesnitch|jamf|profiles|crowdsec|cscli", Any: "stop unload disable uninstall -d remove delete disabled --value=disabled removeFramework -RemoveDefinitions unban shutdown removeMDMProfile reset flush -R --purge purge", Not: "status health stats list",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "switches a guard of the system off or takes its rules away",
			Match:   []string{"falconctl -d -f --aid", "mdatp config real-time-protection --value disabled", "sentinelctl unload", "fail2ban-client stop", "osqueryctl stop", "jamf removeFramework", "profiles remove -all", "wazuh-control stop", "falconctl unload", "cscli decisions delete --all"},
			NoMatch: []string{"mdatp health", "fail2ban-client status", "falconctl stats", "cscli decisions list", "profiles list"},
		},
		{
			ID: "antivirus-read", Cmd: "mdatp|fail2ban-client|clamscan|clamdscan|rkhunter|chkrootkit|lynis|aide|santactl|falconctl|cscli|jamf|profiles|trivy|grype|syft|snyk|osv-scanner|gitleaks|trufflehog|checkov|tfsec|kics|hadolint|dockle|kube-bench|kube-score|kubesec|polaris|detect-secrets|govulncheck|gosec|brakeman|bundler-audit|bundle-audit|retire|njsscan|horusec|terrascan|conftest|opa|osqueryi|yara", Not: "--remove --move stop unban set reload restart config delete clear ban add disable unload uninstall remove --update --propupd flush",
			Label: shell.Safe, Kind: "run", Category: shell.Scan, Reason: "looks for what is wrong",
			Match:   []string{"clamscan -r .", "gitleaks detect", "trivy image x", "govulncheck ./...", "fail2ban-client status", "snyk test", "opa test ."},
			NoMatch: []string{"clamscan --remove x", "fail2ban-client stop", "mdatp config real-time-protection --value disabled"},
		},
		{
			ID: "clam-remove", Cmd: "clamscan|clamdscan", Any: "--remove --move",
			Label: shell.Destructive, Kind: "delete", Category: shell.FSDelete, Radius: shell.RadiusHigh, Reason: "deletes or moves the files that it finds",
			Match:   []string{"clamscan --remove -r /", "clamscan --remove=yes x", "clamdscan --move=/q x"},
			NoMatch: []string{"clamscan -r .", "clamscan --remove=no x"},
		},
		{
			ID: "login-key", Cmd: "ssh-copy-id", Not: "-i -f",
			Label: shell.Safe, Kind: "modify", Category: shell.Privilege, Reason: "lets one's own key in on another machine",
			Match:   []string{"ssh-copy-id user@host", "ssh-copy-id -p 22 host"},
			NoMatch: []string{"ssh-keygen -l -f x", "ssh-copy-id -i /tmp/x.pub host"},
		},
		{
			ID: "login-key-own", Cmd: "ssh-copy-id", Any: "-i=*/.ssh/*.pub -i=~/.ssh/*",
			Label: shell.Safe, Kind: "modify", Category: shell.Privilege, Reason: "lets one's own key in on another machine",
			Match:   []string{"ssh-copy-id -i ~/.ssh/id_ed25519.pub host", "ssh-copy-id -i /home/u/.ssh/id_rsa.pub u@h"},
			NoMatch: []string{"ssh-copy-id -i /tmp/x.pub host"},
		},
		{
			ID: "login-key-other", Cmd: "ssh-copy-id", Any: "-i=*!*/.ssh/*",
			Label: shell.Unknown, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "lets a key in on another machine",
			Match:   []string{"ssh-copy-id -i /tmp/x.pub host", "ssh-copy-id -i key.pub host"},
			NoMatch: []string{"ssh-copy-id host", "ssh-copy-id -i /home/u/.ssh/id_rsa.pub u@h"},
		},
		{
			ID: "session-end", Cmd: "loginctl|gnome-session-quit|logout|quser|logoff|xfce4-session-logout|rwinsta", Any: "terminate-session terminate-user terminate-seat kill-session kill-user kill-machine --no-prompt --logout --force /server",
			Label: shell.Destructive, Kind: "kill", Category: shell.ProcSignal, Radius: shell.RadiusMedium, Reason: "ends sessions of users",
			Match:   []string{"loginctl terminate-user bob", "loginctl kill-session 3", "gnome-session-quit --no-prompt"},
			NoMatch: []string{"loginctl list-sessions", "loginctl"},
		},
		{
			ID: "hostname-set", Cmd: "hostnamectl|localectl|timedatectl|scutil|systemsetup|localedef|locale-gen|update-locale|dpkg-reconfigure", Any: "set-hostname hostname set-locale set-keymap set-x11-keymap --set -setremotelogin -f set-ntp set-timezone set-icon-name LANG=* LC_*",
			Label: shell.Unknown, Kind: "modify", Category: shell.Kernel, Radius: shell.RadiusMedium, Reason: "changes settings of the system",
			Match:   []string{"hostnamectl set-hostname x", "localectl set-locale LANG=C", "scutil --set HostName x"},
			NoMatch: []string{"hostnamectl", "localectl status", "scutil --dns"},
		},
		{
			ID: "defaults", Cmd: "defaults|gsettings|dconf|kwriteconfig5|kwriteconfig6|xfconf-query|reg|regedit|plutil|PlistBuddy|setx|assoc|ftype|plistbuddy", Any: "write set add load import update -w -replace -insert PATH rename -convert -setproperty Set Add",
			Label: shell.Unknown, Kind: "modify", Category: shell.Settings, Radius: shell.RadiusMedium, Reason: "changes settings of the desktop",
			Match:   []string{"defaults write com.apple.dock x y", "gsettings set a b c", "dconf write /a b", "setx PATH x"},
			NoMatch: []string{"defaults read", "gsettings get a b", "dconf dump /", "reg query HKLM"},
		},
		{
			ID: "defaults-delete", Cmd: "defaults|gsettings|dconf|reg|xfconf-query|plutil", Any: "delete reset reset-recursively -remove -r --reset restore",
			Label: shell.Destructive, Kind: "delete", Category: shell.Settings, Radius: shell.RadiusMedium, Reason: "deletes settings of the desktop",
			Match:   []string{"defaults delete com.apple.dock", "gsettings reset-recursively org.gnome", "dconf reset -f /", `reg delete HKLM\x /f`},
			NoMatch: []string{"defaults read", "gsettings list-schemas", "dconf dump /"},
		},
		{
			ID: "defaults-read", Cmd: "defaults|gsettings|dconf|reg|xfconf-query", Any: "read read-type domains find get list-schemas list-keys list-recursively dump list query -l export help range describe monitor", Not: "write delete reset set add import load",
			Label: shell.Safe, Kind: "read", Category: shell.Settings, Reason: "reads settings of the desktop",
			Match:   []string{"defaults read", "gsettings get a b", "dconf dump /", `reg query HKLM\x`},
			NoMatch: []string{"defaults write a b c", "dconf reset -f /"},
		},
		{
			ID: "user-shell-off", Cmd: "usermod|chsh|lusermod|pw|lchsh|dscl|homectl", Any: "*/nologin */false -s=*nologin -s=*false --shell=*nologin --shell=*false deactivate lock",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusHigh, Reason: "takes the shell of a user away, so that nobody can log in as them",
			Match:   []string{"usermod -s /usr/sbin/nologin u", "usermod --shell /bin/false deploy", "chsh -s /bin/false"},
			NoMatch: []string{"chsh -s /bin/zsh", "usermod -s /bin/bash u"},
		},
		{
			ID: "user-groups-gone", Cmd: "usermod", All: "-G|--groups", Not: "-a --append",
			Label: shell.Destructive, Kind: "modify", Category: shell.Privilege, Radius: shell.RadiusMedium, Reason: "takes a user out of all groups but the named ones",
			Match:   []string{"usermod -G '' u", "usermod -G users u"},
			NoMatch: []string{"usermod -aG users u", "usermod -a -G video u"},
		},
	},
}
