package shell

// insteads say, by rule or category, what would be fine in the place of what is
// stopped: short, in the imperative. Commands in backquotes pass the guards that
// are on by default; a test tries them.
var insteads = [...]struct{ rule, text string }{
	{"git/push-force", "push to your own branch with `git push -u origin my-branch`, and open a pull request"},
	{"git/push-lease", "push to your own branch with `git push -u origin my-branch`, and open a pull request"},
	{"git/push-mirror", "push branches by name: `git push origin my-branch`"},
	{"git/reset-hard", "stash the changes with `git stash -u`, or undo the last commit with `git reset --soft HEAD~1`"},
	{"git/checkout-force", "stash the changes with `git stash -u`, then switch with `git switch main`"},
	{"git/switch-force", "stash the changes with `git stash -u`, then switch with `git switch main`"},
	{"git/checkout-paths", "stash the changes with `git stash push -- src`"},
	{"git/checkout-file", "stash the changes with `git stash push -- src`"},
	{"git/checkout-tree", "stash the changes with `git stash push -- src`"},
	{"git/restore", "stash the changes with `git stash push -- src`"},
	{"git/restore-both", "stash the changes with `git stash push -- src`"},
	{"git/clean", "see what it would delete with `git clean -n`, or stash the files with `git stash -u`"},
	{"git/stash-drop", "drop a single stash: `git stash drop stash@{0}`"},
	{"git/branch-delete-force", "delete only merged branches: `git branch -d old`"},
	{"git/branch-delete-forced", "delete only merged branches: `git branch -d old`"},
	{"git/worktree-remove-force", "use `git worktree remove ../x`, which refuses if changes would be lost"},
	{"git/submodule-deinit", "use `git submodule deinit lib`, which refuses if changes would be lost"},
	{"git/gc-prune", "use `git gc`, which keeps recent objects"},

	{"filesystem/delete-home", "delete only the directory you mean, by its full path"},
	{"filesystem/delete-root", "delete only the directory you mean, by its full path"},
	{"filesystem/delete-project-root", "delete only the directory you mean, by its full path"},
	{"filesystem/delete-project", "rename it with `mv src src.old`, or remove it with `git rm -r src` so that Git can restore it"},
	{"filesystem/truncate-project", "change only the lines you mean, with the file edit tool"},
	{"filesystem/crontab-remove", "list the scheduled jobs with `crontab -l`"},
	{"permissions/rights-project-root", "add only the missing permissions, only for the owner: `chmod -R u+rwX src`"},
	{"permissions/rights-root", "name the files, and add only the missing permissions: `chmod -R u+rwX src`"},

	{"containers/system-prune", "prune one kind of object: `docker image prune -f`"},
	{"containers/compose-down-volumes", "keep the volumes: `docker compose down`"},
	{"kubernetes/delete-wide", "see what it would delete with `--dry-run=client`"},
	{"kubernetes/delete", "see what it would delete with `--dry-run=client`"},
	{"kubernetes/helm-uninstall", "see what it would do with `--dry-run`"},
	{"infrastructure/terraform-destroy", "see what it would destroy with `terraform plan -destroy`"},
	{"infrastructure/terraform-auto", "see what it would change with `terraform plan`"},
	{"cloud/s3-rm-recursive", "see what it would delete with `--dryrun`"},

	{"databases/delete-all", "limit it with WHERE: `psql -c 'DELETE FROM a WHERE id = 1'`"},
	{"databases/update-all", "limit it with WHERE: `psql -c 'UPDATE a SET b = 1 WHERE id = 1'`"},
	{"databases/redis", "delete keys by name: `redis-cli DEL key`"},
	{"databases/rails-reset", "use `rails db:migrate`, which keeps the data"},
	{"databases/prisma-reset", "use `prisma migrate dev`, which asks before it drops data"},
	{"databases/prisma-push", "use `prisma db push`, which refuses if data would be lost"},

	{"packages/js-publish", "see what would be published with `npm publish --dry-run`"},
	{"packages/cargo-publish", "see what would be published with `cargo publish --dry-run`"},
	{"packages/apt-remove", "see what it would remove with `apt-get remove -s x`"},
	{"services/kill", "kill one process by its ID: `kill 1234`"},
	{"services/kill-by-name", "kill one process by its ID: `kill 1234`"},
	{"services/service-stop", "check its status with `systemctl status nginx`"},
	{"services/firewall-flush", "see the rules with `iptables -L`"},

	{"code/opaque", "write the command out in full, without eval or code in a variable"},
	{"code/syntax", "correct the shell syntax"},
	{"remote-code", "download it with `curl -fsSLo install.sh https://example.com/install.sh`, read it, then run the file"},
	{"remote-script-plain", "download it with `curl -fsSLo install.sh https://example.com/install.sh`, read it, then run the file"},
	{"too-much", "split it into smaller, separate commands"},
	{"secret-read", "let the program that needs the secret read it itself"},
	{"secret-file-read", "let the program that needs the secret read it itself"},
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
