package taskfile

// A row is a program that runs what files of a repository say.
type row struct {
	program string
	files   string // that it reads
	read    func(*reading) bool
	subs    string // the subcommands that run something; "" = whatever it is told
	what    string // what cannot be told, behind the program's name
}

const (
	makefiles = "GNUmakefile makefile Makefile"
	taskfiles = "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml taskfile.dist.yaml"
	composes  = "compose.yaml compose.yml docker-compose.yaml docker-compose.yml compose.override.yaml compose.override.yml docker-compose.override.yaml docker-compose.override.yml Dockerfile Containerfile"
	gradles   = "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradle/wrapper/gradle-wrapper.properties gradle/wrapper/gradle-wrapper.jar"
	mavens    = "pom.xml .mvn/maven.config .mvn/jvm.config .mvn/extensions.xml .mvn/wrapper/maven-wrapper.properties"
	pythons   = "conftest.py pytest.ini pyproject.toml setup.cfg tox.ini"
	mises     = "mise.toml .mise.toml .mise/config.toml mise/config.toml .config/mise.toml"

	runsCode     = "runs this repository's code"
	buildsCode   = "builds and runs this repository's code"
	runsTests    = "runs the tests of this repository"
	runsConfig   = "runs its configuration in this repository, and what that loads"
	saysConfig   = "runs what its configuration in this repository says"
	runsImage    = "runs what its image and its mounts hold"
	dockerRuns   = "run exec build buildx compose up start create bake"
	runsPackages = "runs scripts of the packages of this repository"
)

// rows are the runners, sorted by program. What runs for most is the repository at
// large: then the files that they read are covered as a whole, and it is said that
// there is more.
var rows = [...]row{
	{"ansible", "ansible.cfg", readConfig, "", saysConfig},
	{"ansible-playbook", "ansible.cfg", readConfig, "", "runs what playbooks of this repository say"},
	{"ant", "build.xml", readConfig, "", buildsCode},
	{"ava", "ava.config.js ava.config.cjs ava.config.mjs", readConfig, "", runsTests},
	{"babel", "babel.config.js babel.config.cjs babel.config.mjs .babelrc.js .babelrc.cjs babel.config.json .babelrc", readConfig, "", runsConfig},
	{"bazel", ".bazelrc MODULE.bazel WORKSPACE WORKSPACE.bazel BUILD BUILD.bazel tools/bazel", readConfig, "", buildsCode},
	{"bazelisk", ".bazelrc MODULE.bazel WORKSPACE WORKSPACE.bazel BUILD BUILD.bazel tools/bazel", readConfig, "", buildsCode},
	{"behave", "behave.ini features/environment.py", readConfig, "", runsTests},
	{"buck2", ".buckconfig BUCK", readConfig, "", buildsCode},
	{"bun", "", readPack, "", ""},
	{"bundle", "Gemfile gems.rb .bundle/config", readConfig, "install update add", "runs the set-up code of what it installs"},
	{"bunx", "", readExec, "", ""},
	{"cabal", "cabal.project Setup.hs", readConfig, "build run test bench repl install exec v2-run v2-test v2-build", buildsCode},
	{"cargo", "Cargo.toml build.rs .cargo/config.toml .cargo/config", readConfig, "test t run r bench build b check c clippy nextest doc d install miri rustc fix", buildsCode},
	{"cmake", "CMakeLists.txt CMakePresets.json", readConfig, "", buildsCode},
	{"composer", "composer.json", readComposer, "", ""},
	{"ctest", "CTestTestfile.cmake", readConfig, "", runsTests},
	{"cucumber", "cucumber.js cucumber.yml", readConfig, "", runsTests},
	{"cypress", "cypress.config.js cypress.config.ts cypress.config.mjs cypress.config.cjs", readConfig, "", runsTests},
	{"deno", "deno.json deno.jsonc package.json", readDeno, "", ""},
	{"docker", composes, readConfig, dockerRuns, runsImage},
	{"docker-compose", composes, readConfig, "", runsImage},
	{"doit", "dodo.py", readConfig, "", runsCode},
	{"dotnet", "Directory.Build.props Directory.Build.targets nuget.config", readConfig, "test run build publish msbuild watch restore pack tool", buildsCode},
	{"dune", "dune-project dune", readConfig, "", buildsCode},
	{"esbuild", "", readConfig, "", runsConfig},
	{"eslint", "eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts .eslintrc.js .eslintrc.cjs .eslintrc.yaml .eslintrc.yml .eslintrc.json .eslintrc", readConfig, "", runsConfig},
	{"gmake", makefiles, readMake, "", ""},
	{"go", "", readGo, "", ""},
	{"go-task", taskfiles, readTask, "", ""},
	{"gradle", gradles, readConfig, "", buildsCode},
	{"gradlew", gradles, readConfig, "", buildsCode},
	{"grunt", "Gruntfile.js Gruntfile.coffee Gruntfile.cjs", readConfig, "", runsConfig},
	{"gulp", "gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts gulpfile.babel.js", readConfig, "", runsConfig},
	{"hatch", "pyproject.toml hatch.toml hatch_build.py", readConfig, "", saysConfig},
	{"husky", "", readConfig, "", saysConfig},
	{"inv", "tasks.py invoke.yaml invoke.yml invoke.json invoke.py", readConfig, "", runsCode},
	{"invoke", "tasks.py invoke.yaml invoke.yml invoke.json invoke.py", readConfig, "", runsCode},
	{"jasmine", "spec/support/jasmine.json spec/support/jasmine.mjs", readConfig, "", runsTests},
	{"jest", "jest.config.js jest.config.ts jest.config.mjs jest.config.cjs jest.config.json", readConfig, "", runsTests},
	{"just", "", readJust, "", ""},
	{"karma", "karma.conf.js karma.conf.ts", readConfig, "", runsTests},
	{"lefthook", "lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml lefthook.toml lefthook.json lefthook-local.yml", readConfig, "", saysConfig},
	{"lein", "project.clj", readConfig, "", buildsCode},
	{"lerna", "lerna.json package.json", readConfig, "", runsPackages},
	{"lint-staged", "lint-staged.config.js lint-staged.config.mjs lint-staged.config.cjs .lintstagedrc .lintstagedrc.json .lintstagedrc.yaml .lintstagedrc.js package.json", readConfig, "", saysConfig},
	{"mage", "magefile.go", readConfig, "", runsCode},
	{"make", makefiles, readMake, "", ""},
	{"meson", "meson.build meson_options.txt", readConfig, "", buildsCode},
	{"mill", "build.sc build.mill", readConfig, "", buildsCode},
	{"minitest", "", readConfig, "", runsTests},
	{"mise", mises, readConfig, "run r exec x watch install en activate", saysConfig},
	{"mix", "mix.exs", readConfig, "", runsCode},
	{"mocha", ".mocharc.js .mocharc.cjs .mocharc.mjs .mocharc.yaml .mocharc.yml .mocharc.json .mocharc.jsonc", readConfig, "", runsTests},
	{"msbuild", "Directory.Build.props Directory.Build.targets", readConfig, "", buildsCode},
	{"mvn", mavens, readConfig, "", buildsCode},
	{"mvnw", mavens, readConfig, "", buildsCode},
	{"nerdctl", composes, readConfig, dockerRuns, runsImage},
	{"next", "next.config.js next.config.mjs next.config.ts", readConfig, "", runsConfig},
	{"ng", "angular.json", readConfig, "", runsConfig},
	{"ninja", "build.ninja", readConfig, "", buildsCode},
	{"node", "", readNode, "", ""},
	{"nodemon", "nodemon.json package.json", readConfig, "", saysConfig},
	{"nose2", "unittest.cfg nose2.cfg", readConfig, "", runsTests},
	{"nosetests", "setup.cfg", readConfig, "", runsTests},
	{"nox", "noxfile.py", readConfig, "", runsCode},
	{"npm", "", readPack, "", ""},
	{"npm-run-all", "", readRunAll, "", ""},
	{"npx", "", readExec, "", ""},
	{"nuxt", "nuxt.config.js nuxt.config.ts nuxt.config.mjs", readConfig, "", runsConfig},
	{"nx", "nx.json project.json package.json", readConfig, "", runsPackages},
	{"opam", "", readConfig, "install build exec pin reinstall", buildsCode},
	{"pants", "pants.toml", readConfig, "", buildsCode},
	{"parcel", ".parcelrc package.json", readConfig, "", runsConfig},
	{"pdm", "pyproject.toml", readConfig, "", saysConfig},
	{"pest", "phpunit.xml phpunit.xml.dist tests/Pest.php", readConfig, "", runsTests},
	{"phpunit", "phpunit.xml phpunit.xml.dist", readConfig, "", runsTests},
	{"pip", "setup.py setup.cfg pyproject.toml", readConfig, "install wheel download", "runs the set-up code of what it installs"},
	{"pip3", "setup.py setup.cfg pyproject.toml", readConfig, "install wheel download", "runs the set-up code of what it installs"},
	{"playwright", "playwright.config.ts playwright.config.js playwright.config.mjs", readConfig, "", runsTests},
	{"pnpm", "", readPack, "", ""},
	{"pnpx", "", readExec, "", ""},
	{"podman", composes, readConfig, dockerRuns, runsImage},
	{"podman-compose", composes, readConfig, "", runsImage},
	{"poe", "pyproject.toml poe_tasks.toml poe_tasks.yaml", readConfig, "", saysConfig},
	{"poetry", "", readPython, "install build update add", "runs the set-up code of what it installs"},
	{"pre-commit", ".pre-commit-config.yaml", readConfig, "", saysConfig},
	{"prove", ".proverc", readConfig, "", runsTests},
	{"pulumi", "Pulumi.yaml", readConfig, "up update preview destroy refresh watch import", saysConfig},
	{"py.test", pythons, readConfig, "", runsTests},
	{"pytest", pythons, readConfig, "", runsTests},
	{"rails", "Gemfile Rakefile bin/rails config/application.rb config/boot.rb", readConfig, "", runsCode},
	{"rake", "rakefile Rakefile rakefile.rb Rakefile.rb", readConfig, "", runsCode},
	{"rebar3", "rebar.config rebar.config.script", readConfig, "", buildsCode},
	{"rollup", "rollup.config.js rollup.config.mjs rollup.config.cjs rollup.config.ts", readConfig, "", runsConfig},
	{"rspec", ".rspec spec/spec_helper.rb spec/rails_helper.rb", readConfig, "", runsTests},
	{"run-p", "", readRunAll, "", ""},
	{"run-s", "", readRunAll, "", ""},
	{"rye", "pyproject.toml", readConfig, "", saysConfig},
	{"sbt", "build.sbt project/build.properties project/plugins.sbt .sbtopts .jvmopts", readConfig, "", buildsCode},
	{"scons", "SConstruct Sconstruct sconstruct SConstruct.py", readConfig, "", buildsCode},
	{"stack", "stack.yaml package.yaml", readConfig, "build run test bench exec install runghc", buildsCode},
	{"stylelint", "stylelint.config.js stylelint.config.mjs stylelint.config.cjs .stylelintrc .stylelintrc.js .stylelintrc.json .stylelintrc.yaml", readConfig, "", runsConfig},
	{"swift", "Package.swift", readConfig, "test run build package", buildsCode},
	{"tap", ".taprc", readConfig, "", runsTests},
	{"task", taskfiles, readTask, "", ""},
	{"terraform", "", readConfig, "apply plan destroy init import refresh test console", saysConfig},
	{"tofu", "", readConfig, "apply plan destroy init import refresh test console", saysConfig},
	{"tox", "tox.ini setup.cfg pyproject.toml tox.toml toxfile.py", readConfig, "", runsCode},
	{"tsup", "tsup.config.ts tsup.config.js tsup.config.json", readConfig, "", runsConfig},
	{"turbo", "turbo.json turbo.jsonc package.json", readConfig, "", runsPackages},
	{"uv", "", readPython, "run sync pip build tool add lock", "runs the set-up code of what it installs"},
	{"vagrant", "Vagrantfile", readConfig, "", saysConfig},
	{"vite", "vite.config.js vite.config.ts vite.config.mjs vite.config.mts vite.config.cjs", readConfig, "", runsConfig},
	{"vitest", "vitest.config.js vitest.config.ts vitest.config.mjs vitest.config.mts vite.config.js vite.config.ts vite.config.mjs", readConfig, "", runsTests},
	{"waf", "wscript waf", readConfig, "", buildsCode},
	{"wdio", "wdio.conf.js wdio.conf.ts", readConfig, "", runsTests},
	{"webpack", "webpack.config.js webpack.config.cjs webpack.config.mjs webpack.config.ts", readConfig, "", runsConfig},
	{"xcodebuild", "", readConfig, "", buildsCode},
	{"yarn", "", readPack, "", ""},
	{"zig", "build.zig build.zig.zon", readConfig, "build test run", buildsCode},
}

// Knows reports whether a program is a runner.
func Knows(program string) bool { return find(program) != nil }

func find(program string) *row {
	lo, hi := 0, len(rows)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); rows[mid].program < program {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(rows) && rows[lo].program == program {
		return &rows[lo]
	}
	return nil
}
