package program

import "github.com/checkrein/checkrein/internal/shell"

// lookPack knows, of programs that do much else, the steps that only look: each verb
// is named, and what would make it write or run something is not there. It is asked
// first, so that the rules of everyday steps, which are wider, speak only of the rest.
var lookPack = shell.RuleSet{
	Pack: shell.PackReads,
	Rules: []shell.Rule{
		// Flags that make a reader write, before anyone calls it one.
		{
			ID: "look-git-output", Cmd: "git diff|log|show|shortlog|whatchanged|diff-tree|diff-index|diff-files|range-diff|fsck|interpret-trailers|blame|stash", Any: "--output --lost-found --in-place",
			Label: shell.Safe, Kind: "write", Category: shell.GitWrite, Reason: "writes its output to a file",
		},
		{
			ID: "look-to-file", Cmd: "iconv|pygmentize|highlight|html2text|xsv|qsv|toilet|base32|base64|basenc|semgrep|coredumpctl|less|zless|sar", Any: "-o -O --output --output-file --log-file --LOG-FILE",
			Label: shell.Safe, Kind: "write", Category: shell.FSWrite, Reason: "writes its output to a file",
		},
		{
			ID: "look-else", Cmd: "recode|mlr|exiftool|pdftotext|dockerize|wait-for-it|wait-for-it.sh|wait-for|sponge|comby", Not: "-h",
			Label: shell.Safe, Kind: "run", Category: shell.Tool, Reason: "reads files, or changes the files it is given",
		},
		{
			ID: "look-set", Cmd: "sensors|pidstat|atop", Any: "-s -e -w --set",
			Label: shell.Safe, Kind: "run", Category: shell.Tool, Reason: "changes a setting, runs a command or writes a file",
		},
		{
			ID: "look-batch", Cmd: "ip|bat|batcat|dmidecode", Any: "-batch -b cache --dump-bin", Not: "-br -brief -bri -brie",
			Label: shell.Safe, Kind: "run", Category: shell.Tool, Reason: "runs commands from a file, or writes a file",
		},

		// git.
		{
			ID: "look-git-list", Cmd: "git branch|tag|remote|submodule|notes", Bare: true,
			Not:   "-d -D -m -M -c -C -f -u --force --delete --move --copy --edit-description --unset-upstream --set-upstream-to --create-reflog",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "lists branches, tags, remotes or submodules",
		},
		{
			ID: "look-git-branch", Cmd: "git branch", Any: "-l -a -r --list --all --remotes --show-current --contains --no-contains --merged --no-merged --points-at",
			Not:   "-d -D -m -M -c -C -f -u -t --force --delete --move --copy --edit-description --unset-upstream --set-upstream-to --track --create-reflog",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "lists branches",
		},
		{
			ID: "look-git-tag", Cmd: "git tag", Any: "-l -n --list --contains --no-contains --points-at --merged --no-merged -v --verify",
			Not:   "-a -s -u -d -f -m -F --delete --force --annotate --sign --local-user --message --file",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "lists tags",
		},
		{
			ID: "look-git-of", Cmd: "git stash|notes|worktree|submodule|bisect|remote|lfs|bundle|sparse-checkout|rerere list|show|status|summary|log|get-url|ls-files|env|verify|list-heads",
			Not:   "--ext-diff --textconv --output",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "reads the repository",
		},
		{
			ID: "look-git-config", Cmd: "git config", Any: "--get --get-all --get-regexp --get-urlmatch -l --list get list", Not: "--edit -e --add --unset --unset-all --replace-all --remove-section --rename-section",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "reads Git settings",
		},
		{
			ID: "look-git-setting", Cmd: "git config *", Bare: true, Not: "--edit -e --add --unset --unset-all --replace-all --remove-section --rename-section edit unset remove-section set",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "reads a Git setting",
		},

		// Containers and clusters.
		{
			ID: "look-buildx", Cmd: "docker buildx|builder du|ls|inspect|version|history|imagetools", Not: "rm prune create import open export --bootstrap trace",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "shows information about builders and their cache",
		},
		{
			ID: "look-compose", Cmd: "docker compose ps|ls|logs|images|top|port|events|version|config|stats|volumes", Not: "-o --output --lock-image-digests",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "shows information about a Compose project",
		},
		{
			ID: "look-compose-old", Cmd: "docker-compose ps|logs|images|top|port|events|version|config", Not: "-o --output",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "shows information about a Compose project",
		},
		{
			ID: "look-crictl", Cmd: "crictl ps|pods|images|img|logs|inspect|inspecti|inspectp|info|stats|statsp|version|imagefsinfo",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "shows information about a node's containers",
		},
		{
			ID: "look-ctr", Cmd: "ctr containers|container|c|images|image|i|tasks|task|t|snapshots|namespaces|ns|content ls|list|info",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "shows information about containers",
		},
		{
			ID: "look-registry", Cmd: "skopeo|crane|regctl|oras|gcrane inspect|ls|list-tags|digest|catalog|validate|version|discover|config", Not: "delete rm set push -o --output",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "shows information about images in a registry",
		},
		{
			ID: "look-kube-config", Cmd: "kubectl config view|get-contexts|current-context|get-clusters|get-users", Not: "--raw",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "shows which cluster is selected",
		},
		{
			ID: "look-kube", Cmd: "kubectl get|describe|logs|log|top|explain|version|api-resources|api-versions|cluster-info|diff|wait|events|options|completion|kustomize|status|whoami|projects|tree|neat|stern|who-can|resource-capacity|view-allocations",
			Not:   "secret secrets secret/* secrets/* --output-directory -o=custom-columns-file* --enable-exec --enable-alpha-plugins --enable-helm --helm-command",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads from the cluster",
		},
		{
			ID: "look-kube-of", Cmd: "kubectl rollout|auth|adm|plugin status|history|can-i|whoami|top|list",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads from the cluster",
		},
		{
			ID: "look-helm", Cmd: "helm list|ls|status|get|history|hist|show|inspect|search|template|lint|version|env|verify", Not: "--post-renderer --output-dir",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "shows releases and charts, or renders templates",
		},
		{
			ID: "look-helm-of", Cmd: "helm repo|dependency|dep|plugin list|ls",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "lists charts",
		},
		{
			ID: "look-argocd", Cmd: "argocd app|appset|cluster|repo|proj|account list|get|diff|history|logs|manifests|resources|can-i|get-user-info",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads applications",
		},
		{
			ID: "look-flux", Cmd: "flux get|check|logs|stats|tree|trace|diff|events|version",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads resources managed by Flux",
		},
		{
			ID: "look-etcd", Cmd: "etcdctl get|ls|watch|version|endpoint",
			Label: shell.Safe, Kind: "read", Category: shell.KVRead, Reason: "reads etcd keys",
		},
		{
			ID: "look-etcd-of", Cmd: "etcdctl|etcdutl member|user|role|snapshot|alarm list|get|status",
			Label: shell.Safe, Kind: "read", Category: shell.KVRead, Reason: "lists etcd members, users or snapshots",
		},
		{
			ID: "look-consul", Cmd: "consul kv get|export",
			Label: shell.Safe, Kind: "read", Category: shell.KVRead, Reason: "reads Consul keys",
		},
	},
}

var lookSamples = []sample{
	{"look-git-output",
		match{"git diff --output=x.patch", "git log --output x", "git fsck --lost-found"},
		noMatch{"git diff", "git log --oneline"}},
	{"look-to-file",
		match{"iconv -f latin1 -o y x", "less -o log x", "pygmentize -o x.html x.py"},
		noMatch{"iconv -f latin1 x", "less x"}},
	{"look-else",
		match{"recode utf8..latin1 x.txt", "pdftotext a.pdf", "exiftool -Title=x a.jpg"},
		noMatch{"pdfinfo a.pdf", "iconv x"}},
	{"look-set",
		match{"sensors -s", "atop -w raw 10"},
		noMatch{"sensors", "pidstat 1"}},
	{"look-batch",
		match{"ip -batch x", "bat cache --build"},
		noMatch{"ip -br link", "bat x.py"}},
	{"look-git-list",
		match{"git branch", "git branch -vv", "git tag", "git remote -v", "git -C x branch"},
		noMatch{"git branch new", "git tag v1", "git branch -D x", "git stash", "git branch --edit-description"}},
	{"look-git-branch",
		match{"git branch -a", "git branch --list 'x*'", "git branch --contains abc", "git branch --show-current"},
		noMatch{"git branch -rd origin/x", "git branch new", "git branch -d x"}},
	{"look-git-tag",
		match{"git tag -l 'v*'", "git tag --contains abc", "git tag -v v1"},
		noMatch{"git tag -a v1 -m x", "git tag v1", "git tag -d v1"}},
	{"look-git-of",
		match{"git stash list", "git stash show -p", "git worktree list", "git submodule status", "git remote get-url origin", "git lfs ls-files"},
		noMatch{"git stash pop", "git worktree add x", "git remote add a b", "git submodule foreach 'git status'"}},
	{"look-git-config",
		match{"git config --list", "git config --get user.name", "git config get user.name", "git config --global -l"},
		noMatch{"git config user.name x", "git config --unset a.b"}},
	{"look-git-setting",
		match{"git config user.name", "git config --global user.email"},
		noMatch{"git config user.name x", "git config --global --edit", "git config edit"}},
	{"look-buildx",
		match{"docker buildx du", "docker buildx du --filter until=24h", "docker buildx imagetools inspect x"},
		noMatch{"docker buildx prune", "docker buildx imagetools create x", "docker buildx inspect --bootstrap"}},
	{"look-compose",
		match{"docker compose ps", "docker compose -f x.yml logs -f web", "docker compose config"},
		noMatch{"docker compose up", "docker compose config -o x.yml", "docker compose exec web ls"}},
	{"look-compose-old",
		match{"docker-compose ps", "docker-compose logs web"},
		noMatch{"docker-compose up -d", "docker-compose run web ls"}},
	{"look-crictl",
		match{"crictl ps -a", "crictl logs abc"},
		noMatch{"crictl pull x", "crictl rm x"}},
	{"look-ctr",
		match{"ctr images ls", "ctr c info x"},
		noMatch{"ctr images pull x", "ctr images import x"}},
	{"look-registry",
		match{"skopeo inspect docker://a", "crane ls reg/x"},
		noMatch{"crane pull x y", "oras login x"}},
	{"look-kube-config",
		match{"kubectl config view", "kubectl config current-context"},
		noMatch{"kubectl config use-context x", "kubectl config set-context x"}},
	{"look-kube",
		match{"kubectl get pods -A", "kubectl -n x describe pod y", "kubectl logs -f web-1", "oc whoami"},
		noMatch{"kubectl cluster-info dump --output-directory=x", "oc project x", "kubectl krew install x"}},
	{"look-kube-of",
		match{"kubectl rollout status deploy/web", "kubectl auth can-i create pods"},
		noMatch{"kubectl rollout restart deploy/web", "oc adm must-gather"}},
	{"look-helm",
		match{"helm list -A", "helm template ./chart", "helm get values app", "helm history app"},
		noMatch{"helm template ./chart --output-dir out", "helm pull x", "helm repo add x y"}},
	{"look-helm-of",
		match{"helm repo list", "helm dependency ls"},
		noMatch{"helm repo add x y", "helm dependency update"}},
	{"look-argocd",
		match{"argocd app list", "argocd app diff web"},
		noMatch{"argocd app sync web", "argocd login x"}},
	{"look-flux",
		match{"flux get all -A", "flux check --pre"},
		noMatch{"flux reconcile source git x", "flux pull artifact x"}},
	{"look-etcd",
		match{"etcdctl get foo", "etcdctl endpoint health"},
		noMatch{"etcdctl put a b", "etcdctl snapshot save x"}},
	{"look-etcd-of",
		match{"etcdctl member list", "etcdutl snapshot status x.db"},
		noMatch{"etcdctl snapshot save x.db", "etcdctl member add x"}},
	{"look-consul",
		match{"consul kv get a", "consul kv export a"},
		noMatch{"consul kv put a b", "consul kv delete a"}},
}
