package builtin

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
)

// aims are the programs whose own settings say which cluster, machine, account or
// workspace they act on: the same words may mean another one after `use-context`.
var aims = [...]struct{ programs, variable, files string }{
	{"kubectl oc helm flux argocd velero istioctl", "KUBECONFIG", "~/.kube/config"},
	{"docker docker-compose", "", "~/.docker/config.json"},
	{"podman podman-compose", "", "~/.config/containers/podman-connections.json ~/.config/containers/containers.conf"},
	{"terraform tofu terragrunt", "", ".terraform/environment .terraform/terraform.tfstate"},
	{"pulumi", "", "~/.pulumi/workspaces/* ~/.pulumi/credentials.json"},
	{"aws", "AWS_CONFIG_FILE", "~/.aws/config"},
	{"gcloud gsutil bq", "", "~/.config/gcloud/active_config ~/.config/gcloud/configurations/*"},
	{"az", "", "~/.azure/config ~/.azure/azureProfile.json"},
	{"mysql mysqladmin mariadb", "", "~/.my.cnf"},
	{"psql dropdb dropuser", "PGSERVICEFILE", "~/.pg_service.conf"},
}

// aimOf is a digest of the settings that say what an effect's program acts on; "" =
// there are none.
func aimOf(e *shell.Effect, p *shell.Place) string {
	word, _, _ := strings.Cut(e.Words, " ")
	name := path.Base(word)
	i := slices.IndexFunc(aims[:], func(a struct{ programs, variable, files string }) bool {
		return slices.Contains(strings.Fields(a.programs), name)
	})
	if i < 0 {
		return ""
	}
	files := filepath.SplitList(os.Getenv(aims[i].variable))
	if len(files) == 0 {
		files = strings.Fields(aims[i].files)
	}
	var said []string
	for _, pattern := range files {
		dir, all := strings.CutSuffix(pattern, "/*")
		list := []string{absoluteIn(dir, p)}
		if all {
			entries, _ := os.ReadDir(list[0]) // without one there are no such settings
			for _, entry := range entries {
				list = append(list, filepath.Join(list[0], entry.Name()))
			}
		}
		for _, file := range list {
			switch text, ok := readFile(file); {
			case !ok:
				said = append(said, file, "unknown")
			case text != nil:
				said = append(said, file, string(text))
			}
		}
	}
	if len(said) == 0 {
		return ""
	}
	return sumOf(said...)
}
