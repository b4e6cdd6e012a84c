package shell

// A Pack is a set of categories that users turn on, turn off and adjust together.
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

// A PackRow describes a pack.
type PackRow struct {
	Name  string
	About string // what it guards, in at most 52 characters so that it fits a table
}

// packRows is the table of packs.
var packRows = [...]PackRow{
	NoPack:             {},
	PackFilesystem:     {"filesystem", "deleting, emptying or replacing files"},
	PackPermissions:    {"permissions", "file permissions and owners"},
	PackDisk:           {"disk", "disks, partitions and volumes"},
	PackGit:            {"git", "uncommitted work, branches, stashes and history"},
	PackContainers:     {"containers", "containers, images, volumes and virtual machines"},
	PackKubernetes:     {"kubernetes", "clusters, their resources and releases"},
	PackCloud:          {"cloud", "cloud resources, DNS and changes to web services"},
	PackInfrastructure: {"infrastructure", "destroying infrastructure, and its stored state"},
	PackDatabases:      {"databases", "dropping, emptying or deleting from databases"},
	PackPackages:       {"packages", "removing, publishing or unpublishing packages"},
	PackServices:       {"services", "services, processes, the kernel and the network"},
	PackMessaging:      {"messaging", "deleting or emptying message queues and streams"},
	PackBackup:         {"backup", "deleting or overwriting backups and snapshots"},
	PackCI:             {"ci", "shared data on Git hosts, CI and deployments"},
	PackSecrets:        {"secrets", "printing, deleting or revoking keys and secrets"},
	PackPrivilege:      {"privilege", "privileges, accounts and system protections"},
	PackExfiltration:   {"exfiltration", "sending secrets or files off the machine"},
	PackCode:           {"code", "code from elsewhere, and unknown programs"},
	PackDev:            {"dev", "everyday development steps that lose no data"},
	PackReads:          {"reads", "commands that only read"},
}

// String returns the name of the pack, or "" for NoPack.
func (p Pack) String() string { return packRows[p].Name }

// About returns one line that describes what the pack guards.
func (p Pack) About() string { return packRows[p].About }

// isGuarded reports whether the pack asks about or denies effects of the category by default.
func (r *Row) isGuarded() bool {
	return r.Policy == AskFor || r.Policy == Refuse || r.Policy == ByImpact && r.Label >= Destructive
}

// Guards reports whether the pack guards any of its categories by default. Only such packs can be
// turned on and off.
func (p Pack) Guards() bool {
	for i := 1; i < len(rows); i++ {
		if r := &rows[i]; r.Pack == p && r.isGuarded() {
			return true
		}
	}
	return false
}

// PackNamed returns the pack with this name if it can be turned on and off, and otherwise NoPack and
// false.
func PackNamed(name string) (Pack, bool) {
	for i := 1; i < len(packRows); i++ {
		if packRows[i].Name == name && Pack(i).Guards() {
			return Pack(i), true
		}
	}
	return NoPack, false
}

// PackNames returns the names of the packs that can be turned on and off.
func PackNames() []string {
	var out []string
	for i := 1; i < len(packRows); i++ {
		if Pack(i).Guards() {
			out = append(out, packRows[i].Name)
		}
	}
	return out
}
