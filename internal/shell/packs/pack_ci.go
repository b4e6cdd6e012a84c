package packs

import "github.com/checkrein/checkrein/internal/shell"

// ciPack knows forges (GitHub, GitLab, Gitea), CI systems and deployment tools.
// Gists and other uploads are judged with what leaves the machine.
var ciPack = shell.Pack{
	Name:  "ci",
	About: "forges, CI and deployment: what deletes, closes or changes what others see",
	Rules: []shell.Rule{
		// GitHub.
		{
			ID: "repo-delete", Cmd: "gh|hub repo|delete|release|issue|label|gist|cache|codespace|cs|run|variable|project|ruleset|extension|ssh-key|gpg-key|deploy-key|secret|environment|alias|autolink|pr|attestation delete|*|delete-asset|remove|item-delete|field-delete|rm", Any: "delete delete-asset remove item-delete field-delete rm", Not: "extension alias",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusMedium, Reason: "deletes something on the forge",
			Match:   []string{"gh release delete v1.0 -y", "gh issue delete 5", "gh label delete bug", "gh secret delete TOKEN", "gh run delete 123", "gh ssh-key delete 1", "gh codespace delete --all", "gh variable delete X", "gh repo deploy-key delete 1", "gh secret remove X", "gh project item-delete 1"},
			NoMatch: []string{"gh release list", "gh issue close 5", "gh extension remove x", "gh alias delete x", "gh pr view 1"},
		},
		{
			ID: "repo-destroy", Cmd: "gh|hub|glab|tea repo|delete|project|org delete|*|remove", Any: "delete", Not: "deploy-key autolink",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusHigh, Reason: "deletes a whole repository",
			Match:   []string{"gh repo delete owner/x --yes", "hub delete owner/x", "glab repo delete x", "gh repo delete"},
			NoMatch: []string{"gh repo view", "gh repo list", "gh repo clone a/b"},
		},
		{
			ID: "repo-change", Cmd: "gh repo archive|rename|transfer",
			Label: shell.Destructive, Kind: "modify", Category: "forge-delete", Radius: shell.RadiusHigh, Reason: "archives, renames or moves a repository",
			Match:   []string{"gh repo archive owner/x -y", "gh repo rename new"},
			NoMatch: []string{"gh repo view", "gh repo unarchive x"},
		},
		{
			ID: "repo-edit", Cmd: "gh repo edit|unarchive|sync|create|fork|set-default|deploy-key|autolink", Not: "--visibility list delete --force",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "changes a repository on the forge",
			Match:   []string{"gh repo edit --description x", "gh repo create x --private", "gh repo sync"},
			NoMatch: []string{"gh repo view", "gh repo list", "gh repo deploy-key list"},
		},
		{
			ID: "repo-visibility", Cmd: "gh repo edit|sync", Any: "--visibility --force",
			Label: shell.Destructive, Kind: "modify", Category: "forge-delete", Radius: shell.RadiusHigh, Reason: "makes a repository public or private, or overwrites a branch",
			Match:   []string{"gh repo edit --visibility public", "gh repo edit --accept-visibility-change-consequences --visibility=private", "gh repo sync --force"},
			NoMatch: []string{"gh repo edit --description x", "gh repo sync"},
		},
		{
			ID: "release-delete", Cmd: "gh|hub|glab|tea|goreleaser release|releases delete|delete-asset|rm",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusHigh, Reason: "deletes a release that others use",
			Match:   []string{"gh release delete v1 --cleanup-tag", "hub release delete v1", "glab release delete v1"},
			NoMatch: []string{"gh release view v1", "gh release create v1"},
		},
		{
			ID: "pr-close", Cmd: "gh|glab|hub|tea|gitlab pr|issue|mr|issues|pulls|pull|milestone|incident|epic close|lock",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Reason: "closes what others work on; it can be opened again",
			Match:   []string{"gh pr close 12", "gh issue close 5", "glab mr close 3"},
			NoMatch: []string{"gh pr view 12", "gh issue list", "gh pr list --state closed"},
		},
		{
			ID: "pr-delete", Cmd: "gh|glab|hub|tea|gitlab pr|issue|mr|issues|pulls|pull|milestone|incident|epic delete",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusMedium, Reason: "deletes what others work on",
			Match:   []string{"gh issue delete 5", "glab mr delete 3"},
			NoMatch: []string{"gh pr view 12", "gh pr close 3"},
		},
		{
			ID: "pr-close-branch", Cmd: "gh|glab pr|mr close", Any: "--delete-branch -d",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusMedium, Reason: "closes it and deletes its branch, which nothing else holds",
			Match:   []string{"gh pr close 12 --delete-branch", "gh pr close 12 -d"},
			NoMatch: []string{"gh pr close 12", "gh pr merge 3 --delete-branch"},
		},
		{
			ID: "pages-publish", Cmd: "gh-pages|push-dir|ghp-import|angular-cli-ghpages", Not: "--no-push -n",
			Label: shell.Destructive, Kind: "push", Category: "git-history", Radius: shell.RadiusMedium, Reason: "replaces a published branch with the contents of a directory",
			Match:   []string{"gh-pages -d dist", "ghp-import -p -f site"},
			NoMatch: []string{"gh-pages --no-push -d dist", "git push"},
		},
		{
			ID: "pr-merge", Cmd: "gh|glab|hub|tea pr|mr|pulls merge|rebase|update-branch|approve|ready|review|revoke|lock|unlock|transfer|pin|unpin|revert",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "changes a shared branch or review",
			Match:   []string{"gh pr merge 12 --squash", "glab mr merge 3", "gh pr review --approve", "gh pr ready"},
			NoMatch: []string{"gh pr view 12", "gh pr diff 12"},
		},
		{
			ID: "pr-comment", Cmd: "gh|glab|hub|tea pr|issue|mr|issues|pulls create|edit|comment|reopen|note|update|new|todo|develop|subscribe|for|unsubscribe",
			Label: shell.Safe, Kind: "modify", Category: "forge-change", Reason: "writes to what others read",
			Match:   []string{"gh pr create --fill", "gh issue comment 5 -b x", "glab mr create", "gh issue edit 5 --add-label x"},
			NoMatch: []string{"gh pr checkout 12", "gh pr view 12", "gh issue list"},
		},
		{
			ID: "pr-checkout", Cmd: "gh|glab pr|mr checkout|co", Not: "-f --force",
			Label: shell.Safe, Kind: "modify", Category: "git-switch", Reason: "checks a branch out",
			Match:   []string{"gh pr checkout 12", "glab mr checkout 3"},
			NoMatch: []string{"gh pr checkout 12 --force", "gh pr merge 1"},
		},
		{
			ID: "pr-checkout-force", Cmd: "gh|glab pr|mr checkout|co", Any: "-f --force",
			Label: shell.Destructive, Kind: "overwrite", Category: "git-discard", Radius: shell.RadiusMedium, Reason: "overwrites a local branch",
			Match:   []string{"gh pr checkout 12 --force", "gh pr checkout 12 -f"},
			NoMatch: []string{"gh pr checkout 12"},
		},
		{
			ID: "secret-delete", Cmd: "gh|glab|hub secret|variable|ssh-key|gpg-key|token|deploy-key delete|remove|rm|revoke",
			Label: shell.Destructive, Kind: "delete", Category: "secret-delete", Radius: shell.RadiusMedium, Reason: "deletes a secret or key on the forge",
			Match:   []string{"gh secret delete TOKEN", "gh ssh-key delete 1 -y", "glab variable delete X"},
			NoMatch: []string{"gh secret list", "gh ssh-key list"},
		},
		{
			ID: "secret-set", Cmd: "gh|glab secret|variable|ssh-key|gpg-key|token|deploy-key set|add|create|update|rotate",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "sets a secret or key on the forge",
			Match:   []string{"gh secret set TOKEN -b x", "gh ssh-key add key.pub", "glab variable set X y"},
			NoMatch: []string{"gh secret list"},
		},
		{
			ID: "workflow-change", Cmd: "gh|glab|hub workflow|run|ci|pipeline|schedule|cache|codespace|cs disable|enable|run|cancel|rerun|trigger|retry|create|stop|delete|rebuild|edit|delete-all", Not: "--list",
			Label: shell.Unknown, Kind: "modify", Category: "ci-change", Radius: shell.RadiusMedium, Reason: "starts, stops or changes runs of the CI",
			Match:   []string{"gh workflow run build.yml", "gh run cancel 5", "gh run rerun 5", "glab ci trigger x"},
			NoMatch: []string{"gh run list", "gh workflow view x", "gh run watch 5"},
		},
		{
			ID: "workflow-disable", Cmd: "gh|glab workflow|schedule|codespace|cs|run|ci|pipeline disable|delete|cancel|stop",
			Label: shell.Destructive, Kind: "modify", Category: "ci-delete", Radius: shell.RadiusMedium, Reason: "switches CI off, cancels or deletes its runs",
			Match:   []string{"gh workflow disable build.yml", "gh run delete 5", "gh run cancel 5", "glab ci delete 3"},
			NoMatch: []string{"gh workflow list", "gh run view 5"},
		},
		{
			ID: "cache-delete", Cmd: "gh cache|actions-cache delete",
			Label: shell.Destructive, Kind: "delete", Category: "ci-delete", Reason: "deletes caches of the CI",
			Match:   []string{"gh cache delete --all", "gh cache delete 5"},
			NoMatch: []string{"gh cache list"},
		},
		{
			ID: "api-delete", Cmd: "gh|glab|hub|tea api", Any: "-X=DELETE --method=DELETE -X=delete --method=delete -X=Delete --method=Delete --request=DELETE",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusHigh, Reason: "deletes something through the API of the forge",
			Match:   []string{"gh api -X DELETE /repos/a/b", "gh api --method DELETE repos/a/b/git/refs/heads/x", "gh api repos/a/b --method=DELETE", "glab api --method=DELETE projects/1", "gh api -XDELETE repos/a/b"},
			NoMatch: []string{"gh api repos/a/b", "gh api -X GET x", "gh api -X POST x"},
		},
		{
			ID: "api-graphql-delete", Cmd: "gh|glab api graphql", Any: "-f=*delete* --raw-field=*delete* -F=*delete* --field=*delete* -f=*archiveRepository* -f=*remove* query=*delete*",
			Label: shell.Destructive, Kind: "delete", Category: "forge-delete", Radius: shell.RadiusHigh, Reason: "deletes something through the API of the forge",
			Match:   []string{`gh api graphql -f query='mutation { deleteRef(input: {refId: "x"}) { x } }'`, "gh api graphql -f 'query=mutation{deleteIssue(input:{issueId:1}){x}}'"},
			NoMatch: []string{"gh api graphql -f query='{ viewer { login } }'"},
		},
		{
			ID: "api-graphql-mutate", Cmd: "gh|glab api graphql", Any: "-f=*mutation* --raw-field=*mutation* -F=*mutation* --field=*mutation* -F=*@* --input query=*mutation*",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "changes something through the API of the forge",
			Match:   []string{"gh api graphql -f query='mutation { addStar(input: {}) { x } }'", "gh api graphql -F query=@q.graphql"},
			NoMatch: []string{"gh api graphql -f query='{ viewer { login } }'"},
		},
		{
			ID: "api-graphql-read", Cmd: "gh|glab api graphql", Not: "-f=*mutation* --raw-field=*mutation* -F=*mutation* --field=*mutation* -F=*@* --input query=*mutation*",
			Label: shell.Safe, Kind: "read", Category: "gh-read", Reason: "asks the API of the forge",
			Match:   []string{"gh api graphql -f query='{ viewer { login } }'", "gh api graphql --paginate -f query='query { x }'"},
			NoMatch: []string{"gh api graphql -f query='mutation { x }'", "gh api graphql -F query=@q.graphql"},
		},
		{
			ID: "api-change", Cmd: "gh|glab|hub|tea api", Any: "-X=POST -X=PUT -X=PATCH --method=POST --method=PUT --method=PATCH -X=post -X=put -X=patch --method=post --method=put --method=patch -f --raw-field -F --field --input", Not: "-X=GET --method=GET --method=get graphql",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "changes something through the API of the forge",
			Match:   []string{"gh api -X POST repos/a/b/issues -f title=x", "gh api --method PATCH repos/a/b", "gh api repos/a/b/issues -f title=x"},
			NoMatch: []string{"gh api repos/a/b", "gh api -X GET repos/a/b -f per_page=5", "gh api graphql -f query=x"},
		},
		{
			ID: "api-read", Cmd: "gh|glab|hub|tea api", Not: "-X=POST -X=PUT -X=PATCH -X=DELETE -X=post -X=put -X=patch -X=delete --method=POST --method=PUT --method=PATCH --method=DELETE --method=post --method=put --method=patch --method=delete -F --field --input graphql --raw-field -f",
			Label: shell.Safe, Kind: "read", Category: "gh-read", Reason: "asks the API of the forge",
			Match:   []string{"gh api repos/a/b", "gh api --paginate repos/a/b/issues", "gh api user --jq .login"},
			NoMatch: []string{"gh api -X DELETE repos/a/b", "gh api repos/a/b -f a=b", "gh api --input x.json y"},
		},
		{
			ID: "api-read-get", Cmd: "gh|glab|hub api", Any: "-X=GET --method=GET --method=get -X=get",
			Label: shell.Safe, Kind: "read", Category: "gh-read", Reason: "asks the API of the forge",
			Match:   []string{"gh api -X GET search/issues -f q=x", "gh api --method GET x -F a=b"},
			NoMatch: []string{"gh api -f a=b x", "gh api -X DELETE x"},
		},
		{
			ID: "auth", Cmd: "gh|glab|hub|tea auth|login|logout logout|login|refresh|setup-git|switch|*", Any: "logout login refresh setup-git switch", Not: "status token",
			Label: shell.Unknown, Kind: "modify", Category: "privilege", Radius: shell.RadiusMedium, Reason: "changes who is logged in at the forge",
			Match:   []string{"gh auth logout", "gh auth login --with-token", "glab auth login", "gh auth setup-git"},
			NoMatch: []string{"gh auth status", "gh pr list"},
		},
		{
			ID: "auth-token", Cmd: "gh|glab auth token",
			Label: shell.Unknown, Kind: "read", Category: "secret-read", Radius: shell.RadiusMedium, Reason: "prints the token of the forge",
			Match:   []string{"gh auth token", "gh auth token --hostname x"},
			NoMatch: []string{"gh auth status"},
		},
		{
			ID: "auth-token-show", Cmd: "gh|glab auth status", Any: "-t --show-token",
			Label: shell.Unknown, Kind: "read", Category: "secret-read", Radius: shell.RadiusMedium, Reason: "prints the token of the forge",
			Match:   []string{"gh auth status --show-token", "gh auth status -t"},
			NoMatch: []string{"gh auth status"},
		},
		{
			ID: "forge-read", Cmd: "gh|glab|hub|tea pr|issue|run|repo|release|workflow|gist|secret|variable|label|ruleset|cache|project|org|ssh-key|gpg-key|search|extension|mr|ci|pipeline|auth|alias|config|codespace|cs|status|browse|issues|pulls|milestones|releases|user|iteration|deploy-key|attestation|job|incident|cluster|schedule|milestone view|list|ls|status|diff|checks|show|watch|log|logs|get|issues|prs|repos|commits|code|lint|trace|check|field-list|item-list|clone|download|verify|search|approvers|for|tail|artifact|find|contributors|install|upgrade|browse|set|import|stats|members|describe|licenses|gitignore", Not: "--show-token -t set",
			Label: shell.Safe, Kind: "read", Category: "gh-read", Reason: "reads from the forge",
			Match:   []string{"gh pr view 12", "gh pr list --state open", "gh issue view 5 --comments", "gh run view 5 --log-failed", "gh repo clone a/b", "glab mr list", "gh pr checks", "gh release download v1", "gh search issues x"},
			NoMatch: []string{"gh pr merge 12", "gh repo delete x", "gh secret set X", "gh auth status -t"},
		},
		{
			ID: "forge-status", Cmd: "gh|hub|glab status|version|help|completion|ci-status|pr-status|whoami", Not: "-w --web",
			Label: shell.Safe, Kind: "read", Category: "gh-read", Reason: "reads from the forge",
			Match:   []string{"gh status", "gh version", "glab version"},
			NoMatch: []string{"gh pr merge 1"},
		},
		{
			ID: "forge-lists", Cmd: "gh release|label|gist|project|config|alias|extension|milestone create|upload|edit|set|remove|delete|link|unlink|copy|item-add|item-create|item-edit|field-create|close|mark-template|clone|import|rename|item-archive|exec", Not: "--list --dry-run",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "changes something on the forge or of its client",
			Match:   []string{"gh release create v1", "gh label create x", "gh release upload v1 a.zip", "gh alias set x y", "gh project close 1"},
			NoMatch: []string{"gh release list", "gh label list", "gh extension install a/b-x"},
		},
		{
			ID: "hub-change", Cmd: "hub|tea|glab create|fork|pull-request|push|sync|gist|release|issue|merge|am|apply|cherry-pick|compare|repo|label|milestone|snippet|user|project|changelog", Not: "list view show ls status get search clone contributors archive diff delete close generate issues",
			Label: shell.Unknown, Kind: "modify", Category: "forge-change", Radius: shell.RadiusMedium, Reason: "changes something on the forge",
			Match:   []string{"hub create x", "hub pull-request -m x", "hub fork"},
			NoMatch: []string{"hub ci-status", "glab mr list", "glab repo view", "hub issue show 5"},
		},

		// CI systems.
		{
			ID: "jenkins-delete", Cmd: "jenkins-cli|jenkins-cli.jar|jcli|jenkins delete-job|delete-builds|delete-node|delete-view|disable-job|shutdown|safe-shutdown|restart|safe-restart|stop-builds|offline-node|quiet-down|clear-queue|disconnect-node|delete-credentials|delete-credentials-domain|disable-plugin|reload-configuration",
			Label: shell.Destructive, Kind: "delete", Category: "ci-delete", Radius: shell.RadiusHigh, Reason: "deletes jobs or stops the CI server",
			Match:   []string{"jenkins-cli delete-job app", "jenkins-cli -s http://h delete-builds app 1-10", "jenkins-cli safe-shutdown"},
			NoMatch: []string{"jenkins-cli list-jobs", "jenkins-cli version"},
		},
		{
			ID: "jenkins-run", Cmd: "jenkins-cli|jcli groovy|groovysh|build|create-job|update-job|copy-job|install-plugin|create-node|update-node|enable-job|create-credentials-by-xml|update-credentials-by-xml|reload-job|set-build-description",
			Label: shell.Unknown, Kind: "modify", Category: "ci-change", Radius: shell.RadiusMedium, Reason: "changes or runs jobs of the CI server",
			Match:   []string{"jenkins-cli build app", "jenkins-cli groovy = x"},
			NoMatch: []string{"jenkins-cli list-jobs"},
		},
		{
			ID: "jenkins-read", Cmd: "jenkins-cli|jcli list-jobs|get-job|version|who-am-i|console|list-plugins|list-changes|get-node|get-view|help|list-credentials|session-id|declarative-linter",
			Label: shell.Safe, Kind: "read", Category: "ci-read", Reason: "reads from the CI server",
			Match:   []string{"jenkins-cli list-jobs", "jenkins-cli console app"},
			NoMatch: []string{"jenkins-cli delete-job app"},
		},
		{
			ID: "ci-delete", Cmd: "circleci|travis|drone|bk|buildkite-agent|argo|argocd|tkn|woodpecker-cli|appveyor|semaphore|sem|codefresh|spin|harness|octo|bitrise|earthly|dagger|tekton|tea|vela|screwdriver|teamcity|buildctl|nektos|runner", Any: "delete rm remove destroy unset clear cancel disable destroy-pipeline destroy-team terminate stop remove-secret delete-secret kill prune land-worker prune-worker retire-worker", Not: "app apps list ls machines volumes -l",
			Label: shell.Destructive, Kind: "delete", Category: "ci-delete", Radius: shell.RadiusMedium, Reason: "deletes jobs, runs or settings of the CI",
			Match:   []string{"circleci context delete github org ctx", "travis env unset X", "drone repo rm a/b", "argo delete --all", "argo terminate x", "tkn pipeline delete x", "tkn pipelinerun delete --all -f", "travis cancel 5", "travis disable", "drone secret rm --name x"},
			NoMatch: []string{"circleci config validate", "travis status", "drone repo ls", "argo list", "argo get x", "tkn pipeline list"},
		},
		{
			ID: "ci-read", Cmd: "circleci|travis|drone|bk|argo|tkn|woodpecker-cli|act|codefresh|sem|earthly|dagger", Any: "validate lint status ls list get logs log show info history version help process pack branches whatsup config watch -l --list -n describe check whoami ps doctor", Not: "delete rm remove destroy unset clear cancel disable terminate stop kill set add create update submit restart start trigger encrypt login promote approve rollback prune logout enable sync retry resubmit resume suspend",
			Label: shell.Safe, Kind: "read", Category: "ci-read", Reason: "reads from or checks the CI",
			Match:   []string{"circleci config validate", "travis status", "drone build ls a/b", "argo list", "argo logs x", "tkn pr list", "travis lint", "act -l", "argo lint x.yaml"},
			NoMatch: []string{"argo delete x", "argo submit x.yaml"},
		},
		{
			ID: "ci-run", Cmd: "circleci|argo|tkn|drone|bk|woodpecker-cli|travis|fastlane|firebase|act|earthly|dagger|codefresh|spin|bitrise|gitlab-runner|buildkite-agent|semaphore|goreleaser|skaffold|tilt|devspace|garden|werf|okteto|kamal|mina|dokku|deployer|dep|eas|shorebird|appcenter|match|pilot|deliver", Any: "submit run deploy release beta start restart trigger execute promote approve rollback retry resubmit resume suspend set add create update enable sync login build publish upload match pilot deliver production setup up push register apply", Not: "list ls status validate lint check lanes --snapshot --dry-run",
			Label: shell.Unknown, Kind: "run", Category: "ci-change", Radius: shell.RadiusMedium, Reason: "starts runs or deployments",
			Match:   []string{"argo submit x.yaml", "circleci local execute", "fastlane beta", "firebase deploy", "drone build restart a/b 1", "eas build", "goreleaser release", "kamal deploy"},
			NoMatch: []string{"argo list", "circleci config validate", "fastlane lanes", "goreleaser check"},
		},
		{
			ID: "runner-remove", Cmd: "gitlab-runner|buildkite-agent|actions-runner|config.sh unregister|stop|uninstall|reset-token|remove",
			Label: shell.Destructive, Kind: "delete", Category: "ci-delete", Radius: shell.RadiusMedium, Reason: "takes a machine that runs jobs away",
			Match:   []string{"gitlab-runner unregister --all-runners", "gitlab-runner stop"},
			NoMatch: []string{"gitlab-runner list", "gitlab-runner status"},
		},
		{
			ID: "runner-read", Cmd: "gitlab-runner list|status|verify|run|exec|start|run-single",
			Label: shell.Safe, Kind: "read", Category: "ci-read", Reason: "asks or starts a machine that runs jobs",
			Match:   []string{"gitlab-runner list", "gitlab-runner status"},
			NoMatch: []string{"gitlab-runner unregister --all-runners"},
		},
		{
			ID: "jenkins-jar", Cmd: "java", Any: "delete-job delete-builds delete-node delete-view disable-job shutdown safe-shutdown restart safe-restart clear-queue delete-credentials", All: "jenkins-cli.jar|*/jenkins-cli.jar",
			Label: shell.Destructive, Kind: "delete", Category: "ci-delete", Radius: shell.RadiusHigh, Reason: "deletes jobs or stops the CI server",
			Match:   []string{"java -jar jenkins-cli.jar -s http://ci delete-job deploy", "java -jar jenkins-cli.jar safe-shutdown"},
			NoMatch: []string{"java -jar app.jar", "java -jar jenkins-cli.jar list-jobs"},
		},
		{
			ID: "fastlane-nuke", Cmd: "fastlane|match", Any: "nuke nuke_certs",
			Label: shell.Destructive, Kind: "delete", Category: "secret-delete", Radius: shell.RadiusHigh, Reason: "revokes certificates and profiles of the team",
			Match:   []string{"fastlane match nuke distribution", "fastlane match nuke development", "match nuke enterprise"},
			NoMatch: []string{"fastlane match development", "fastlane lanes"},
		},
		{
			ID: "fastlane-read", Cmd: "fastlane|goreleaser|eas|expo|firebase lanes|list|env|docs|check|healthcheck|jsonschema|whoami|doctor|diagnostics|help|init|emulators:start|serve|projects:list|apps:list|functions:log|build:list|build:view|start|install|prebuild|test|scan|gym|emulators:exec|functions:list|hosting:channel:list|use|completion|config|export|customize|lint|login:list", Not: "deploy firestore:delete database:remove functions:delete hosting:disable",
			Label: shell.Safe, Kind: "read", Category: "ci-read", Reason: "an everyday step of a deployment tool",
			Match:   []string{"fastlane lanes", "goreleaser check", "firebase emulators:start", "expo start", "eas whoami", "fastlane test"},
			NoMatch: []string{"firebase deploy", "fastlane release", "eas build", "firebase firestore:delete"},
		},
		{
			ID: "firebase-delete", Cmd: "firebase firestore:delete|database:remove|functions:delete|hosting:disable|hosting:channel:delete|hosting:sites:delete|apps:delete|auth:import|remoteconfig:rollback|functions:secrets:destroy|database:set|database:update|ext:uninstall|firestore:databases:delete|firestore:databases:restore|functions:secrets:prune|appdistribution:testers:remove|dataconnect:sql:migrate|apphosting:backends:delete|functions:config:unset|target:clear",
			Label: shell.Destructive, Kind: "delete", Category: "cloud-delete", Radius: shell.RadiusHigh, Reason: "deletes data or parts of a hosted project",
			Match:   []string{"firebase firestore:delete --all-collections", "firebase database:remove /users", "firebase functions:delete f", "firebase hosting:disable"},
			NoMatch: []string{"firebase projects:list", "firebase deploy"},
		},
		{
			ID: "capistrano", Cmd: "cap * deploy|deploy:*|invoke",
			Label: shell.Unknown, Kind: "run", Category: "ci-change", Radius: shell.RadiusMedium, Reason: "deploys the project",
			Match:   []string{"cap production deploy", "cap staging deploy:rollback"},
			NoMatch: []string{"cap sync ios"},
		},
		{
			ID: "deploy-rollback", Cmd: "kamal|mina|dokku|deployer|dep|skaffold|tilt|devspace|werf|okteto|garden|caprover|piku|convox|captain|tsuru|porter", Any: "remove delete down purge dismiss destroy apps:destroy postgres:destroy mysql:destroy redis:destroy mongo:destroy prune cleanup reset ps:stop stop app:remove storage:unmount git:unlock *:destroy *:remove *:unset *:clear",
			Label: shell.Destructive, Kind: "delete", Category: "iac-destroy", Radius: shell.RadiusHigh, Reason: "removes a deployed application or its data",
			Match:   []string{"kamal remove", "kamal app remove", "dokku apps:destroy app", "skaffold delete", "tilt down", "devspace purge", "werf dismiss", "okteto destroy", "dokku postgres:destroy db", "kamal prune all"},
			NoMatch: []string{"kamal app logs", "dokku apps:list", "skaffold build", "tilt ci"},
		},
		{
			ID: "deploy-read", Cmd: "kamal|dokku|skaffold|tilt|devspace|okteto", Any: "logs details audit config version apps:list ps:report config:show logs: diagnose render list status domains:report describe doctor apps:report help init docs", Not: "remove delete down purge destroy *:destroy deploy redeploy rollback reset stop set *:set *:unset",
			Label: shell.Safe, Kind: "read", Category: "ci-read", Reason: "reads about a deployed application",
			Match:   []string{"kamal app logs", "dokku apps:list", "skaffold diagnose", "dokku logs app"},
			NoMatch: []string{"kamal remove", "dokku apps:destroy x"},
		},
	},
}
