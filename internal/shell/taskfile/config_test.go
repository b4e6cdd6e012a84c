package taskfile

import (
	"testing"
)

func TestConfigPart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, files, call, want string }{
		{"tests", "-- conftest.py --\n-- x.py --\n", "pytest -q", "part conftest.py\nunsure pytest runs the tests of this repository\n"},
		{"a file that is named", "-- other.py --\n-- noxfile.py --\n", "nox -f other.py", "part noxfile.py\npart other.py\nunsure nox runs this repository's code\n"},
		{"a subcommand that runs nothing", "-- Cargo.toml --\n", "cargo fmt", ""},
		{"one that does", "-- Cargo.toml --\n-- build.rs --\n", "cargo test", "part Cargo.toml\npart build.rs\nunsure cargo test builds and runs this repository's code\n"},
		{"gems", "-- Gemfile --\n", "bundle exec rake", "part Gemfile\n"},
		{"the virtual environment", "-- .venv/bin/ruff --\n", "poetry run ruff", "part .venv/bin/ruff\n"},
		{"uv builds first", "-- pyproject.toml --\n", "uv run ruff", "part pyproject.toml\nunsure uv run runs the set-up code of what it installs\n"},
		{"a playbook", "-- site.yml --\n", "ansible-playbook -i hosts site.yml", "part site.yml\nunsure ansible-playbook runs what playbooks of this repository say\n"},
		{"go run", "-- x/a.go --\n-- x/a_test.go --\n-- x/b.go --\n-- x/c.txt --\n", "go run ./x arg", "part x/a.go\npart x/b.go\nunsure go run builds the packages of this module\n"},
		{"go run of files", "-- a.go --\n-- b.go --\n", "go run -race a.go b.go", "part a.go\npart b.go\nunsure go run builds the packages of this module\n"},
		{"go run of elsewhere", "", "go run example.com/x@latest", "unsure go run would fetch example.com/x@latest\n"},
		{"go test", "", "go test ./...", "unsure go test runs the tests of this repository\n"},
		{"go vet", "", "go vet ./...", ""},
		{"scripts of composer", "-- composer.json --\n{\"scripts\":{\"test\":[\"@lint\",\"phpunit\",\"App\\\\Hooks::run\"],\"lint\":\"./lint.sh\",\"other\":\"x\"}}\n", "composer test", "part composer.json (script test)\n  |\"test\":[\"@lint\",\"phpunit\",\"App\\\\Hooks::run\"]\n  |\"lint\":\"./lint.sh\"\ntext [.] <vendor/bin> phpunit\ntext [.] <vendor/bin> ./lint.sh\nunsure composer runs App\\Hooks::run of this repository\n"},
		{"several scripts", samplePackage, "run-s lint deploy", "part package.json (script lint)\n  |\"lint\":\"eslint src\"\npart package.json (script deploy)\n  |\"deploy\":\"./deploy.sh\"\ntext [.] BIN eslint src\ntext [.] BIN ./deploy.sh\n"},
		{"tasks of deno", "-- deno.jsonc --\n{ // note\n\"tasks\": {\"a\": {\"command\": \"./a.sh\", \"dependencies\": [\"b\"]}, \"b\": \"./b.sh\", \"c\": \"./c.sh\",}}\n", "deno task a", "part deno.jsonc (task a)\n  |\"a\":{\"command\":\"./a.sh\",\"dependencies\":[\"b\"]}\n  |\"b\":\"./b.sh\"\ntext [.] BIN ./a.sh\ntext [.] BIN ./b.sh\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, tc.files)
			res := readIn(t, dir, tc.call)
			for i := range res.Texts {
				if t := &res.Texts[i]; len(t.Bin) > 1 {
					t.Text, t.Bin = "BIN "+t.Text, nil
				}
			}
			if got := show(dir, res); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
	for _, call := range []string{"deno run x.ts", "node x.js", "bun x.ts", "bun"} {
		if _, ok := Read(callOf(call), t.TempDir(), disk{}); ok {
			t.Errorf("%s is taken for a runner", call)
		}
	}
}
