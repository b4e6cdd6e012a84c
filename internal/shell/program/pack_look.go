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
			Label: shell.Safe, Kind: "write", Category: shell.GitWrite, Reason: "writes what it finds to a file",
			Match:   []string{"git diff --output=x.patch", "git log --output x", "git fsck --lost-found"},
			NoMatch: []string{"git diff", "git log --oneline"},
		},
		{
			ID: "look-to-file", Cmd: "iconv|pygmentize|highlight|html2text|xsv|qsv|toilet|base32|base64|basenc|semgrep|coredumpctl|less|zless|sar", Any: "-o -O --output --output-file --log-file --LOG-FILE",
			Label: shell.Safe, Kind: "write", Category: shell.FSWrite, Reason: "writes what it finds to a file",
			Match:   []string{"iconv -f latin1 -o y x", "less -o log x", "pygmentize -o x.html x.py"},
			NoMatch: []string{"iconv -f latin1 x", "less x"},
		},
		{
			ID: "look-else", Cmd: "recode|mlr|exiftool|pdftotext|dockerize|wait-for-it|wait-for-it.sh|wait-for|sponge|comby", Not: "-h",
			Label: shell.Safe, Kind: "run", Category: shell.Tool, Reason: "reads files, or changes what it is told to",
			Match:   []string{"recode utf8..latin1 x.txt", "pdftotext a.pdf", "exiftool -Title=x a.jpg"},
			NoMatch: []string{"pdfinfo a.pdf", "iconv x"},
		},
		{
			ID: "look-set", Cmd: "sensors|pidstat|atop", Any: "-s -e -w --set",
			Label: shell.Safe, Kind: "run", Category: shell.Tool, Reason: "sets something, runs something, or writes a file",
			Match:   []string{"sensors -s", "atop -w raw 10"},
			NoMatch: []string{"sensors", "pidstat 1"},
		},
		{
			ID: "look-batch", Cmd: "ip|bat|batcat|dmidecode", Any: "-batch -b cache --dump-bin", Not: "-br -brief -bri -brie",
			Label: shell.Safe, Kind: "run", Category: shell.Tool, Reason: "runs commands from a file, or writes one",
			Match:   []string{"ip -batch x", "bat cache --build"},
			NoMatch: []string{"ip -br link", "bat x.py"},
		},

		// git.
		{
			ID: "look-git-list", Cmd: "git branch|tag|remote|submodule|notes", Bare: true,
			Not:   "-d -D -m -M -c -C -f -u --force --delete --move --copy --edit-description --unset-upstream --set-upstream-to --create-reflog",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "lists branches, tags, remotes or submodules",
			Match:   []string{"git branch", "git branch -vv", "git tag", "git remote -v", "git -C x branch"},
			NoMatch: []string{"git branch new", "git tag v1", "git branch -D x", "git stash", "git branch --edit-description"},
		},
		{
			ID: "look-git-branch", Cmd: "git branch", Any: "-l -a -r --list --all --remotes --show-current --contains --no-contains --merged --no-merged --points-at",
			Not:   "-d -D -m -M -c -C -f -u -t --force --delete --move --copy --edit-description --unset-upstream --set-upstream-to --track --create-reflog",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "lists branches",
			Match:   []string{"git branch -a", "git branch --list 'x*'", "git branch --contains abc", "git branch --show-current"},
			NoMatch: []string{"git branch -rd origin/x", "git branch new", "git branch -d x"},
		},
		{
			ID: "look-git-tag", Cmd: "git tag", Any: "-l -n --list --contains --no-contains --points-at --merged --no-merged -v --verify",
			Not:   "-a -s -u -d -f -m -F --delete --force --annotate --sign --local-user --message --file",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "lists tags",
			Match:   []string{"git tag -l 'v*'", "git tag --contains abc", "git tag -v v1"},
			NoMatch: []string{"git tag -a v1 -m x", "git tag v1", "git tag -d v1"},
		},
		{
			ID: "look-git-of", Cmd: "git stash|notes|worktree|submodule|bisect|remote|lfs|bundle|sparse-checkout|rerere list|show|status|summary|log|get-url|ls-files|env|verify|list-heads",
			Not:   "--ext-diff --textconv --output",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "reads the repository",
			Match:   []string{"git stash list", "git stash show -p", "git worktree list", "git submodule status", "git remote get-url origin", "git lfs ls-files"},
			NoMatch: []string{"git stash pop", "git worktree add x", "git remote add a b", "git submodule foreach 'git status'"},
		},
		{
			ID: "look-git-config", Cmd: "git config", Any: "--get --get-all --get-regexp --get-urlmatch -l --list get list", Not: "--edit -e --add --unset --unset-all --replace-all --remove-section --rename-section",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "reads settings of git",
			Match:   []string{"git config --list", "git config --get user.name", "git config get user.name", "git config --global -l"},
			NoMatch: []string{"git config user.name x", "git config --unset a.b"},
		},
		{
			ID: "look-git-setting", Cmd: "git config *", Bare: true, Not: "--edit -e --add --unset --unset-all --replace-all --remove-section --rename-section edit unset remove-section set",
			Label: shell.Safe, Kind: "read", Category: shell.GitRead, Reason: "reads a setting of git",
			Match:   []string{"git config user.name", "git config --global user.email"},
			NoMatch: []string{"git config user.name x", "git config --global --edit", "git config edit"},
		},

		// Containers and clusters.
		{
			ID: "look-buildx", Cmd: "docker buildx|builder du|ls|inspect|version|history|imagetools", Not: "rm prune create import open export --bootstrap trace",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "reads about builders and their cache",
			Match:   []string{"docker buildx du", "docker buildx du --filter until=24h", "docker buildx imagetools inspect x"},
			NoMatch: []string{"docker buildx prune", "docker buildx imagetools create x", "docker buildx inspect --bootstrap"},
		},
		{
			ID: "look-compose", Cmd: "docker compose ps|ls|logs|images|top|port|events|version|config|stats|volumes", Not: "-o --output --lock-image-digests",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "reads about a compose project",
			Match:   []string{"docker compose ps", "docker compose -f x.yml logs -f web", "docker compose config"},
			NoMatch: []string{"docker compose up", "docker compose config -o x.yml", "docker compose exec web ls"},
		},
		{
			ID: "look-compose-old", Cmd: "docker-compose ps|logs|images|top|port|events|version|config", Not: "-o --output",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "reads about a compose project",
			Match:   []string{"docker-compose ps", "docker-compose logs web"},
			NoMatch: []string{"docker-compose up -d", "docker-compose run web ls"},
		},
		{
			ID: "look-crictl", Cmd: "crictl ps|pods|images|img|logs|inspect|inspecti|inspectp|info|stats|statsp|version|imagefsinfo",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "reads about containers of a node",
			Match:   []string{"crictl ps -a", "crictl logs abc"},
			NoMatch: []string{"crictl pull x", "crictl rm x"},
		},
		{
			ID: "look-ctr", Cmd: "ctr containers|container|c|images|image|i|tasks|task|t|snapshots|namespaces|ns|content ls|list|info",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "reads about containers",
			Match:   []string{"ctr images ls", "ctr c info x"},
			NoMatch: []string{"ctr images pull x", "ctr images import x"},
		},
		{
			ID: "look-registry", Cmd: "skopeo|crane|regctl|oras|gcrane inspect|ls|list-tags|digest|catalog|validate|version|discover|config", Not: "delete rm set push -o --output",
			Label: shell.Safe, Kind: "read", Category: shell.DKRead, Reason: "reads about images in a registry",
			Match:   []string{"skopeo inspect docker://a", "crane ls reg/x"},
			NoMatch: []string{"crane pull x y", "oras login x"},
		},
		{
			ID: "look-kube-config", Cmd: "kubectl config view|get-contexts|current-context|get-clusters|get-users", Not: "--raw",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads which cluster is meant",
			Match:   []string{"kubectl config view", "kubectl config current-context"},
			NoMatch: []string{"kubectl config use-context x", "kubectl config set-context x"},
		},
		{
			ID: "look-kube", Cmd: "kubectl get|describe|logs|log|top|explain|version|api-resources|api-versions|cluster-info|diff|wait|events|options|completion|kustomize|status|whoami|projects|tree|neat|stern|who-can|resource-capacity|view-allocations",
			Not:   "secret secrets secret/* secrets/* --output-directory -o=custom-columns-file* --enable-exec --enable-alpha-plugins --enable-helm --helm-command",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads from the cluster",
			Match:   []string{"kubectl get pods -A", "kubectl -n x describe pod y", "kubectl logs -f web-1", "oc whoami"},
			NoMatch: []string{"kubectl cluster-info dump --output-directory=x", "oc project x", "kubectl krew install x"},
		},
		{
			ID: "look-kube-of", Cmd: "kubectl rollout|auth|adm|plugin status|history|can-i|whoami|top|list",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads from the cluster",
			Match:   []string{"kubectl rollout status deploy/web", "kubectl auth can-i create pods"},
			NoMatch: []string{"kubectl rollout restart deploy/web", "oc adm must-gather"},
		},
		{
			ID: "look-helm", Cmd: "helm list|ls|status|get|history|hist|show|inspect|search|template|lint|version|env|verify", Not: "--post-renderer --output-dir",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads releases and charts, or renders them",
			Match:   []string{"helm list -A", "helm template ./chart", "helm get values app", "helm history app"},
			NoMatch: []string{"helm template ./chart --output-dir out", "helm pull x", "helm repo add x y"},
		},
		{
			ID: "look-helm-of", Cmd: "helm repo|dependency|dep|plugin list|ls",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "lists charts",
			Match:   []string{"helm repo list", "helm dependency ls"},
			NoMatch: []string{"helm repo add x y", "helm dependency update"},
		},
		{
			ID: "look-argocd", Cmd: "argocd app|appset|cluster|repo|proj|account list|get|diff|history|logs|manifests|resources|can-i|get-user-info",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads applications",
			Match:   []string{"argocd app list", "argocd app diff web"},
			NoMatch: []string{"argocd app sync web", "argocd login x"},
		},
		{
			ID: "look-flux", Cmd: "flux get|check|logs|stats|tree|trace|diff|events|version",
			Label: shell.Safe, Kind: "read", Category: shell.K8sRead, Reason: "reads what Flux manages",
			Match:   []string{"flux get all -A", "flux check --pre"},
			NoMatch: []string{"flux reconcile source git x", "flux pull artifact x"},
		},
		{
			ID: "look-etcd", Cmd: "etcdctl get|ls|watch|version|endpoint",
			Label: shell.Safe, Kind: "read", Category: shell.KVRead, Reason: "reads keys",
			Match:   []string{"etcdctl get foo", "etcdctl endpoint health"},
			NoMatch: []string{"etcdctl put a b", "etcdctl snapshot save x"},
		},
		{
			ID: "look-etcd-of", Cmd: "etcdctl|etcdutl member|user|role|snapshot|alarm list|get|status",
			Label: shell.Safe, Kind: "read", Category: shell.KVRead, Reason: "lists parts of the cluster",
			Match:   []string{"etcdctl member list", "etcdutl snapshot status x.db"},
			NoMatch: []string{"etcdctl snapshot save x.db", "etcdctl member add x"},
		},
		{
			ID: "look-consul", Cmd: "consul kv get|export",
			Label: shell.Safe, Kind: "read", Category: shell.KVRead, Reason: "reads keys",
			Match:   []string{"consul kv get a", "consul kv export a"},
			NoMatch: []string{"consul kv put a b", "consul kv delete a"},
		},
	},
}
