package packs

import "github.com/checkrein/checkrein/internal/shell"

// backupPack knows backup programs and snapshots. A backup that is gone cannot be
// got back from a backup.
var backupPack = shell.Pack{
	Name:  "backup",
	About: "backups and snapshots: what deletes or overwrites them",
	Rules: []shell.Rule{
		{
			ID: "restic-delete", Cmd: "restic|rustic forget|prune|key|rewrite|repair|migrate|unlock|merge", Not: "-n list add unlock",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups or makes them unreadable",
			Match:   []string{"restic forget --keep-last 1 --prune", "restic -r /repo prune", "restic key remove abc", "restic rewrite --exclude x --forget"},
			NoMatch: []string{"restic snapshots", "restic forget --dry-run --keep-last 1", "restic backup /home", "restic key list", "restic unlock"},
		},
		{
			ID: "restic-unlock", Cmd: "restic|rustic unlock|key|init|copy|tag|recover", Not: "list",
			Label: shell.Unknown, Kind: "modify", Category: "backup-change", Radius: shell.RadiusMedium, Reason: "takes the lock of a backup away or changes it",
			Match:   []string{"restic unlock", "restic unlock --remove-all", "restic key add"},
			NoMatch: []string{"restic snapshots", "restic key list"},
		},
		{
			ID: "restic-read", Cmd: "restic|rustic snapshots|ls|find|stats|diff|check|list|cat|dump|version|mount|backup|cache|self-update|generate|options|repoinfo|key", Not: "remove rm passwd --cleanup",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "makes or reads backups",
			Match:   []string{"restic snapshots", "restic backup /home", "restic check", "restic key list"},
			NoMatch: []string{"restic forget x", "restic prune", "restic restore latest --target /", "restic key remove x"},
		},
		{
			ID: "restore-over", Cmd: "restic|rustic|borg|duplicity|rdiff-backup|kopia|velero|borgmatic|tmutil|duplicacy|bup|tarsnap|burp|wal-g|pgbackrest|barman|xtrabackup|mariabackup|proxmox-backup-client|wal-e|amrecover|bconsole restore|extract|recover|snapshot|backup-fetch|delta", Not: "list ls create verify estimate",
			Label: shell.Unknown, Kind: "overwrite", Category: "backup-restore", Radius: shell.RadiusMedium, Reason: "writes a backup over what is there",
			Match:   []string{"restic restore latest --target /", "borg extract repo::a", "pgbackrest restore", "kopia restore k123 /data", "tmutil restore a b"},
			NoMatch: []string{"restic snapshots", "borg list", "kopia snapshot list"},
		},
		{
			ID: "borg-delete", Cmd: "borg|borg1|borg2|borgmatic delete|prune|compact|recreate|undelete|key|with-lock|break-lock|config|repo-delete|repo-compress|benchmark", Not: "-n export break-lock config with-lock benchmark --list-only",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups",
			Match:   []string{"borg delete repo::a", "borg prune --keep-daily 7 repo", "borg compact repo", "borg repo-delete"},
			NoMatch: []string{"borg list repo", "borg prune --dry-run repo", "borg delete -n repo::a", "borg key export x"},
		},
		{
			ID: "borg-lock", Cmd: "borg break-lock|config|with-lock|rename|change-passphrase|upgrade|key",
			Label: shell.Unknown, Kind: "modify", Category: "backup-change", Radius: shell.RadiusMedium, Reason: "changes a backup repository",
			Match:   []string{"borg break-lock repo", "borg rename repo::a b"},
			NoMatch: []string{"borg list repo", "borg delete x"},
		},
		{
			ID: "borg-read", Cmd: "borg|borgmatic list|info|check|diff|create|init|mount|umount|export-tar|serve|rlist|rinfo|repo-list|repo-info|repo-create|version|config-validate", Not: "--repair",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "makes or reads backups",
			Match:   []string{"borg list repo", "borg create repo::x /home", "borg info repo"},
			NoMatch: []string{"borg delete repo", "borg prune repo", "borg check --repair repo"},
		},
		{
			ID: "borg-repair", Cmd: "borg|restic|kopia check|repair|rebuild-index|maintenance|repository", Any: "--repair rebuild-index run repair",
			Label: shell.Unknown, Kind: "modify", Category: "backup-change", Radius: shell.RadiusMedium, Reason: "rewrites a backup repository",
			Match:   []string{"borg check --repair repo", "restic rebuild-index", "kopia maintenance run"},
			NoMatch: []string{"borg check repo", "restic check", "kopia repository status"},
		},
		{
			ID: "duplicity-remove", Cmd: "duplicity|deja-dup remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup|delete",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups",
			Match:   []string{"duplicity remove-older-than 6M --force file:///b", "duplicity remove-all-but-n-full 1 file:///b", "duplicity cleanup --force file:///b"},
			NoMatch: []string{"duplicity collection-status file:///b", "duplicity verify x y"},
		},
		{
			ID: "duplicity-read", Cmd: "duplicity collection-status|list-current-files|verify|full|incremental|backup|inc",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "makes or reads backups",
			Match:   []string{"duplicity collection-status file:///b", "duplicity full /home file:///b"},
			NoMatch: []string{"duplicity cleanup x", "duplicity restore x y"},
		},
		{
			ID: "rdiff-remove", Cmd: "rdiff-backup|rsnapshot|bup|tarsnap|burp|duplicacy|kopia|attic|zbackup|backup2l|storebackupdel.pl|backy|arq|rdedup|hdup|dar|proxmox-backup-client|proxmox-backup-manager|wal-g|pgbackrest|barman|wal-e|pg_probackup|mydumper|vzdump|amrmtape|amadmin|b2|bconsole|veeamconfig|nbdelete|dsmadmc|dsmc|velero|ark|stash|k10ctl|longhornctl", Any: "--remove-older-than --remove-increments delete prune expire remove forget purge -d --nuke rm stanza-delete expire-snapshots cron-delete delete-backup", Not: "-dry-run --dry-run --list -n",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups",
			Match:   []string{"rdiff-backup --remove-older-than 1Y /b", "tarsnap -d -f x", "kopia snapshot delete k1 --delete", "duplicacy prune -all", "wal-g delete everything FORCE", "pgbackrest expire", "barman delete main latest", "proxmox-backup-client forget x", "velero backup delete b1 --confirm", "dsmc delete backup x", "bup rm x", "veeamconfig backup delete --id x", "rdiff-backup remove increments --older-than 1Y /b"},
			NoMatch: []string{"tarsnap --list-archives", "kopia snapshot list", "velero backup get", "wal-g backup-list", "pgbackrest info", "kopia snapshot create /x", "duplicacy prune -dry-run"},
		},
		{
			ID: "backup-run", Cmd: "rdiff-backup|rsnapshot|bup|tarsnap|burp|duplicacy|kopia|wal-g|pgbackrest|barman|wal-e|proxmox-backup-client|velero|borgbackup|timeshift|snapper|dsmc|veeamconfig|autorestic|resticprofile", Any: "list ls info status backup backup-list backup-push create get show describe logs --list --list-archives snapshot check verify version daily hourly weekly monthly --check --create init diff -c policy snapshots index save q query backups --print-stats -t configtest", Not: "delete prune expire remove forget purge -d rm restore recover --delete --delete-all --restore --remove-older-than rollback undochange stanza-delete disconnect set cleanup --nuke -x",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "makes or reads backups",
			Match:   []string{"tarsnap --list-archives", "kopia snapshot create /home", "velero backup get", "wal-g backup-list", "pgbackrest info", "rsnapshot daily", "timeshift --list", "snapper list", "velero backup create b1"},
			NoMatch: []string{"kopia snapshot delete x", "velero backup delete x", "timeshift --delete", "snapper delete 1-10", "velero restore create --from-backup x"},
		},
		{
			ID: "snapper-delete", Cmd: "snapper|timeshift|btrbk|sanoid|zfs-prune-snapshots|zfsnap|zfs-auto-snapshot|snapraid|yabsnap", Any: "delete rm remove cleanup rollback undochange --delete --delete-all --restore clean prune --prune-snapshots --force-prune destroy fix", Not: "-n",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes snapshots or goes back to one",
			Match:   []string{"snapper delete 1-10", "snapper rollback 5", "timeshift --delete-all", "timeshift --restore", "btrbk clean", "sanoid --prune-snapshots", "snapper undochange 1..0"},
			NoMatch: []string{"snapper list", "timeshift --list", "btrbk list", "sanoid --monitor-snapshots"},
		},
		{
			ID: "rclone-delete", Cmd: "rclone purge|delete|deletefile|cleanup|rmdir|rmdirs|dedupe|sync|move|moveto|bisync|settier|backend", Not: "-n -i --interactive backend",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes files in remote storage, or makes them the same as here",
			Match:   []string{"rclone purge remote:b", "rclone delete remote:b", "rclone sync . remote:b", "rclone dedupe remote:", "rclone cleanup remote:"},
			NoMatch: []string{"rclone ls remote:", "rclone sync --dry-run a b", "rclone copy a remote:b", "rclone purge -n remote:b"},
		},
		{
			ID: "rclone-config", Cmd: "rclone config|obscure|rcd|rc|serve|mount|authorize|backend|copy|copyto|copyurl|rcat|link|touch|mkdir|gendocs", Not: "show dump file paths providers userinfo",
			Label: shell.Unknown, Kind: "modify", Category: "backup-change", Radius: shell.RadiusMedium, Reason: "copies to or from remote storage, or changes it",
			Match:   []string{"rclone copy a remote:b", "rclone config create x s3", "rclone serve http ."},
			NoMatch: []string{"rclone ls remote:", "rclone version"},
		},
		{
			ID: "rclone-config-delete", Cmd: "rclone config delete|password|disconnect|reconnect|update|edit|create", Not: "create edit update password reconnect",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusMedium, Reason: "changes or deletes how remote storage is reached",
			Match:   []string{"rclone config delete remote", "rclone config disconnect remote:"},
			NoMatch: []string{"rclone config show", "rclone ls x"},
		},
		{
			ID: "rclone-read", Cmd: "rclone ls|lsd|lsl|lsf|lsjson|size|check|cryptcheck|md5sum|sha1sum|hashsum|about|version|listremotes|tree|cat|ncdu|help|test|checksum|completion|cryptdecode|hashsum|config", Not: "create delete edit update password reconnect disconnect encryption",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "lists remote storage",
			Match:   []string{"rclone ls remote:", "rclone size remote:b", "rclone config paths", "rclone listremotes"},
			NoMatch: []string{"rclone delete remote:", "rclone config create x", "rclone config delete x"},
		},
		{
			ID: "tmutil-delete", Cmd: "tmutil delete|deletelocalsnapshots|thinlocalsnapshots|disable|disablelocal|removedestination|deleteinprogress|stopbackup|inheritbackup|associatedisk|addexclusion",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups or stops them",
			Match:   []string{"tmutil delete /Volumes/b/x", "tmutil deletelocalsnapshots /", "tmutil disable"},
			NoMatch: []string{"tmutil listbackups", "tmutil status"},
		},
		{
			ID: "tmutil-read", Cmd: "tmutil listbackups|status|latestbackup|destinationinfo|listlocalsnapshots|listlocalsnapshotdates|machinedirectory|isexcluded|compare|calculatedrift|uniquesize|startbackup|snapshot|localsnapshot|enable|verifychecksums|version",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "makes or reads backups",
			Match:   []string{"tmutil listbackups", "tmutil status"},
			NoMatch: []string{"tmutil delete x"},
		},
		{
			ID: "zfs-destroy", Cmd: "zfs destroy|rollback|receive|recv|promote|inherit|unload-key|change-key|upgrade", Not: "-n inherit promote upgrade load-key",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes or overwrites a file system or its snapshots",
			Match:   []string{"zfs destroy -r tank/data", "zfs destroy tank@snap", "zfs rollback -r tank@a", "zfs receive -F tank/x"},
			NoMatch: []string{"zfs list", "zfs destroy -n tank@a", "zfs destroy -nv tank@a", "zfs snapshot tank@a"},
		},
		{
			ID: "zfs-show", Cmd: "zfs destroy|receive|recv|rollback", Any: "-n",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "shows what it would do",
			Match:   []string{"zfs destroy -n tank@a", "zfs destroy -nv tank@a"},
			NoMatch: []string{"zfs destroy tank@a"},
		},
		{
			ID: "zfs-change", Cmd: "zfs set|rename|inherit|promote|upgrade|mount|unmount|umount|share|unshare|load-key|allow|unallow|clone|create|hold|release|send|redact|program|bookmark",
			Label: shell.Unknown, Kind: "modify", Category: "backup-change", Radius: shell.RadiusMedium, Reason: "changes a file system",
			Match:   []string{"zfs set compression=on tank", "zfs create tank/x", "zfs rename a b"},
			NoMatch: []string{"zfs list", "zfs get all tank"},
		},
		{
			ID: "zfs-read", Cmd: "zfs|zpool list|get|status|history|diff|version|iostat|holds|snapshot|snap|userspace|groupspace|projectspace|events|wait|scrub|sync",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "reads file systems or makes a snapshot",
			Match:   []string{"zfs list -t snapshot", "zpool status", "zfs snapshot tank@a"},
			NoMatch: []string{"zfs destroy x", "zpool destroy tank"},
		},
		{
			ID: "zpool-destroy", Cmd: "zpool destroy|labelclear|remove|detach|offline|export|split|clear|create|replace|checkpoint|reguid|add|attach|initialize|trim|upgrade|set|online|reopen", Not: "-n",
			Label: shell.Destructive, Kind: "delete", Category: "block-device", Radius: shell.RadiusHigh, Reason: "destroys or changes a pool of disks",
			Match:   []string{"zpool destroy tank", "zpool labelclear -f /dev/sda", "zpool create -f tank /dev/sdb"},
			NoMatch: []string{"zpool list", "zpool status"},
		},
		{
			ID: "btrfs-delete", Cmd: "btrfs|btrfs-progs subvolume|sub|su|device|dev|filesystem|balance|check|rescue|quota|qgroup|replace|property|restore|snapshot delete|del|remove|rem|resize|start|destroy|--repair|rm|zero-log|chunk-recover|super-recover",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes snapshots or devices of a file system",
			Match:   []string{"btrfs subvolume delete /mnt/snap", "btrfs sub del x", "btrfs device remove /dev/sdb /mnt"},
			NoMatch: []string{"btrfs subvolume list /", "btrfs filesystem show", "btrfs subvolume snapshot a b"},
		},
		{
			ID: "btrfs-repair", Cmd: "btrfs check", Any: "--repair --init-csum-tree --init-extent-tree --clear-space-cache",
			Label: shell.Destructive, Kind: "modify", Category: "block-device", Radius: shell.RadiusHigh, Reason: "rewrites a file system",
			Match:   []string{"btrfs check --repair /dev/sda1", "btrfs check --init-extent-tree /dev/sda1"},
			NoMatch: []string{"btrfs check /dev/sda1"},
		},
		{
			ID: "btrfs-read", Cmd: "btrfs subvolume|sub|su|filesystem|fi|device|dev|scrub|inspect-internal|qgroup|balance|property|check|send|quota list|show|df|usage|status|stats|get-default|du|snapshot|create|get|scan|ready|dump-tree|dump-super|rootid|inode-resolve|find-new|sync",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "reads a file system or makes a snapshot",
			Match:   []string{"btrfs subvolume list /", "btrfs filesystem usage /", "btrfs subvolume snapshot / /s"},
			NoMatch: []string{"btrfs subvolume delete x"},
		},
		{
			ID: "lvm-remove", Cmd: "lvremove|vgremove|pvremove|lvreduce|vgreduce|lvresize|lvconvert|vgcfgrestore|pvmove|vgsplit|vgmerge|thin_repair|dmsetup|pvchange|vgexport", Not: "-t --test ls info status table version deps targets splitname mknodes",
			Label: shell.Destructive, Kind: "delete", Category: "block-device", Radius: shell.RadiusHigh, Reason: "removes or shrinks a volume with its data",
			Match:   []string{"lvremove -f vg0/data", "vgremove vg0", "pvremove /dev/sdb", "lvreduce -L 1G vg/lv", "dmsetup remove_all"},
			NoMatch: []string{"lvs", "lvremove --test vg/x", "dmsetup ls", "lvremove -t vg/x"},
		},
		{
			ID: "lvm-read", Cmd: "lvs|vgs|pvs|lvdisplay|vgdisplay|pvdisplay|lvscan|vgscan|pvscan|lvmdiskscan|vgcfgbackup|pvck", Not: "--repair --dump",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "lists volumes",
			Match:   []string{"lvs", "vgdisplay vg0", "pvs -a"},
			NoMatch: []string{"lvremove x"},
		},
		{
			ID: "lvm-change", Cmd: "lvcreate|vgcreate|pvcreate|lvextend|vgextend|pvresize|lvrename|vgrename|lvchange|vgchange|vgimport|vgimportclone",
			Label: shell.Unknown, Kind: "modify", Category: "block-device", Radius: shell.RadiusMedium, Reason: "makes or changes volumes",
			Match:   []string{"lvcreate -L 1G -n x vg0", "vgextend vg0 /dev/sdb"},
			NoMatch: []string{"lvs", "lvremove x"},
		},
		{
			ID: "pvcreate", Cmd: "pvcreate", Not: "-t --test",
			Label: shell.Destructive, Kind: "overwrite", Category: "block-device", Radius: shell.RadiusHigh, Reason: "takes a whole disk for volumes",
			Match:   []string{"pvcreate /dev/sdb", "pvcreate -ff -y /dev/sdb"},
			NoMatch: []string{"pvs", "pvcreate -t /dev/sdb"},
		},
		{
			ID: "shadow-delete", Cmd: "vssadmin delete|resize",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes the shadow copies of Windows",
			Match:   []string{"vssadmin delete shadows /all /quiet", "vssadmin resize shadowstorage /for=c: /maxsize=401MB"},
			NoMatch: []string{"vssadmin list shadows"},
		},
		{
			ID: "shadow-delete-case", Cmd: "vssadmin Delete|DELETE|Resize|RESIZE",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes the shadow copies of Windows",
			Match:   []string{"vssadmin Delete Shadows /All", "vssadmin Resize ShadowStorage"},
			NoMatch: []string{"vssadmin list shadows"},
		},
		{
			ID: "shadow-wmic", Cmd: "wmic|diskshadow|wbadmin|ntdsutil", Any: "delete Delete DELETE /nointeractive resize disable",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups of Windows",
			Match:   []string{"wbadmin delete catalog -quiet", "wmic shadowcopy delete", "wbadmin delete systemstatebackup -keepVersions:0", "diskshadow delete shadows all"},
			NoMatch: []string{"wbadmin get versions", "wmic shadowcopy list", "wbadmin start backup"},
		},
		{
			ID: "shadow-read", Cmd: "vssadmin|wbadmin list|get|List|Get",
			Label: shell.Safe, Kind: "read", Category: "backup-read", Reason: "lists backups of Windows",
			Match:   []string{"vssadmin list shadows", "wbadmin get versions"},
			NoMatch: []string{"vssadmin delete shadows"},
		},
		{
			ID: "velero-delete", Cmd: "velero backup|restore|schedule|backup-location|snapshot-location|repo|uninstall|delete delete|backup|restore|schedule|backup-location|snapshot-location", Any: "delete",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes backups of a cluster",
			Match:   []string{"velero backup delete b1 --confirm", "velero delete backup b1", "velero schedule delete s1"},
			NoMatch: []string{"velero backup get", "velero backup describe b1", "velero backup logs b1"},
		},
		{
			ID: "velero-uninstall", Cmd: "velero uninstall|install|restore", Not: "get describe logs delete",
			Label: shell.Unknown, Kind: "modify", Category: "backup-change", Radius: shell.RadiusHigh, Reason: "changes the backups of a cluster",
			Match:   []string{"velero uninstall", "velero restore create --from-backup b1"},
			NoMatch: []string{"velero backup get", "velero restore get", "velero restore logs r"},
		},
	},
}
