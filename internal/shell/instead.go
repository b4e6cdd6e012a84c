package shell

// insteads say, by rule or category, what would be fine in the place of what is
// stopped: short, in the imperative. Commands in backquotes pass the guards that
// are on by default; a test tries them.
var insteads = [...]struct{ rule, text string }{
	{"git/push-force", "push to a branch of your own, `git push -u origin my-branch`, and open a pull request"},
	{"git/push-lease", "push to a branch of your own, `git push -u origin my-branch`, and open a pull request"},
	{"git/push-mirror", "push the branches that you mean by name: `git push origin my-branch`"},
	{"git/reset-hard", "put the changes away with `git stash -u`, or take commits back with `git reset --soft HEAD~1`"},
	{"git/checkout-force", "put the changes away with `git stash -u`, then switch with `git switch main`"},
	{"git/switch-force", "put the changes away with `git stash -u`, then switch with `git switch main`"},
	{"git/checkout-paths", "put the changes away with `git stash push -- src`"},
	{"git/checkout-file", "put the changes away with `git stash push -- src`"},
	{"git/checkout-tree", "put the changes away with `git stash push -- src`"},
	{"git/restore", "put the changes away with `git stash push -- src`"},
	{"git/restore-both", "put the changes away with `git stash push -- src`"},
	{"git/clean", "see what it would delete with `git clean -n`, or put it away with `git stash -u`"},
	{"git/stash-drop", "drop one by its name: `git stash drop stash@{0}`"},
	{"git/branch-delete-force", "delete what is merged: `git branch -d old`"},
	{"git/branch-delete-forced", "delete what is merged: `git branch -d old`"},
	{"git/worktree-remove-force", "`git worktree remove ../x`, which refuses to lose changes"},
	{"git/submodule-deinit", "`git submodule deinit lib`, which refuses to lose changes"},
	{"git/gc-prune", "`git gc`, which keeps what is recent"},

	{"filesystem/delete-home", "delete the one directory that you mean by its path"},
	{"filesystem/delete-root", "delete the one directory that you mean by its path"},
	{"filesystem/delete-project-root", "delete the one directory that you mean by its path"},
	{"filesystem/delete-project", "move it away with `mv src src.old`, or let git remember it with `git rm -r src`"},
	{"filesystem/truncate-project", "change the lines that you mean with the file edit tool"},
	{"filesystem/crontab-remove", "see what is there with `crontab -l`"},
	{"permissions/rights-project-root", "give only what is missing, only to the owner: `chmod -R u+rwX src`"},
	{"permissions/rights-root", "name the files, and give only what is missing: `chmod -R u+rwX src`"},

	{"containers/system-prune", "remove one kind of thing: `docker image prune -f`"},
	{"containers/compose-down-volumes", "keep the volumes: `docker compose down`"},
	{"kubernetes/delete-wide", "see what it would delete with `--dry-run=client`"},
	{"kubernetes/delete", "see what it would delete with `--dry-run=client`"},
	{"kubernetes/helm-uninstall", "see what it would do with `--dry-run`"},
	{"infrastructure/terraform-destroy", "see what it would destroy with `terraform plan -destroy`"},
	{"infrastructure/terraform-auto", "see what it would change with `terraform plan`"},
	{"cloud/s3-rm-recursive", "see what it would delete with `--dryrun`"},

	{"databases/delete-all", "say which rows: `psql -c 'DELETE FROM a WHERE id = 1'`"},
	{"databases/update-all", "say which rows: `psql -c 'UPDATE a SET b = 1 WHERE id = 1'`"},
	{"databases/redis", "delete keys by name: `redis-cli DEL key`"},
	{"databases/rails-reset", "`rails db:migrate`, which keeps the data"},
	{"databases/prisma-reset", "`prisma migrate dev`, which asks before it drops data"},
	{"databases/prisma-push", "`prisma db push`, which refuses to lose data"},

	{"packages/js-publish", "see what would be published with `npm publish --dry-run`"},
	{"packages/cargo-publish", "see what would be published with `cargo publish --dry-run`"},
	{"packages/apt-remove", "see what it would remove with `apt-get remove -s x`"},
	{"services/kill", "end one process by its number: `kill 1234`"},
	{"services/kill-by-name", "end one process by its number: `kill 1234`"},
	{"services/service-stop", "see how it is with `systemctl status nginx`"},
	{"services/firewall-flush", "see the rules with `iptables -L`"},

	{"code/opaque", "write out the command that is meant, without eval or a variable that holds code"},
	{"code/syntax", "write a command that a shell can read"},
	{"remote-code", "download it with `curl -fsSLo install.sh https://example.com/install.sh`, read it, then run the file"},
	{"remote-script-plain", "download it with `curl -fsSLo install.sh https://example.com/install.sh`, read it, then run the file"},
	{"too-much", "run it in smaller steps, each a command of its own"},
	{"secret-read", "let the program that needs it read it by itself"},
	{"secret-file-read", "let the program that needs it read it by itself"},
}

// Instead is what would be fine in the place of the effect; "" = not known.
func (e *Effect) Instead() string {
	row := e.Row()
	if row.Own != "" {
		return ""
	}
	rule := e.RuleName()
	for i := range insteads {
		if in := &insteads[i]; in.rule == rule || in.rule == row.Name {
			return in.text
		}
	}
	return ""
}

// Insteads calls fn with every rule or category for which something else would be
// fine, and with that.
func Insteads(fn func(rule, text string)) {
	for i := range insteads {
		fn(insteads[i].rule, insteads[i].text)
	}
}
