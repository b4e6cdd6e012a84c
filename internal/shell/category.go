package shell

// A Category is the kind of an effect: a row of the table that packs, safer_shell, security_guard,
// rules about effects and the documentation share.
type Category uint8

// A Row describes a category, whichever program has the effect.
type Row struct {
	Name   string // as users write it: fs-delete
	Pack   Pack   // the pack that decides about it; NoPack = the pack named Own
	Label  Label  // the usual label
	Impact Impact // the usual impact, as cards show it
	Policy Policy // the pack's decision unless the user sets another
	Gap    Gap    // the gap of an unknown effect of this category
	Reads  bool   // effects of kind "read" change nothing
	Saved  bool   // the paths of its effects can be saved first; see [Effect.ToSave]
	Target Target // how the impact may be low because the target is of this machine and named as one for tests
	Walls  Walls  // whether its effects are possible behind walls
	Doc    string // one line
	Own    string // the name of a pack that the user wrote
}

// PackName returns the name of the pack that decides about the category.
func (r *Row) PackName() string {
	if r.Pack == NoPack {
		return r.Own
	}
	return r.Pack.String()
}

// A Target is what can show that a loss is only of something for tests.
type Target uint8

const (
	NoTarget    Target = iota // nothing
	LocalTarget               // the words of the call, or the container that it runs in
	NamedTarget               // the words of the call, since it reaches other machines from any container
)

// Walls is how effects of a category are related to walls.
type Walls uint8

const (
	OutsideWalls Walls = iota // they may need what walls do not permit
	InsideWalls               // they are possible behind walls without a network, where the paths may be written
	OnlineWalls               // they are possible behind walls with a network
	ProjectCode               // the same, and they run code of the project
)

// A Policy is the default decision about effects of a category.
type Policy uint8

// The policies.
const (
	// ByImpact denies exfiltration, and destruction with a high impact. It asks about destruction with
	// a medium or unknown impact, and about effects with a high impact if it is unknown whether
	// something is lost.
	ByImpact Policy = iota
	Pass            // makes no decision, although something may be lost, because it is everyday work
	AskFor          // asks a person, whatever the impact, but still denies what ByImpact denies
	Refuse          // denies
)

// String returns the policy as documentation and JSON have it.
func (p Policy) String() string {
	return [...]string{"by radius", "no opinion", "ask", "deny"}[p]
}

// Row returns the row of the category. Callers must not change it.
func (c Category) Row() *Row { return &rows[c] }

// String returns the name of the category, or "" for NoCategory.
func (c Category) String() string { return rows[c].Name }

// EachCategory calls fn with each category, in the order of the table.
func EachCategory(fn func(Category, *Row)) {
	for i := 1; i < len(rows); i++ {
		fn(Category(i), &rows[i])
	}
}

// CategoryNamed returns the category with this name, or NoCategory and false if there is none.
func CategoryNamed(name string) (Category, bool) {
	for i := 1; i < len(rows); i++ {
		if rows[i].Name == name {
			return Category(i), true
		}
	}
	return NoCategory, false
}

// The categories.
const (
	NoCategory Category = iota
	FSDelete
	FSSecureDelete
	FSOverwrite
	FSModify
	FSLink
	FSMount
	FSWrite

	FSPermissions

	BlockDevice

	GitHistory
	GitPushBranch
	GitBranchDelete
	GitDiscard
	GitRestoreFile
	GitStashDrop
	GitPush
	GitConfig
	GitSwitch
	GitWrite
	GitElsewhere
	GitRead

	DKContainerDel
	DKVolumeDel
	DKImageDel
	DKNetworkDel
	DKMultiDel
	DKPrune
	DKBuildCache
	DKCompose
	DKContext
	DKPlugin
	DKRuntime
	DKBindMount
	DKPush
	DKRun
	DKWrite
	DKRead
	VMDelete
	VMRun
	VMRead

	K8sDelete
	K8sDisrupt
	K8sConfig
	K8sWrite
	K8sExec
	K8sDev
	K8sRead

	CloudDelete
	CloudDNS
	CloudWrite
	CloudRun
	CloudRead
	Deploy
	HTTPDelete
	HTTPWrite

	IaCDestroy
	IaCState
	IaCApply
	IaCRead

	SQLDrop
	SQLTruncate
	SQLDelete
	SQLUpdate
	SQLAlter
	SQLWrite
	SQLRead
	KVFlush
	KVConfig
	KVWrite
	KVRead
	AppReset
	AppMigrate
	AppStep

	PkgRemove
	PkgPublish
	PkgInstall
	PkgElsewhere
	PkgProject
	PkgConfig
	PkgCache
	PkgRead

	SvcStop
	SvcPower
	SvcCron
	SvcRestart
	SvcStart
	ProcBomb
	ProcSignal
	ProcModify
	NetDown
	NetFirewall
	NetGear
	NetChange
	Kernel
	LogDelete
	LogRotate

	MsgDelete
	MsgChange
	MsgSend
	MsgRead

	BackupDelete
	BackupChange
	BackupRestore
	BackupRead

	ForgeDelete
	ForgeAccess
	ForgeChange
	ForgeRead
	GHRead
	CIDelete
	CIChange
	CIRead

	SecretDelete
	SecretRead
	SecretFileRead
	SecretUse
	SecretChange
	SecretList

	Privilege
	AccountDelete
	GuardOff
	Settings
	RegDelete
	RegModify

	ExfilSecret
	ExfilFile
	ExfilInfo
	ExfilDNS
	RemoteShell
	Tunnel
	NetTunnel
	NetWrite

	RemoteCode
	RemoteScriptKnown
	RemoteScriptPlain
	DeleteByName
	RunCode
	Opaque
	TooMuch
	Unread
	UnknownOption
	Run

	RunScript
	Build
	Test
	Lint
	Edit
	Media
	Tool
	Toolchain
	CryptoWrite
	GoRead

	FSRead
	TextRead
	ProcRead
	NetRead
	CryptoRead
	Scan
	IO
	Help
	DryRun
)

// rows is the table of categories. Every category must have a row.
var rows = [...]Row{
	FSDelete:       {Name: "fs-delete", Pack: PackFilesystem, Label: Destructive, Impact: ImpactMedium, Saved: true, Walls: InsideWalls, Doc: "deletes files or directories"},
	FSSecureDelete: {Name: "fs-secure-delete", Pack: PackFilesystem, Label: Destructive, Impact: ImpactHigh, Doc: "wipes files beyond recovery"},
	FSOverwrite:    {Name: "fs-overwrite", Pack: PackFilesystem, Label: Destructive, Impact: ImpactMedium, Saved: true, Walls: InsideWalls, Doc: "empties or replaces files"},
	FSModify:       {Name: "fs-modify", Pack: PackFilesystem, Label: Destructive, Impact: ImpactMedium, Saved: true, Walls: InsideWalls, Doc: "changes, moves or replaces files"},
	FSLink:         {Name: "fs-link", Pack: PackFilesystem, Label: Destructive, Impact: ImpactMedium, Walls: InsideWalls, Doc: "creates a link through which a file can be changed"},
	FSMount:        {Name: "fs-mount", Pack: PackFilesystem, Label: Unknown, Impact: ImpactMedium, Doc: "mounts a file system"},
	FSWrite:        {Name: "fs-write", Pack: PackFilesystem, Label: Safe, Impact: ImpactLow, Saved: true, Walls: InsideWalls, Doc: "creates files"},

	FSPermissions: {Name: "fs-permissions", Pack: PackPermissions, Label: Destructive, Impact: ImpactMedium, Saved: true, Walls: InsideWalls, Doc: "changes the permissions or owner of files"},

	BlockDevice: {Name: "block-device", Pack: PackDisk, Label: Destructive, Impact: ImpactHigh, Doc: "overwrites or deletes disks, partitions or volumes"},

	GitHistory:      {Name: "git-history", Pack: PackGit, Label: Destructive, Impact: ImpactMedium, Doc: "rewrites or deletes commits, branches or tags, here or on the remote"},
	GitPushBranch:   {Name: "git-push-branch", Pack: PackGit, Label: Destructive, Impact: ImpactMedium, Policy: Pass, Doc: "overwrites or deletes one remote branch that others do not build on"},
	GitBranchDelete: {Name: "git-branch-delete", Pack: PackGit, Label: Destructive, Impact: ImpactMedium, Policy: Pass, Walls: InsideWalls, Doc: "deletes named local branches; the reflog keeps their commits"},
	GitDiscard:      {Name: "git-discard", Pack: PackGit, Label: Destructive, Impact: ImpactMedium, Walls: InsideWalls, Doc: "discards uncommitted work"},
	GitRestoreFile:  {Name: "git-restore-file", Pack: PackGit, Label: Destructive, Impact: ImpactMedium, Policy: Pass, Walls: InsideWalls, Doc: "discards changes to individually named files"},
	GitStashDrop:    {Name: "git-stash-drop", Pack: PackGit, Label: Destructive, Impact: ImpactMedium, Policy: Pass, Walls: InsideWalls, Doc: "drops one stash"},
	GitPush:         {Name: "git-push", Pack: PackGit, Label: Unknown, Impact: ImpactMedium, Doc: "publishes commits"},
	GitConfig:       {Name: "git-config", Pack: PackGit, Label: Unknown, Impact: ImpactLow, Doc: "changes Git settings"},
	GitSwitch:       {Name: "git-switch", Pack: PackGit, Label: Safe, Impact: ImpactLow, Walls: InsideWalls, Doc: "switches to another branch"},
	GitWrite:        {Name: "git-write", Pack: PackGit, Label: Safe, Impact: ImpactLow, Walls: InsideWalls, Doc: "commits or stages work in the repository"},
	GitElsewhere:    {Name: "git-elsewhere", Pack: PackGit, Label: Safe, Impact: ImpactLow, Doc: "reaches other repositories, or changes settings and working trees outside this one"},
	GitRead:         {Name: "git-read", Pack: PackGit, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "reads the repository"},

	DKContainerDel: {Name: "dk-container-del", Pack: PackContainers, Label: Destructive, Impact: ImpactMedium, Target: LocalTarget, Doc: "removes containers and the data in them"},
	DKVolumeDel:    {Name: "dk-volume-del", Pack: PackContainers, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "deletes volumes"},
	DKImageDel:     {Name: "dk-image-del", Pack: PackContainers, Label: Destructive, Impact: ImpactLow, Doc: "removes images"},
	DKNetworkDel:   {Name: "dk-network-del", Pack: PackContainers, Label: Destructive, Impact: ImpactLow, Target: LocalTarget, Doc: "removes networks"},
	DKMultiDel:     {Name: "dk-multi-del", Pack: PackContainers, Label: Destructive, Impact: ImpactMedium, Doc: "removes containers, images, volumes or networks in one command"},
	DKPrune:        {Name: "dk-prune", Pack: PackContainers, Label: Destructive, Impact: ImpactHigh, Doc: "removes everything unused"},
	DKBuildCache:   {Name: "dk-build-cache", Pack: PackContainers, Label: Destructive, Impact: ImpactLow, Doc: "removes the build cache"},
	DKCompose:      {Name: "dk-compose", Pack: PackContainers, Label: Destructive, Impact: ImpactMedium, Target: LocalTarget, Doc: "stops and removes a Compose project"},
	DKContext:      {Name: "dk-context", Pack: PackContainers, Label: Destructive, Impact: ImpactMedium, Doc: "removes Docker contexts or builders"},
	DKPlugin:       {Name: "dk-plugin", Pack: PackContainers, Label: Destructive, Impact: ImpactMedium, Doc: "removes or changes Docker plugins"},
	DKRuntime:      {Name: "dk-runtime", Pack: PackContainers, Label: Destructive, Impact: ImpactMedium, Doc: "stops or resets the container runtime"},
	DKBindMount:    {Name: "dk-bind-mount", Pack: PackContainers, Label: Destructive, Impact: ImpactHigh, Doc: "gives a container write access to the host's files"},
	DKPush:         {Name: "dk-push", Pack: PackContainers, Label: Unknown, Impact: ImpactMedium, Doc: "publishes images"},
	DKRun:          {Name: "dk-run", Pack: PackContainers, Label: Safe, Impact: ImpactLow, Doc: "runs containers"},
	DKWrite:        {Name: "dk-write", Pack: PackContainers, Label: Safe, Impact: ImpactLow, Doc: "creates or changes containers"},
	DKRead:         {Name: "dk-read", Pack: PackContainers, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from the container runtime"},
	VMDelete:       {Name: "vm-delete", Pack: PackContainers, Label: Destructive, Impact: ImpactHigh, Doc: "deletes virtual machines"},
	VMRun:          {Name: "vm-run", Pack: PackContainers, Label: Safe, Impact: ImpactLow, Doc: "runs virtual machines"},
	VMRead:         {Name: "vm-read", Pack: PackContainers, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "shows information about virtual machines"},

	K8sDelete:  {Name: "k8s-delete", Pack: PackKubernetes, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "deletes cluster resources"},
	K8sDisrupt: {Name: "k8s-disrupt", Pack: PackKubernetes, Label: Destructive, Impact: ImpactMedium, Target: LocalTarget, Doc: "drains, scales down or restarts cluster workloads"},
	K8sConfig:  {Name: "k8s-config", Pack: PackKubernetes, Label: Destructive, Impact: ImpactMedium, Doc: "changes which cluster and user kubectl uses"},
	K8sWrite:   {Name: "k8s-write", Pack: PackKubernetes, Label: Unknown, Impact: ImpactMedium, Doc: "changes cluster resources"},
	K8sExec:    {Name: "k8s-exec", Pack: PackKubernetes, Label: Unknown, Impact: ImpactMedium, Doc: "runs commands in a pod or copies files into it"},
	K8sDev:     {Name: "k8s-dev", Pack: PackKubernetes, Label: Safe, Impact: ImpactLow, Doc: "runs a development cluster"},
	K8sRead:    {Name: "k8s-read", Pack: PackKubernetes, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from a cluster"},

	CloudDelete: {Name: "cloud-delete", Pack: PackCloud, Label: Destructive, Impact: ImpactHigh, Target: NamedTarget, Doc: "deletes resources or data at a cloud provider"},
	CloudDNS:    {Name: "cloud-dns", Pack: PackCloud, Label: Destructive, Impact: ImpactHigh, Doc: "changes DNS records"},
	CloudWrite:  {Name: "cloud-write", Pack: PackCloud, Label: Unknown, Impact: ImpactMedium, Doc: "changes resources at a cloud provider"},
	CloudRun:    {Name: "cloud-run", Pack: PackCloud, Label: Unknown, Impact: ImpactHigh, Doc: "runs commands on cloud machines"},
	CloudRead:   {Name: "cloud-read", Pack: PackCloud, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from a cloud provider"},
	Deploy:      {Name: "deploy", Pack: PackCloud, Label: Unknown, Impact: ImpactMedium, Doc: "deploys"},
	HTTPDelete:  {Name: "http-delete", Pack: PackCloud, Label: Destructive, Impact: ImpactMedium, Target: NamedTarget, Doc: "makes a web service delete something"},
	HTTPWrite:   {Name: "http-write", Pack: PackCloud, Label: Unknown, Impact: ImpactMedium, Doc: "may change data on a web service"},

	IaCDestroy: {Name: "iac-destroy", Pack: PackInfrastructure, Label: Destructive, Impact: ImpactHigh, Doc: "destroys infrastructure managed as code"},
	IaCState:   {Name: "iac-state", Pack: PackInfrastructure, Label: Destructive, Impact: ImpactHigh, Doc: "changes or deletes infrastructure state"},
	IaCApply:   {Name: "iac-apply", Pack: PackInfrastructure, Label: Unknown, Impact: ImpactHigh, Doc: "changes infrastructure"},
	IaCRead:    {Name: "iac-read", Pack: PackInfrastructure, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "shows or plans infrastructure changes"},

	SQLDrop:     {Name: "sql-drop", Pack: PackDatabases, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "drops databases, tables or parts of them"},
	SQLTruncate: {Name: "sql-truncate", Pack: PackDatabases, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "empties tables"},
	SQLDelete:   {Name: "sql-delete", Pack: PackDatabases, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "deletes rows or documents"},
	SQLUpdate:   {Name: "sql-update", Pack: PackDatabases, Label: Destructive, Impact: ImpactMedium, Target: LocalTarget, Doc: "updates every row of a table"},
	SQLAlter:    {Name: "sql-alter", Pack: PackDatabases, Label: Unknown, Impact: ImpactMedium, Doc: "changes a table's structure"},
	SQLWrite:    {Name: "sql-write", Pack: PackDatabases, Label: Unknown, Impact: ImpactMedium, Doc: "changes rows or runs unknown SQL statements"},
	SQLRead:     {Name: "sql-read", Pack: PackDatabases, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads a database"},
	KVFlush:     {Name: "kv-flush", Pack: PackDatabases, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "empties a key-value store or deletes its keys"},
	KVConfig:    {Name: "kv-config", Pack: PackDatabases, Label: Destructive, Impact: ImpactHigh, Doc: "changes a key-value store's settings"},
	KVWrite:     {Name: "kv-write", Pack: PackDatabases, Label: Unknown, Impact: ImpactMedium, Doc: "writes to a key-value store"},
	KVRead:      {Name: "kv-read", Pack: PackDatabases, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from a key-value store"},
	AppReset:    {Name: "app-reset", Pack: PackDatabases, Label: Destructive, Impact: ImpactHigh, Target: LocalTarget, Doc: "resets an application's data"},
	AppMigrate:  {Name: "app-migrate", Pack: PackDatabases, Label: Unknown, Impact: ImpactMedium, Doc: "migrates an application's data"},
	AppStep:     {Name: "app-step", Pack: PackDatabases, Label: Safe, Impact: ImpactLow, Doc: "runs an application framework's command"},

	PkgRemove:    {Name: "pkg-remove", Pack: PackPackages, Label: Destructive, Impact: ImpactMedium, Doc: "removes packages"},
	PkgPublish:   {Name: "pkg-publish", Pack: PackPackages, Label: Destructive, Impact: ImpactHigh, Policy: AskFor, Doc: "publishes or unpublishes packages"},
	PkgInstall:   {Name: "pkg-install", Pack: PackPackages, Label: Unknown, Impact: ImpactMedium, Doc: "installs packages"},
	PkgProject:   {Name: "pkg-project", Pack: PackPackages, Label: Unknown, Impact: ImpactMedium, Walls: OnlineWalls, Doc: "installs packages into the project"},
	PkgElsewhere: {Name: "pkg-elsewhere", Pack: PackPackages, Label: Unknown, Impact: ImpactMedium, Walls: OnlineWalls, Doc: "installs or runs a package from outside the usual registry"},
	PkgConfig:    {Name: "pkg-config", Pack: PackPackages, Label: Unknown, Impact: ImpactMedium, Doc: "changes where packages come from"},
	PkgCache:     {Name: "pkg-cache", Pack: PackPackages, Label: Safe, Impact: ImpactLow, Doc: "clears a package cache"},
	PkgRead:      {Name: "pkg-read", Pack: PackPackages, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "shows information about packages"},

	SvcStop:     {Name: "svc-stop", Pack: PackServices, Label: Destructive, Impact: ImpactMedium, Doc: "stops or disables services"},
	SvcPower:    {Name: "svc-power", Pack: PackServices, Label: Destructive, Impact: ImpactHigh, Doc: "shuts down or restarts the machine"},
	SvcCron:     {Name: "svc-cron", Pack: PackServices, Label: Destructive, Impact: ImpactMedium, Policy: AskFor, Doc: "removes or changes scheduled jobs"},
	SvcRestart:  {Name: "svc-restart", Pack: PackServices, Label: Unknown, Impact: ImpactMedium, Doc: "restarts services"},
	SvcStart:    {Name: "svc-start", Pack: PackServices, Label: Safe, Impact: ImpactLow, Doc: "starts services"},
	ProcBomb:    {Name: "proc-bomb", Pack: PackServices, Label: Destructive, Impact: ImpactHigh, Doc: "starts processes endlessly until the machine hangs"},
	ProcSignal:  {Name: "proc-signal", Pack: PackServices, Label: Destructive, Impact: ImpactMedium, Doc: "ends processes"},
	ProcModify:  {Name: "proc-modify", Pack: PackServices, Label: Unknown, Impact: ImpactLow, Doc: "changes process priorities or limits"},
	NetDown:     {Name: "net-down", Pack: PackServices, Label: Destructive, Impact: ImpactHigh, Doc: "takes the network down"},
	NetFirewall: {Name: "net-firewall", Pack: PackServices, Label: Destructive, Impact: ImpactHigh, Policy: AskFor, Doc: "changes firewall rules"},
	NetGear:     {Name: "net-gear", Pack: PackServices, Label: Destructive, Impact: ImpactHigh, Doc: "changes a network device"},
	NetChange:   {Name: "net-change", Pack: PackServices, Label: Unknown, Impact: ImpactMedium, Policy: AskFor, Doc: "changes the machine's network settings"},
	Kernel:      {Name: "kernel", Pack: PackServices, Label: Destructive, Impact: ImpactHigh, Doc: "changes the machine's kernel, clock or host name"},
	LogDelete:   {Name: "log-delete", Pack: PackServices, Label: Destructive, Impact: ImpactMedium, Doc: "deletes logs"},
	LogRotate:   {Name: "log-rotate", Pack: PackServices, Label: Unknown, Impact: ImpactLow, Doc: "rotates logs"},

	MsgDelete: {Name: "msg-delete", Pack: PackMessaging, Label: Destructive, Impact: ImpactHigh, Target: NamedTarget, Doc: "deletes or empties queues and topics"},
	MsgChange: {Name: "msg-change", Pack: PackMessaging, Label: Unknown, Impact: ImpactMedium, Doc: "changes queues and topics"},
	MsgSend:   {Name: "msg-send", Pack: PackMessaging, Label: Unknown, Impact: ImpactMedium, Doc: "sends messages"},
	MsgRead:   {Name: "msg-read", Pack: PackMessaging, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads queues and topics"},

	BackupDelete:  {Name: "backup-delete", Pack: PackBackup, Label: Destructive, Impact: ImpactHigh, Doc: "deletes backups or snapshots"},
	BackupChange:  {Name: "backup-change", Pack: PackBackup, Label: Unknown, Impact: ImpactMedium, Doc: "changes backups or backup policies"},
	BackupRestore: {Name: "backup-restore", Pack: PackBackup, Label: Unknown, Impact: ImpactMedium, Doc: "restores a backup"},
	BackupRead:    {Name: "backup-read", Pack: PackBackup, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads backups"},

	ForgeDelete: {Name: "forge-delete", Pack: PackCI, Label: Destructive, Impact: ImpactHigh, Doc: "deletes repositories, releases or other shared data on a Git host"},
	ForgeAccess: {Name: "forge-access", Pack: PackCI, Label: Unknown, Impact: ImpactHigh, Policy: AskFor, Doc: "changes who has access to a Git host or registry"},
	ForgeChange: {Name: "forge-change", Pack: PackCI, Label: Unknown, Impact: ImpactMedium, Doc: "changes shared data on a Git host"},
	ForgeRead:   {Name: "forge-read", Pack: PackCI, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from a Git host"},
	GHRead:      {Name: "gh-read", Pack: PackCI, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from GitHub"},
	CIDelete:    {Name: "ci-delete", Pack: PackCI, Label: Destructive, Impact: ImpactMedium, Doc: "deletes pipelines, runs or caches"},
	CIChange:    {Name: "ci-change", Pack: PackCI, Label: Unknown, Impact: ImpactMedium, Doc: "changes or starts pipelines"},
	CIRead:      {Name: "ci-read", Pack: PackCI, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "reads from CI"},

	SecretDelete:   {Name: "secret-delete", Pack: PackSecrets, Label: Destructive, Impact: ImpactHigh, Doc: "deletes or revokes secrets and keys"},
	SecretRead:     {Name: "secret-read", Pack: PackSecrets, Label: Unknown, Impact: ImpactMedium, Policy: AskFor, Doc: "prints secrets"},
	SecretFileRead: {Name: "secret-file-read", Pack: PackSecrets, Label: Unknown, Impact: ImpactMedium, Policy: AskFor, Doc: "prints or copies private keys, stored credentials or browser profiles"},
	SecretUse:      {Name: "secret-use", Pack: PackSecrets, Label: Unknown, Impact: ImpactMedium, Doc: "passes secrets to a program that needs them"},
	SecretChange:   {Name: "secret-change", Pack: PackSecrets, Label: Unknown, Impact: ImpactMedium, Doc: "creates or changes secrets"},
	SecretList:     {Name: "secret-list", Pack: PackSecrets, Label: Safe, Impact: ImpactLow, Reads: true, Doc: "lists secrets without their values"},

	Privilege:     {Name: "privilege", Pack: PackPrivilege, Label: Destructive, Impact: ImpactHigh, Doc: "changes users' privileges on the machine"},
	AccountDelete: {Name: "account-delete", Pack: PackPrivilege, Label: Destructive, Impact: ImpactHigh, Doc: "deletes accounts or changes their passwords"},
	GuardOff:      {Name: "guard-off", Pack: PackPrivilege, Label: Unknown, Impact: ImpactHigh, Policy: Pass, Doc: "starts an agent without hooks, or stops or changes its guards; always asks, whichever packs are on"},
	Settings:      {Name: "settings", Pack: PackPrivilege, Label: Destructive, Impact: ImpactMedium, Doc: "changes system settings"},
	RegDelete:     {Name: "reg-delete", Pack: PackPrivilege, Label: Destructive, Impact: ImpactHigh, Doc: "deletes keys or values from the Windows registry"},
	RegModify:     {Name: "reg-modify", Pack: PackPrivilege, Label: Destructive, Impact: ImpactMedium, Doc: "changes the Windows registry"},

	ExfilSecret: {Name: "exfil-secret", Pack: PackExfiltration, Label: Exfiltration, Impact: ImpactHigh, Doc: "sends secrets off the machine"},
	ExfilFile:   {Name: "exfil-file", Pack: PackExfiltration, Label: Exfiltration, Impact: ImpactMedium, Doc: "sends files off the machine"},
	ExfilInfo:   {Name: "exfil-info", Pack: PackExfiltration, Label: Exfiltration, Impact: ImpactMedium, Doc: "sends information about this machine to another one"},
	ExfilDNS:    {Name: "exfil-dns", Pack: PackExfiltration, Label: Exfiltration, Impact: ImpactHigh, Doc: "sends data hidden in DNS lookups"},
	RemoteShell: {Name: "remote-shell", Pack: PackExfiltration, Label: Exfiltration, Impact: ImpactHigh, Doc: "gives another machine a shell on this one"},
	Tunnel:      {Name: "tunnel", Pack: PackExfiltration, Label: Unknown, Impact: ImpactMedium, Policy: AskFor, Doc: "gives others access to this machine"},
	NetTunnel:   {Name: "net-tunnel", Pack: PackExfiltration, Label: Unknown, Impact: ImpactMedium, Doc: "opens a tunnel to another machine"},
	NetWrite:    {Name: "net-write", Pack: PackExfiltration, Label: Unknown, Impact: ImpactLow, Doc: "sends data to another machine"},

	RemoteCode:        {Name: "remote-code", Pack: PackCode, Label: Unknown, Impact: ImpactHigh, Policy: AskFor, Doc: "runs code received from another machine"},
	RemoteScriptKnown: {Name: "remote-script-known", Pack: PackCode, Label: Unknown, Impact: ImpactHigh, Policy: Pass, Doc: "runs a well-known project's installer, from its own site over https"},
	RemoteScriptPlain: {Name: "remote-script-plain", Pack: PackCode, Label: Unknown, Impact: ImpactHigh, Policy: Refuse, Doc: "runs code from a place anyone may control: plain http, an IP address, a paste, a short link"},
	DeleteByName:      {Name: "delete-by-name", Pack: PackCode, Label: Destructive, Impact: ImpactMedium, Doc: "runs an unknown program whose arguments suggest that it deletes something"},
	RunCode:           {Name: "run-code", Pack: PackCode, Label: Safe, Impact: ImpactLow, Walls: ProjectCode, Doc: "runs code written in the command itself"},
	Opaque:            {Name: "opaque", Pack: PackCode, Label: Unknown, Impact: ImpactUnknown, Policy: AskFor, Gap: GapOpaque, Doc: "evaluates a string whose value is unknown"},
	TooMuch:           {Name: "too-much", Pack: PackCode, Label: Unknown, Impact: ImpactUnknown, Policy: AskFor, Gap: GapLimit, Doc: "contains more than checkrein can check"},
	Unread:            {Name: "unread", Pack: PackCode, Label: Unknown, Impact: ImpactUnknown, Gap: GapUnread, Doc: "runs code that checkrein did not read"},
	UnknownOption:     {Name: "unknown-option", Pack: PackCode, Label: Unknown, Impact: ImpactUnknown, Gap: GapOption, Doc: "uses an unknown option or subcommand of a known program"},
	Run:               {Name: "run", Pack: PackCode, Label: Unknown, Impact: ImpactUnknown, Gap: GapProgram, Walls: ProjectCode, Doc: "runs an unknown program"},

	RunScript:   {Name: "run-script", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: ProjectCode, Doc: "runs a project script"},
	Build:       {Name: "build", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: ProjectCode, Doc: "builds"},
	Test:        {Name: "test", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: ProjectCode, Doc: "runs tests"},
	Lint:        {Name: "lint", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: ProjectCode, Doc: "checks code"},
	Edit:        {Name: "edit", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: InsideWalls, Doc: "opens an editor"},
	Media:       {Name: "media", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: InsideWalls, Doc: "converts images, audio or video"},
	Tool:        {Name: "tool", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: InsideWalls, Doc: "runs a development tool"},
	Toolchain:   {Name: "toolchain", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: ProjectCode, Doc: "manages compilers and runtimes"},
	CryptoWrite: {Name: "crypto-write", Pack: PackDev, Label: Safe, Impact: ImpactLow, Walls: InsideWalls, Doc: "encrypts, signs or creates keys"},
	GoRead:      {Name: "go-read", Pack: PackDev, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "shows information about Go modules"},

	FSRead:     {Name: "fs-read", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "reads files"},
	TextRead:   {Name: "text-read", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "reads and prints text"},
	ProcRead:   {Name: "proc-read", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "reads information about the machine"},
	NetRead:    {Name: "net-read", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: OnlineWalls, Doc: "reads from the network"},
	CryptoRead: {Name: "crypto-read", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "checks signatures and checksums"},
	Scan:       {Name: "scan", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "scans for problems"},
	IO:         {Name: "io", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "prints or waits"},
	Help:       {Name: "help", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "shows help or a version"},
	DryRun:     {Name: "dry-run", Pack: PackReads, Label: Safe, Impact: ImpactLow, Reads: true, Walls: InsideWalls, Doc: "shows what it would do"},
}
