package binding

import (
	"path"
	"strings"

	"github.com/checkrein/checkrein/internal/guard/study"
	"github.com/checkrein/checkrein/internal/shell"
)

// aims are the programs whose own settings say which cluster, machine, account, registry
// or workspace they act on: the same words may mean another one after `use-context`.
// Variables name further files. A part of a path may be *.
var aims = [...]struct{ programs, variables, files string }{
	{"kubectl oc helm flux argocd velero istioctl kustomize", "KUBECONFIG", "~/.kube/config"},
	{"docker docker-compose", "", "~/.docker/config.json ~/.docker/contexts/meta/*/meta.json"},
	{"podman podman-compose", "", "~/.config/containers/podman-connections.json ~/.config/containers/containers.conf"},
	{"terraform tofu terragrunt", "TF_CLI_CONFIG_FILE", "~/.terraformrc .terraform/environment .terraform/terraform.tfstate terraform.tfstate terraform.tfstate.d/*/terraform.tfstate"},
	{"pulumi", "", "~/.pulumi/workspaces/* ~/.pulumi/credentials.json"},
	{"aws sam cdk s3cmd", "AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE", "~/.aws/config ~/.aws/credentials ~/.s3cfg"},
	{"gcloud gsutil bq", "", "~/.config/gcloud/active_config ~/.config/gcloud/configurations/*"},
	{"az", "", "~/.azure/config ~/.azure/azureProfile.json"},
	{"doctl", "", "~/.config/doctl/config.yaml"},
	{"fly flyctl", "", "~/.fly/config.yml"},
	{"heroku curl wget", "CURL_HOME", "~/.netrc ~/.curlrc ~/.wgetrc"},
	{"gh hub", "", "~/.config/gh/hosts.yml ~/.config/gh/config.yml ~/.config/hub"},
	{"mysql mysqladmin mariadb mariadb-admin", "", "~/.my.cnf ~/.mylogin.cnf"},
	{"psql dropdb dropuser pg_restore", "PGSERVICEFILE PGPASSFILE PSQLRC", "~/.pg_service.conf ~/.pgpass ~/.psqlrc"},
	{"sqlite3", "", "~/.sqliterc"},
	{"mongosh mongo", "", "~/.mongorc.js ~/.mongoshrc.js"},
	{"redis-cli", "REDISCLI_RCFILE", "~/.redisclirc"},
	{"npm npx pnpm yarn bun lerna", "NPM_CONFIG_USERCONFIG", "~/.npmrc ~/.yarnrc ~/.yarnrc.yml ~/.bunfig.toml"},
	{"cargo", "", "~/.cargo/config ~/.cargo/config.toml ~/.cargo/credentials.toml .cargo/config.toml"},
	{"twine pip poetry flit hatch uv", "", "~/.pypirc ~/.config/pip/pip.conf ~/.config/pypoetry/config.toml"},
	{"mvn gradle", "", "~/.m2/settings.xml ~/.gradle/gradle.properties"},
	{"gem", "", "~/.gemrc ~/.gem/credentials ~/.local/share/gem/credentials"},
	{"ansible ansible-playbook", "ANSIBLE_CONFIG ANSIBLE_INVENTORY", "~/.ansible.cfg /etc/ansible/ansible.cfg /etc/ansible/hosts inventory/* group_vars/* host_vars/*"},
	{"ssh scp sftp rsync", "", "~/.ssh/config"},
	{"rclone", "RCLONE_CONFIG", "~/.config/rclone/rclone.conf"},
}

// aimOf is a digest of what an effect's program goes by beside its words: its own
// settings and, where only the words tell what it does, the files that it reads; "" =
// neither is there.
func aimOf(e *shell.Effect, p *shell.Place) string {
	var r readings
	name, _, _ := strings.Cut(e.Words, " ")
	r.settings(path.Base(name), p)
	if plain, _ := removal(e); !plain && e.On == "" {
		r.named(wordsIn(e.Words), touchedBy(e, p), !byNames(e), p)
	}
	if e.Row().Pack == shell.PackGit && p.Repo != nil {
		return r.sum() + gitAim(e, p.Repo(p.Dir))
	}
	return r.sum()
}

// namesOf is a digest of the files that the text of a call names, where its effects do
// not tell all that it does; "" = they do.
func namesOf(text string, all []study.Judged, p *shell.Place) string {
	var about []string
	open, wide := false, false
	for i := range all {
		for k := range all[i].Report.Effects {
			e := &all[i].Report.Effects[k]
			open = open || e.Label == shell.Unknown || e.Maybe || e.Exact
			wide = wide || e.Label != shell.Safe && !byNames(e)
			about = append(about, touchedBy(e, p)...)
		}
	}
	if !open {
		return ""
	}
	var r readings
	r.named(wordsIn(text), about, wide, p)
	return "of " + r.sum()
}

// byNames reports whether an effect's program goes by the names of files, and by no
// settings in the directory where it runs.
func byNames(e *shell.Effect) bool {
	pack := e.Row().Pack
	return e.Label != shell.Unknown && (pack == shell.PackFilesystem || pack == shell.PackPermissions || pack == shell.PackGit)
}

// touchedBy are the paths that an effect changes or takes away: what lies there is told
// apart from what its program reads.
func touchedBy(e *shell.Effect, p *shell.Place) []string {
	if !byNames(e) {
		return nil
	}
	var out []string
	for _, path := range e.Paths {
		out = append(out, study.FromDir(path, p))
	}
	return out
}
