package shell

// A Pack is a guard: a set of categories that is switched and adjusted as one.
type Pack uint8

// The packs.
const (
	NoPack Pack = iota
	PackFilesystem
	PackPermissions
	PackDisk
	PackGit
	PackContainers
	PackKubernetes
	PackCloud
	PackInfrastructure
	PackDatabases
	PackPackages
	PackServices
	PackMessaging
	PackBackup
	PackCI
	PackSecrets
	PackPrivilege
	PackExfiltration
	PackCode
	PackDev
	PackReads
)

// A PackRow is what is known of a pack.
type PackRow struct {
	Name  string
	About string // one line
}

var packRows = [...]PackRow{
	NoPack:             {},
	PackFilesystem:     {"filesystem", "files and directories: what deletes, empties or replaces them"},
	PackPermissions:    {"permissions", "rights and owners of files"},
	PackDisk:           {"disk", "disks, partitions and volumes"},
	PackGit:            {"git", "uncommitted work, branches, stashes and history in version control"},
	PackContainers:     {"containers", "containers, images, volumes, networks, compose projects and virtual machines"},
	PackKubernetes:     {"kubernetes", "clusters, their resources and releases"},
	PackCloud:          {"cloud", "resources, data and access at cloud providers and behind web addresses"},
	PackInfrastructure: {"infrastructure", "infrastructure as code: what it destroys, and its state"},
	PackDatabases:      {"databases", "databases and key-value stores: what drops, empties or deletes"},
	PackPackages:       {"packages", "package managers and registries: what removes, publishes or takes back packages"},
	PackServices:       {"services", "services, processes, the kernel and the network of the machine"},
	PackMessaging:      {"messaging", "message queues and streams: what deletes or empties them"},
	PackBackup:         {"backup", "backups and snapshots: what deletes or overwrites them"},
	PackCI:             {"ci", "forges, CI and deployment: what deletes, closes or changes what others see"},
	PackSecrets:        {"secrets", "keys, credentials and secrets managers: what prints, deletes or revokes secrets"},
	PackPrivilege:      {"privilege", "who may do what on the machine, and the guards that watch it"},
	PackExfiltration:   {"exfiltration", "what sends secrets or files off the machine"},
	PackCode:           {"code", "programs and code that come from elsewhere or that are not known"},
	PackDev:            {"dev", "everyday steps of development that lose nothing"},
	PackReads:          {"reads", "what only reads"},
}

// String returns the pack's name, "" for NoPack.
func (p Pack) String() string { return packRows[p].Name }

// About says in one line what the pack guards.
func (p Pack) About() string { return packRows[p].About }

// guards reports whether effects of the category are asked for or denied.
func (r *Row) guards() bool {
	return r.Policy == AskFor || r.Policy == Refuse || r.Policy == ByRadius && r.Label >= Destructive
}

// Guards reports whether the pack has an opinion on anything by default.
func (p Pack) Guards() bool {
	for i := 1; i < len(rows); i++ {
		if r := &rows[i]; r.Pack == p && r.guards() {
			return true
		}
	}
	return false
}

// PackNamed finds a pack that can be switched, by its name.
func PackNamed(name string) (Pack, bool) {
	for i := 1; i < len(packRows); i++ {
		if packRows[i].Name == name && Pack(i).Guards() {
			return Pack(i), true
		}
	}
	return NoPack, false
}

// PackNames are the names of all packs that can be switched.
func PackNames() []string {
	var out []string
	for i := 1; i < len(packRows); i++ {
		if Pack(i).Guards() {
			out = append(out, packRows[i].Name)
		}
	}
	return out
}
