package shell

import "strings"

// alternatives lists, by rule or category, what to do instead of running a blocked command. The texts
// are short, in the imperative, and valid for every program and shell of the rule. Commands in
// backquotes pass the guards that are on by default; a test checks them. "{program}" stands for the
// program of the call, which must be one of alternativePrograms.
var alternatives = [...]struct{ rule, text string }{
	{"git/push-force", "push to your own branch with `git push -u origin my-branch`, and open a pull request"},
	{"git/push-lease", "push to your own branch with `git push -u origin my-branch`, and open a pull request"},
	{"git/push-mirror", "push branches by name: `git push origin my-branch`"},
	{"git/reset-hard", "stash the changes with `git stash -u`, or undo the last commit with `git reset --soft HEAD~1`"},
	{"git/checkout-force", "stash the changes with `git stash -u`, then switch branches without force"},
	{"git/switch-force", "stash the changes with `git stash -u`, then switch branches without force"},
	{"git/checkout-paths", "set the changes aside with `git stash`, which keeps them"},
	{"git/checkout-file", "set the changes aside with `git stash`, which keeps them"},
	{"git/checkout-tree", "set the changes aside with `git stash`, which keeps them"},
	{"git/restore", "set the changes aside with `git stash`, which keeps them"},
	{"git/restore-both", "set the changes aside with `git stash`, which keeps them"},
	{"git/clean", "see what it would delete with `git clean -n`, or stash the files with `git stash -u`"},
	{"git/stash-drop", "drop a single stash: `git stash drop stash@{0}`"},
	{"git/branch-delete-force", "use `git branch -d`, which deletes only merged branches"},
	{"git/branch-delete-forced", "use `git branch -d` without force, which deletes only merged branches"},
	{"git/worktree-remove-force", "use `git worktree remove` without force, which refuses if changes would be lost"},
	{"git/submodule-deinit", "use `git submodule deinit` without force, which refuses if changes would be lost"},
	{"git/gc-prune", "use `git gc`, which keeps recent objects"},

	{"filesystem/delete-home", "delete only the directory you mean, by its full path"},
	{"filesystem/delete-root", "delete only the directory you mean, by its full path"},
	{"filesystem/delete-project-root", "delete only the directory you mean, by its full path"},
	{"filesystem/delete-project", "rename what you want out of the way, or remove files that Git tracks with `git rm`, so that Git can restore them"},
	{"filesystem/truncate-project", "change only the lines you mean, with the file edit tool"},
	{"services/cron-remove", "keep a copy of the jobs: `crontab -l > crontab.txt`"},
	{"permissions/rights-project-root", "name only the files you mean, and add only missing permissions for their owner, such as u+rwX"},
	{"permissions/rights-root", "name only the files you mean, and add only missing permissions for their owner, such as u+rwX"},

	{"containers/system-prune", "prune one kind of object, such as images: `{program} image prune -f`"},
	{"containers/compose-down-volumes", "keep the volumes: leave out -v (--volumes)"},
	{"kubernetes/delete-wide", "add `--dry-run=client` to see what it would delete"},
	{"kubernetes/delete", "add `--dry-run=client` to see what it would delete"},
	{"kubernetes/helm-uninstall", "add `--dry-run` to see what it would do"},
	{"infrastructure/terraform-destroy", "see what it would destroy with `{program} plan -destroy`"},
	{"infrastructure/terraform-auto", "see what it would change with `{program} plan`"},
	{"cloud/s3-rm-recursive", "see what is there with `aws s3 ls --recursive` and the same address"},

	{"databases/delete-all", "limit it to the rows you mean with a WHERE clause"},
	{"databases/update-all", "limit it to the rows you mean with a WHERE clause"},
	{"databases/redis", "delete only the keys you mean, by name, with DEL"},
	{"databases/rails-reset", "run the task db:migrate, which keeps the data"},
	{"databases/prisma-reset", "use migrate dev, which asks before it drops data"},
	{"databases/prisma-push", "leave out --force-reset and --accept-data-loss: Prisma then refuses if data would be lost"},

	{"packages/js-publish", "see what would be published with `{program} publish --dry-run`"},
	{"packages/cargo-publish", "add `--dry-run` to see what would be published"},
	{"packages/apt-remove", "add `-s` to see what it would remove"},
	{"services/kill", "kill only the process you mean, by its ID"},
	{"services/kill-by-name", "kill only the process you mean, by its ID"},

	{"code/opaque", "write the command out in full, without code from variables, files or other programs"},
	{"code/syntax", "correct the shell syntax"},
	{"remote-code", "download the code to a file, read the file, then run it"},
	{"remote-script-plain", "download the code to a file, read the file, then run it"},
	{"too-much", "split it into smaller, separate commands"},
	{"secret-read", "let the program that needs the secret read it itself"},
	{"secret-file-read", "let the program that needs the secret read it itself"},
}

// alternativePrograms lists the programs that have the subcommands after "{program}" in alternatives.
const alternativePrograms = " docker podman nerdctl terraform tofu terragrunt npm pnpm bun "

// Alternative returns a suggestion of a harmless command in place of the effect, or "" if there is
// none.
func (e *Effect) Alternative() string {
	row := e.Row()
	if row.Own != "" {
		return ""
	}
	rule := e.RuleName()
	for i := range alternatives {
		in := &alternatives[i]
		if in.rule != rule && in.rule != row.Name {
			continue
		}
		if !strings.Contains(in.text, "{program}") {
			return in.text
		}
		program, _, _ := strings.Cut(e.Words, " ")
		if !strings.Contains(alternativePrograms, " "+program+" ") {
			return ""
		}
		return strings.ReplaceAll(in.text, "{program}", program)
	}
	return ""
}

// EachAlternative calls fn with each rule or category that has a harmless alternative, and its text.
func EachAlternative(fn func(rule, text string)) {
	for i := range alternatives {
		fn(alternatives[i].rule, alternatives[i].text)
	}
}
