package packs

import "github.com/checkrein/checkrein/internal/shell"

// devPack knows the everyday steps: build, test, check, format, start. They run
// the code of the project, which is what a person asks for by working on it.
// Scripts and programs behind runners are in special_run.go.
var devPack = shell.Pack{
	Name:  "dev",
	About: "everyday steps of development that lose nothing",
	Rules: []shell.Rule{
		// Build tools.
		{
			ID: "make", Cmd: "make|gmake|bmake|ninja|samu|meson|scons|waf|just|task|rake|mage|invoke|inv|doit|redo|tup|b2|bjam|xmake|premake5|qmake|nmake|msbuild|xbuild|jam|remake|colormake|mask|cargo-make|makers|nx|turbo|lerna|rush|moon|wireit|lage|gulp|grunt|jake|brunch|webpack|webpack-cli|rollup|esbuild|parcel|vite|snowpack|rspack|tsup|unbuild|ncc|swc|babel|tsc|vue-tsc|svelte-check|astro|next|nuxt|nuxi|gatsby|remix|ng|vue-cli-service|react-scripts|craco|storybook|sb|start-storybook|build-storybook|hugo|jekyll|eleventy|mkdocs|sphinx-build|sphinx-autobuild|docusaurus|vitepress|vuepress|hexo|zola|mdbook|typedoc|jsdoc|doxygen|asciidoctor|pandoc|latexmk|pdflatex|xelatex|lualatex|bibtex|typst|quarto|jupyter|nbconvert|sass|lessc|postcss|tailwindcss|stylus|svgo|terser|uglifyjs|cssnano|csso|html-minifier|browserify|workbox|size-limit|bundlesize|source-map-explorer|knip|depcheck|madge|ts-prune|ncu|npm-check-updates|syncpack|sort-package-json|plop|hygen|yo|openapi-generator-cli|openapi-generator|swagger-codegen|graphql-codegen|buf|protoc|flatc|thrift|capnp|grpc_tools|sqlc|mockgen|mockery|wire|stringer|swag|templ|air|entr|nodemon|watchexec|concurrently|npm-run-all|run-s|run-p|wait-on|lint-staged|commitlint|cz|changeset|bump2version|bumpversion|bump-my-version|tbump|standard-version|auto-changelog|git-cliff|conventional-changelog|release-please|towncrier|reno", Not: "deploy* publish* release* destroy* uninstall install* purge* nuke* wipe* reset* drop* db:reset db:drop db:wipe db:nuke db:clean db:fresh db:destroy db:purge db:truncate db:restore db:rollback db:down db:undo *-reset *:reset *-destroy *:destroy *-drop *:drop *-deploy *:deploy *-wipe *:wipe *-nuke *-purge *:purge distclean mrproper clobber *-publish *:publish clean-all cleanall *delete* *teardown* *tear-down* down prune* SHELL=* --eval -E gh-deploy gh-pages *prod* *rollback* flush* *:flush *-flush gh_deploy migrate:* --execute* --command exec",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds the project or a part of it",
			Match:   []string{"make", "make test", "ninja -C build", "tsc --noEmit", "vite build", "just build", "nx test app", "turbo run build", "webpack --mode production", "make clean", "make -j8 all"},
			NoMatch: []string{"make deploy", "just destroy", "make distclean", "task db:reset", "nx release", "turbo run deploy", "make uninstall", "rake db:drop", "make install", "changeset publish"},
		},
		{
			ID: "make-risky", Cmd: "make|gmake|just|task|rake|mage|invoke|inv|doit|nx|turbo|gulp|grunt|ng|hexo|mkdocs|lerna|rush|cargo-make|makers|jake|changeset", Any: "deploy* publish* release* destroy* uninstall install* purge* nuke* wipe* reset* drop* db:reset db:drop db:wipe db:nuke db:clean db:fresh db:destroy db:purge db:truncate db:restore db:rollback db:down db:undo *-reset *:reset *-destroy *:destroy *-drop *:drop *-deploy *:deploy *-wipe *:wipe *-nuke *-purge *:purge distclean mrproper clobber *-publish *:publish clean-all cleanall *delete* *teardown* *tear-down* down prune* SHELL=* --eval gh-deploy gh-pages *prod* *rollback* flush* *:flush *-flush",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "runs a step of the project whose name says that it changes or deletes something",
			Match:   []string{"make deploy", "just destroy", "make distclean", "task db:reset", "mkdocs gh-deploy", "make install", "make uninstall"},
			NoMatch: []string{"make test", "make clean", "just build"},
		},
		{
			ID: "cmake", Cmd: "cmake|cpack|ctest|autoconf|automake|autoreconf|aclocal|libtoolize|configure|config|pkg-config|gn|gyp|node-gyp|prebuildify|cmake-format|cmake-lint|ccmake", Not: "-E -P --install",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "sets up or builds the project",
			Match:   []string{"cmake -S . -B build", "cmake --build build", "ctest --output-on-failure", "autoreconf -fi"},
			NoMatch: []string{"cmake -E rm -rf build", "cmake --install build", "cmake -P x.cmake"},
		},
		{
			ID: "cmake-delete", Cmd: "cmake rm|remove|remove_directory", All: "-E",
			Label: shell.Destructive, Kind: "delete", Category: "fs-delete", Radius: shell.RadiusMedium, Reason: "deletes files through CMake",
			Match:   []string{"cmake -E rm -rf build", "cmake -E remove_directory build"},
			NoMatch: []string{"cmake --build build", "cmake -E copy a b"},
		},
		{
			ID: "cmake-run", Cmd: "cmake", Any: "--install -P -E",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "installs the project or runs a script of CMake",
			Match:   []string{"cmake --install build", "cmake -P x.cmake", "cmake -E copy a b"},
			NoMatch: []string{"cmake --build build", "cmake .."},
		},
		{
			ID: "compile", Cmd: "gcc|g++|cc|c++|clang|clang++|ld|lld|mold|as|nasm|yasm|ar|ranlib|strip|objcopy|gfortran|ghc|ghci|ocaml|ocamlc|ocamlopt|dune|rustc|rustdoc|javac|kotlinc|scalac|swiftc|dmd|ldc2|gdc|fpc|gnatmake|nim|crystal|v|zig|odin|tcc|emcc|em++|wasm-pack|wasm-bindgen|wasm-opt|wasm-objdump|nvcc|hipcc|ldc|valac|csc|fsc|mcs|vbc|erlc|elixirc|elm|purs|spago|coffee|ccache|sccache|distcc|cpp|cppcheck|clang-tidy|clang-format|clangd|iwyu|include-what-you-use|opt|llc|cython|cythonize|f2py|pyinstaller|nuitka|py2app|javadoc|jar|jlink|jpackage|d8|aapt|aapt2|zipalign|glslangValidator|glslc|solc|vyper|forge|hardhat|anchor|scarb|nargo|circom|snarkjs|tree-sitter|flex|bison|yacc|lex|ragel|antlr4|swig|gperf|gprof|gcov|lcov|genhtml|gcovr|valgrind|hyperfine", Not: "-wrapper --wrapper -B deploy create run --broadcast xf -xf -fplugin* -specs* script upgrade ignition -o=/dev/* -o=/etc/* send",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "compiles, links or measures code",
			Match:   []string{"gcc -O2 main.c -o main", "rustc main.rs", "javac -d out src/A.java", "clang-format -i src/*.c", "g++ -std=c++20 a.cpp"},
			NoMatch: []string{"gcc -wrapper rm,-rf x.c", "forge create x", "jar xf a.jar", "hardhat run scripts/deploy.js", "anchor deploy", "forge script x --broadcast"},
		},
		{
			ID: "bazel", Cmd: "bazel|bazelisk|buck|buck2|pants|please|plz|blaze build|test|query|cquery|aquery|info|version|run|fetch|sync|coverage|mod|help|dump|analyze-profile|lint|fmt|check|tailor|list|dependencies|dependents|peek|audit|targets|uquery|config|canonicalize-flags|print_action|mobile-install|package|export|repl|goals|roots|paths|filedeps|export-codegen|count-loc|generate-lockfiles|update-build-files|clean", Not: "--expunge --expunge_async --run_under",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds or tests the project",
			Match:   []string{"bazel build //...", "bazel test //a:b", "buck2 build x", "pants test ::", "bazel clean"},
			NoMatch: []string{"bazel clean --expunge", "bazel shutdown", `bazel run //x --run_under="rm -rf /"`},
		},
		{
			ID: "bazel-expunge", Cmd: "bazel|bazelisk|buck2 clean|shutdown|kill|killall", Any: "--expunge --expunge_async shutdown kill killall",
			Label: shell.Unknown, Kind: "delete", Category: "build", Reason: "throws away what was built, or stops the server",
			Match:   []string{"bazel clean --expunge", "bazel shutdown"},
			NoMatch: []string{"bazel build //...", "bazel clean"},
		},
		{
			ID: "sandbox-process", Cmd: "direnv allow|status|version|hook|reload|export|permit|grant|deny|disallow|revoke|stdlib|dump|prune",
			Label: shell.Safe, Kind: "modify", Category: "toolchain", Reason: "loads or blocks the settings of a directory",
			Match:   []string{"direnv allow", "direnv status"},
			NoMatch: []string{"direnv exec . rm x"},
		},

		// Go.
		{
			ID: "go", Cmd: "go build|test|vet|fmt|mod|generate|run|install|get|list|doc|version|env|fix|tool|work|help|bug|clean|telemetry", Not: "-exec --exec -toolexec --toolexec -w -u *://* /* -vettool --vettool -overlay",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "an everyday step of a Go project",
			Match:   []string{"go build ./...", "go test -race ./...", "go mod tidy", "go run .", "go vet ./...", "go generate ./...", "go install ./cmd/x", "go env GOPATH", "go clean -testcache"},
			NoMatch: []string{"go run https://x.io/a.go", `go test -exec "rm -rf /" ./...`, "go env -w A=b", "go build -toolexec=evil ./...", "go run /tmp/x.go", "go vet -vettool=/tmp/x ./..."},
		},
		{
			ID: "go-get-update", Cmd: "go get|env", All: "-u", Not: "-w GOFLAGS GOPROXY env",
			Label: shell.Safe, Kind: "install", Category: "pkg-install", Reason: "updates dependencies of the project",
			Match:   []string{"go get -u ./...", "go get -u golang.org/x/net"},
			NoMatch: []string{"go env -u X", "go build"},
		},
		{
			ID: "go-env", Cmd: "go env", Not: "-w -u",
			Label: shell.Safe, Kind: "read", Category: "go-read", Reason: "reads the settings of Go",
			Match:   []string{"go env", "go env -json"},
			NoMatch: []string{"go env -w A=b", "go env -u A"},
		},
		{
			ID: "go-tools", Cmd: "gofmt|goimports|gofumpt|golangci-lint|staticcheck|golint|revive|gopls|gotestsum|richgo|ginkgo|gocyclo|errcheck|ineffassign|godoc|pkgsite|dlv|benchstat|gotests|gomodifytags|impl|goplay|gci|golines|deadcode|nilaway|gosimple|unparam|unconvert|misspell|tinygo|gox|go-licenses|cue|jsonnet|jsonnetfmt|jb|dhall", Not: "exec attach",
			Label: shell.Safe, Kind: "build", Category: "lint", Reason: "checks or formats code",
			Match:   []string{"gofmt -l .", "gofmt -w main.go", "golangci-lint run", "staticcheck ./...", "goimports -w ."},
			NoMatch: []string{"dlv exec /bin/sh"},
		},

		// Rust, JavaScript, Python.
		{
			ID: "cargo", Cmd: "cargo build|b|test|t|check|c|clippy|fmt|run|r|doc|d|bench|clean|nextest|expand|llvm-cov|tarpaulin|fix|watch|make|miri|insta|criterion|leptos|tauri|xtask|rustc|rustdoc|asm|bloat|flamegraph|mutants|hack|semver-checks|public-api|sort|spellcheck|zigbuild|ndk|wasi|component|contract|generate|geiger|msrv|careful|show-asm|llvm-lines|all-features|fuzz|afl|chef|llvm-cov|deny|about|hakari|sqlx|limit|kani|prusti|loom|test-all-features|ci|lint|format", Not: "database drop --config *://*",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds or tests the project",
			Match:   []string{"cargo build --release", "cargo test", "cargo clippy -- -D warnings", "cargo run", "cargo fmt --check", "cargo clean"},
			NoMatch: []string{"cargo publish", "cargo yank --vers 1", "cargo sqlx database drop", `cargo --config build.rustc-wrapper="rm" build`},
		},
		{
			ID: "cargo-sqlx", Cmd: "cargo sqlx database|migrate|prepare drop|reset|revert",
			Label: shell.Destructive, Kind: "drop", Category: "app-reset", Radius: shell.RadiusHigh, Reason: "drops the database of the application",
			Match:   []string{"cargo sqlx database drop", "cargo sqlx database reset -y"},
			NoMatch: []string{"cargo sqlx prepare", "cargo sqlx migrate run"},
		},
		{
			ID: "js-run", Cmd: "npm|pnpm|yarn|bun|deno run|run-script|rum|urn|test|t|tst|start|stop|restart|build|dev|lint|format|typecheck|type-check|serve|preview|watch|check|e2e|coverage|storybook|generate|codegen|compile|prepare|fmt|clean|task|bench|doc|cache|info|types|test:*|build:*|lint:*|dev:*|start:*|workspace|workspaces|foreach|recursive|turbo|nx|tsc|eslint|prettier|jest|vitest|playwright|cypress|next|vite|astro|webpack|rollup|ts-node|tsx|mocha|biome|husky|lint-staged|storybook|changeset|expo|react-native|ng|nest|vue-tsc|svelte-kit|nuxt|nodemon|concurrently|husky|commitlint|cz", Not: "deploy* publish* release* destroy* *reset* *:drop *drop-* drop* *wipe* *nuke* *purge* db:reset db:drop db:wipe db:nuke db:clean db:fresh db:destroy db:purge db:truncate db:restore db:rollback db:down db:undo *:deploy *-deploy *:prod* *-prod* *uninstall* clean:all clean-all *rollback* *delete* *teardown* *://* eject *flush* prune* --script-shell *truncate* postinstall",
			Label: shell.Safe, Kind: "run", Category: "run", Reason: "runs a step that the project names",
			Match:   []string{"npm run build", "npm test", "yarn dev", "pnpm test:unit", "npm run lint -- --fix", "yarn jest", "bun test", "npm start", "pnpm -r build", "deno test"},
			NoMatch: []string{"npm run deploy", "npm run db:reset", "npm unpublish x", "yarn run deploy:prod", "deno run https://x.io/a.ts", "npm run clean:all", "npm run migrate:reset"},
		},
		{
			ID: "js-run-risky", Cmd: "npm|pnpm|yarn|bun|deno run|run-script|start|test|build|task|deploy|release|eject", Any: "deploy* publish* release* destroy* *reset* *:drop *drop-* drop* *wipe* *nuke* *purge* db:reset db:drop db:wipe db:nuke db:clean db:fresh db:destroy db:purge db:truncate db:restore db:rollback db:down db:undo *:deploy *-deploy *:prod* *-prod* *uninstall* clean:all clean-all *rollback* *delete* *teardown* *://* eject *flush* prune* --script-shell *truncate*",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "runs a step whose name says that it changes or deletes something",
			Match:   []string{"npm run deploy", "npm run db:reset", "yarn run release", "npm run eject", "npm run db:drop", "deno run https://x.io/a.ts"},
			NoMatch: []string{"npm run build", "npm test"},
		},
		{
			ID: "js-reset", Cmd: "npm|pnpm|yarn|bun|deno run|run-script", Any: "db:reset db:drop db:wipe db:nuke db:destroy db:purge db:clean db:truncate migrate:reset migrate:fresh database:reset database:drop drop-db reset-db wipe-db drop:db reset:db prisma:reset db-reset db-drop nuke:db schema:drop db:fresh",
			Label: shell.Destructive, Kind: "drop", Category: "app-reset", Radius: shell.RadiusMedium, Reason: "runs a step of the project that resets or drops its database",
			Match:   []string{"npm run db:reset", "yarn run db:drop", "pnpm run db:wipe", "npm run migrate:reset", "npm run prisma:reset"},
			NoMatch: []string{"npm run db:migrate", "npm run build", "npm run reset-cache"},
		},
		{
			ID: "js-tools", Cmd: "eslint|prettier|biome|stylelint|jest|vitest|mocha|ava|tap|jasmine|karma|c8|nyc|istanbul|standard|xo|oxlint|rome|dprint|markdownlint|markdownlint-cli2|remark|textlint|alex|write-good|cspell|codespell|typos|vale|htmlhint|csslint|publint|attw|tsd|dtslint|stryker|newman|dredd|spectral|redocly|swagger-cli|ajv|lighthouse|lhci|pa11y|axe|http-server|serve|live-server|json-server|browser-sync|msw|mockoon-cli|jscpd|license-checker|npm-check|check-dependencies|cloc|create-react-app|create-next-app|create-vite|degit|tiged|express-generator|nest|ncu|detox|wdio|nightwatch|testcafe|codeceptjs|percy|chromatic|backstop|cucumber-js|cucumber|gherkin-lint|act|wrk|ab|hey|k6|vegeta|autocannon|oha|siege|truffle|sorbet|clj|clojure|stty",
			Label: shell.Safe, Kind: "test", Category: "test", Reason: "checks, formats or tests code",
			Match:   []string{"eslint . --fix", "prettier --write .", "jest --coverage", "vitest run", "mocha", "biome check ."},
			NoMatch: []string{"rm -rf jest"},
		},
		{
			ID: "husky", Cmd: "husky", Not: "uninstall",
			Label: shell.Safe, Kind: "modify", Category: "toolchain", Reason: "puts the hooks of the project in place",
			Match:   []string{"husky install", "husky init"},
			NoMatch: []string{"husky uninstall"},
		},
		{
			ID: "js-browser-tests", Cmd: "playwright|cypress|puppeteer|web-ext|electron|electron-builder|electron-forge|tauri|capacitor|cap|ionic|cordova|react-native|expo|metro|wrangler|appium test|run|install|open|codegen|show-report|show-trace|install-deps|verify|info|cache|browsers|version|lint|build|start|dev|sync|copy|add|init|doctor|package|make|prebuild|config|export|run-ios|run-android|log-ios|log-android|bundle|merge-reports|serve|types|pages|tail|whoami|generate|docs", Not: "delete deploy publish project secret remove",
			Label: shell.Safe, Kind: "test", Category: "test", Reason: "tests or starts the project",
			Match:   []string{"playwright test", "cypress run", "playwright install --with-deps", "cap sync", "react-native run-ios", "wrangler dev", "electron-builder build"},
			NoMatch: []string{"wrangler delete", "wrangler deploy", "wrangler pages deploy dist", "wrangler pages project delete x"},
		},
		{
			ID: "py-tools", Cmd: "pytest|py.test|tox|nox|mypy|pyright|basedpyright|pyre|pytype|ruff|black|isort|flake8|pylint|pycodestyle|pydocstyle|autopep8|yapf|autoflake|pyupgrade|vulture|radon|xenon|bandit|coverage|ptw|pytest-watch|nosetests|behave|robot|hypothesis|interrogate|darglint|docformatter|pydoc|pydoc3|2to3|refurb|pyflakes|mccabe|ty|pyrefly|djlint|djhtml|curlylint|virtualenv|venv|jupytext|nbqa|nbstripout|papermill|streamlit|gradio|uvicorn|gunicorn|hypercorn|daphne|granian|waitress-serve|fastapi|litestar|sanic|chainlit|mlflow|tensorboard|scrapy|sqlfluff|cookiecutter|copier|maturin|setuptools-scm|bumpver|pre-commit|prek|lefthook|overcommit|scriv|dvc|accelerate|torchrun|deepspeed|lm_eval|pyproject-fmt|validate-pyproject|cfn-lint|yamllint|ansible-lint|shellcheck|shfmt|bashate|bats|hadolint|actionlint|zizmor|checkmake|editorconfig-checker|ec|jsonlint|proselint|doc8|rstcheck|mdformat|mdl|pymarkdown|licensecheck|reuse|gitlint|commitizen|sourcery|ggshield|mutmut|cosmic-ray|scalene|memray|pyinstrument|snakeviz|asv|locust", Not: "gc destroy uninstall push remove rm clean purge delete upload publish --config-settings --pastebin -p=* deploy",
			Label: shell.Safe, Kind: "test", Category: "test", Reason: "checks, formats or tests code",
			Match:   []string{"pytest -x tests/", "ruff check --fix .", "black .", "mypy src", "tox -e py312", "pre-commit run --all-files", "shellcheck x.sh", "uvicorn app:app --reload", "coverage report"},
			NoMatch: []string{"dvc gc -w", "dvc destroy", "pre-commit uninstall", "lefthook uninstall", "mlflow gc", "rm pytest", "dvc push"},
		},
		{
			ID: "py-tools-plugin", Cmd: "pytest|py.test", Any: "-p", Not: "--pastebin",
			Label: shell.Safe, Kind: "test", Category: "test", Reason: "tests the project",
			Match:   []string{"pytest -p no:warnings", "pytest -p no:cacheprovider tests"},
			NoMatch: []string{"pytest --pastebin=all"},
		},
		{
			ID: "hook-remove", Cmd: "pre-commit|lefthook|husky|overcommit|dvc|prek uninstall|destroy|remove|gc|clean",
			Label: shell.Unknown, Kind: "delete", Category: "pkg-remove", Radius: shell.RadiusMedium, Reason: "takes the hooks of the project or cached data away",
			Match:   []string{"pre-commit uninstall", "lefthook uninstall", "dvc gc -w", "dvc destroy"},
			NoMatch: []string{"pre-commit run", "lefthook run pre-commit"},
		},
		{
			ID: "dvc-destroy", Cmd: "dvc destroy|gc", Not: "--dry",
			Label: shell.Destructive, Kind: "delete", Category: "backup-delete", Radius: shell.RadiusHigh, Reason: "deletes tracked data",
			Match:   []string{"dvc destroy -f", "dvc gc -w -c", "dvc gc --all-commits --cloud"},
			NoMatch: []string{"dvc status", "dvc gc --dry -w"},
		},
		{
			ID: "pastebin", Cmd: "pytest", Any: "--pastebin",
			Label: shell.Unknown, Kind: "upload", Category: "exfil-file", Radius: shell.RadiusMedium, Reason: "sends what the tests print to a public place",
			Match:   []string{"pytest --pastebin=all", "pytest --pastebin failed"},
			NoMatch: []string{"pytest -x"},
		},

		// Java, .NET, Swift, mobile, Ruby, PHP, Elixir.
		{
			ID: "jvm", Cmd: "mvn|mvnw|mvnd|gradle|gradlew|ant|sbt|mill|lein|bld|jbang|ktlint|detekt|spotless|checkstyle|pmd|spotbugs|google-java-format|jdeps|jstack|jmap|jstat|jps|jinfo|jcmd|jfr|native-image|scalafmt|scalafix|bloop|coursier|cs|scala-cli|amm|clj-kondo|cljfmt|boot|shadow-cljs|kotlin|ktor|spring|quarkus|mn|jhipster|javap|jmeter|gatling|karate|allure|emulator", Not: "deploy deploy:* publish* release:* uploadArchives flyway:* flyway* liquibase:* *:publish* dropAll *:dropAll exec:exec* exec:* -Dexec.executable* nexus-staging:* jib appengine* dockerPush *:push sql:* *Clean undeploy *:undeploy k8s:* kubernetes:* release* *://*",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds or tests the project",
			Match:   []string{"mvn clean install", "./mvnw test", "gradle build", "./gradlew test", "mvn -B verify -DskipTests", "sbt compile", "./gradlew clean assemble"},
			NoMatch: []string{"mvn deploy", "gradle publish", "mvn release:perform", "./gradlew flywayClean", "gradle uploadArchives", "mvn flyway:clean", "mvn liquibase:dropAll", "mvn exec:exec -Dexec.executable=rm", "sbt publish"},
		},
		{
			ID: "jvm-publish", Cmd: "mvn|mvnw|mvnd|gradle|gradlew|sbt|mill", Any: "deploy deploy:* publish* release:* uploadArchives *:publish* nexus-staging:* dockerPush jib *:push exec:exec* undeploy k8s:* kubernetes:* release sql:*", Not: "publishToMavenLocal *:publishToMavenLocal publishLocal publishM2",
			Label: shell.Unknown, Kind: "publish", Category: "pkg-publish", Radius: shell.RadiusMedium, Reason: "publishes or deploys what the project builds",
			Match:   []string{"mvn deploy", "gradle publish", "mvn release:perform", "sbt publish", "./gradlew publishToSonatype"},
			NoMatch: []string{"mvn install", "gradle build", "gradle publishToMavenLocal", "mvn exec:java"},
		},
		{
			ID: "jvm-publish-local", Cmd: "gradle|gradlew|sbt|mvn|mvnw publishToMavenLocal|publishLocal|publishM2|exec:java|versions:*|dependency:*|help:*|jacoco:*|spring-boot:run|quarkus:dev|enforcer:*|checkstyle:*|spotless:*|archetype:*|wrapper:*|compiler:*|surefire:*|flyway:info|flyway:migrate|flyway:validate|liquibase:update|liquibase:status|flywayMigrate|flywayInfo", Not: "*clean deploy publish flyway:clean",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "an everyday step of the project",
			Match:   []string{"gradle publishToMavenLocal", "mvn exec:java", "mvn dependency:tree", "mvn spring-boot:run"},
			NoMatch: []string{"mvn deploy", "mvn flyway:clean"},
		},
		{
			ID: "jvm-drop", Cmd: "mvn|mvnw|gradle|gradlew|sbt|mill|lein", Any: "flyway:clean flywayClean *:flywayClean liquibase:dropAll dropAll *:dropAll flyway:undo liquibase:rollback flywayUndo",
			Label: shell.Destructive, Kind: "drop", Category: "app-reset", Radius: shell.RadiusHigh, Reason: "drops everything in the database",
			Match:   []string{"mvn flyway:clean", "./gradlew flywayClean", "mvn liquibase:dropAll", "gradle dropAll", "mvn flyway:clean flyway:migrate"},
			NoMatch: []string{"mvn clean", "mvn flyway:migrate", "gradle clean"},
		},
		{
			ID: "java-run", Cmd: "java", Not: "/* *://* -jar=/* -XX:OnError* -XX:OnOutOfMemoryError* -javaagent* -agentpath* ~*",
			Label: shell.Safe, Kind: "run", Category: "run", Reason: "starts a program of the project",
			Match:   []string{"java -jar target/app.jar", "java -version", "java -cp out Main"},
			NoMatch: []string{"java -jar /tmp/x.jar"},
		},
		{
			ID: "dotnet", Cmd: "dotnet build|test|run|clean|format|watch|restore|msbuild|vstest|fsi|csi|build-server|publish|pack", Not: "--exec --eval ef *.fsx *.csx",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds, tests or starts the project",
			Match:   []string{"dotnet build", "dotnet test --no-build", "dotnet run --project x", "dotnet publish -c Release"},
			NoMatch: []string{"dotnet ef database drop", "dotnet nuget push x", "dotnet fsi --exec x"},
		},
		{
			ID: "swift", Cmd: "swift|xcodebuild|xcrun|xcodegen|tuist|swiftlint|swiftformat|swift-format|xcbeautify|xcpretty|xcode-select|ibtool|agvtool|actool|pod|carthage|mint|periphery|danger|sourcekitten|sourcery", Not: "simctl --reset -s --switch trunk purge-cache reset deintegrate altool notarytool cache upload -r repo --install",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds, tests or checks the project",
			Match:   []string{"swift build", "swift test", "xcodebuild -scheme App build", "swiftlint", "pod install", "xcrun --sdk iphoneos --show-sdk-path"},
			NoMatch: []string{"xcrun simctl erase all", "xcode-select --reset", "pod trunk push x", "pod cache clean --all", "xcrun altool --upload-app", "xcrun simctl delete all"},
		},
		{
			ID: "simctl", Cmd: "xcrun simctl list|boot|install|launch|openurl|io|getenv|get_app_container|status_bar|addmedia|create|bootstatus|privacy|ui|push|location|listapps|appinfo|help|terminate|shutdown|uninstall",
			Label: shell.Safe, Kind: "run", Category: "run", Reason: "works with a simulator",
			Match:   []string{"xcrun simctl list", "xcrun simctl boot x", "xcrun simctl shutdown all"},
			NoMatch: []string{"xcrun simctl erase all", "xcrun simctl delete unavailable"},
		},
		{
			ID: "simctl-erase", Cmd: "xcrun|simctl|emulator|avdmanager|sdkmanager simctl|delete|erase|uninstall|* erase|delete|*|avd", Any: "erase delete -wipe-data",
			Label: shell.Destructive, Kind: "delete", Category: "app-reset", Radius: shell.RadiusMedium, Reason: "erases or deletes simulators",
			Match:   []string{"xcrun simctl erase all", "xcrun simctl delete unavailable", "avdmanager delete avd -n x"},
			NoMatch: []string{"xcrun simctl list", "avdmanager list avd"},
		},
		{
			ID: "adb", Cmd: "adb", Not: "devices logcat version get-state start-server get-serialno reverse forward bugreport wait-for-device pull",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "works on a device",
			Match:   []string{"adb shell ls", "adb push a b", "adb install x.apk"},
			NoMatch: []string{"adb devices", "adb logcat"},
		},
		{
			ID: "adb-read", Cmd: "adb devices|logcat|version|get-state|start-server|get-serialno|reverse|forward|wait-for-device|help|kill-server", Not: "-c --clear",
			Label: shell.Safe, Kind: "read", Category: "proc-read", Reason: "asks a device",
			Match:   []string{"adb devices", "adb logcat -d"},
			NoMatch: []string{"adb uninstall x", "adb shell rm -rf /sdcard", "adb logcat -c"},
		},
		{
			ID: "adb-wipe", Cmd: "adb|fastboot|idevicerestore|idevicediagnostics|heimdall|odin4|esptool|esptool.py|avrdude|dfu-util|st-flash|openocd|nrfjprog|pio|arduino-cli|rkdeveloptool|picotool|probe-rs|stm32flash", Any: "erase erase_flash erase_region flash format flashing oem wipe uninstall reboot -w --wipe_data recovery pm=clear clear rm write_flash write write_mem --recover --eraseall chip-erase -e",
			Label: shell.Destructive, Kind: "overwrite", Category: "block-device", Radius: shell.RadiusHigh, Reason: "wipes or overwrites a device",
			Match:   []string{"fastboot erase userdata", "fastboot flash boot boot.img", "adb uninstall com.x", "adb shell pm clear com.x", "adb shell rm -rf /sdcard", "esptool.py erase_flash", "fastboot -w", "adb reboot bootloader", "adb shell recovery --wipe_data", "st-flash erase"},
			NoMatch: []string{"adb devices", "fastboot devices", "pio run", "arduino-cli compile x"},
		},
		{
			ID: "device-build", Cmd: "pio|platformio|arduino-cli|esptool|esptool.py|fastboot|idf.py|west|probe-rs|picotool|espflash", Any: "run compile build test devices check list board lib core device version menuconfig monitor size config info init update getvar chip_id flash_id board_info set-target fullclean clean lsusb", Not: "erase erase_flash flash upload -t=upload --target=upload -t=erase oem format write_flash uninstall -w --wipe",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds for a device or asks it",
			Match:   []string{"pio run", "arduino-cli compile --fqbn x .", "fastboot devices", "idf.py build", "west build", "pio test"},
			NoMatch: []string{"esptool.py erase_flash", "fastboot flash a b", "arduino-cli upload x"},
		},
		{
			ID: "flutter", Cmd: "flutter|dart|fvm build|test|run|analyze|pub|doctor|create|format|gen-l10n|drive|devices|emulators|attach|logs|screenshot|config|channel|upgrade|precache|clean|compile|fix|doc|info|install|assemble|bash-completion|symbolize|use|flutter|dart|list|releases|spawn|global|downgrade", Not: "publish uploader cache global",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "an everyday step of a Flutter project",
			Match:   []string{"flutter pub get", "flutter test", "dart format .", "flutter build apk", "flutter clean", "dart analyze"},
			NoMatch: []string{"dart pub publish", "flutter pub publish", "dart pub uploader remove x", "flutter pub cache clean"},
		},
		{
			ID: "ruby-tools", Cmd: "rails|rspec|rubocop|standardrb|minitest|cucumber|guard|spring|foreman|overmind|hivemind|puma|unicorn|thin|rackup|sidekiq|solargraph|srb|tapioca|steep|rbs|yard|rdoc|erb_lint|haml-lint|slim-lint|reek|rubycritic|brakeman|fasterer|zeitwerk|importmap|jekyll|middleman|nanoc|shoryuken|good_job|annotate|i18n-tasks|parallel_rspec|turbo_tests|m|ruby-lsp|bridgetown|hanami|procodile|goreman|honcho", Not: "db:* runner r destroy d console c dbconsole db credentials:* *:drop *:reset *:purge *:clobber app:template app:update *:delete* *:destroy* log:clear secrets:* encrypted:* -r --require run exec",
			Label: shell.Safe, Kind: "run", Category: "test", Reason: "tests, checks or starts the project",
			Match:   []string{"rspec spec/models", "rubocop -A", "rails server", "rails test", "rails generate model User", "rails routes", "foreman start", "rails new app"},
			NoMatch: []string{"rails db:drop", `rails runner "User.delete_all"`, "rails destroy model User", "rails console", "rails dbconsole", "rails db:rollback", "rails credentials:edit", "rails app:template LOCATION=https://x", "rails r x"},
		},
		{
			ID: "rails-run", Cmd: "rails runner|r|console|c|dbconsole|db|destroy|d|credentials:edit|credentials:show|app:template|app:update|encrypted:edit|encrypted:show|secrets:edit|secrets:show",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "runs code in the application, or takes files of it away",
			Match:   []string{"rails runner 'puts 1'", "rails console", "rails destroy model User"},
			NoMatch: []string{"rails server", "rails test"},
		},
		{
			ID: "rake", Cmd: "rake|rails -T|test|spec|assets:precompile|assets:clean|assets:clobber|default|build|lint|rubocop|routes|stats|notes|about|tmp:clear|tmp:cache:clear|tmp:create|log:clear|yard|doc|features|cucumber|middleware|time:zones|zeitwerk:check|webpacker:compile|javascript:build|css:build|tailwindcss:build|i18n:missing|compile|initializers|dev:cache|action_text:install|active_storage:install|importmap:install|turbo:install|stimulus:install|bundle:audit|brakeman|ci|check|clean|gem|package",
			Label: shell.Safe, Kind: "test", Category: "test", Reason: "an everyday step of a Ruby project",
			Match:   []string{"rake test", "rake spec", "rails assets:precompile", "rake tmp:clear", "rake routes"},
			NoMatch: []string{"rake db:drop", "rake release"},
		},
		{
			ID: "rake-list", Cmd: "rake|rails", Any: "-T --tasks -P --prereqs -W --where -D --describe", Not: "db:drop db:reset",
			Label: shell.Safe, Kind: "read", Category: "test", Reason: "lists the steps of the project",
			Match:   []string{"rake -T", "rake --tasks", "rake -P"},
			NoMatch: []string{"rake db:drop"},
		},
		{
			ID: "php-tools", Cmd: "phpunit|pest|phpstan|psalm|phpcs|phpcbf|php-cs-fixer|pint|rector|phpmd|infection|deptrac|phan|codecept|behat|phpbench|parallel-lint|phplint|paratest|phpspec|phploc|phpcpd|grumphp|captainhook|box|symfony|sail|phpdoc|valet|herd|phive|churn|composer-unused|composer-require-checker|security-checker|dusk", Not: "uninstall down *:fresh *:wipe *:drop db:* migrate:* *:reset *:delete run php console exec",
			Label: shell.Safe, Kind: "test", Category: "test", Reason: "tests or checks the project",
			Match:   []string{"phpunit", "phpstan analyse src", "phpcbf src", "symfony serve", "pest --parallel"},
			NoMatch: []string{"valet uninstall", "sail down -v", "sail artisan migrate:fresh", "symfony console doctrine:database:drop", "sail artisan db:wipe", "symfony cloud:env:delete"},
		},
		{
			ID: "artisan-sail", Cmd: "sail|symfony|lando|ddev|warden|dusk artisan|console|art|a|php migrate:fresh|migrate:reset|migrate:refresh|db:wipe|doctrine:database:drop|doctrine:schema:drop|doctrine:fixtures:load",
			Label: shell.Destructive, Kind: "drop", Category: "app-reset", Radius: shell.RadiusHigh, Reason: "drops or empties the database of the application",
			Match:   []string{"sail artisan migrate:fresh", "symfony console doctrine:database:drop --force", "ddev artisan db:wipe"},
			NoMatch: []string{"sail artisan migrate", "sail up -d"},
		},
		{
			ID: "sail-step", Cmd: "sail|ddev|lando|warden up|start|ps|logs|build|test|pint|npm|yarn|composer|describe|list|info|status|restart|config|version|launch|phpunit|pest|bun|stop|poweroff|halt|export-db|snapshot|xdebug|mutagen|debug", Not: "--cleanup restore",
			Label: shell.Safe, Kind: "run", Category: "run", Reason: "starts or asks the environment of the project",
			Match:   []string{"sail up -d", "ddev start", "ddev describe", "lando start"},
			NoMatch: []string{"ddev delete -O x", "lando destroy", "ddev snapshot --cleanup", "sail artisan migrate:fresh"},
		},
		{
			ID: "ddev-delete", Cmd: "ddev|lando|warden|sail delete|destroy|clean|down|rebuild|db-import|import-db",
			Label: shell.Destructive, Kind: "delete", Category: "app-reset", Radius: shell.RadiusHigh, Reason: "deletes the environment of the project with its database",
			Match:   []string{"ddev delete -O x", "lando destroy -y", "ddev clean --all", "ddev import-db --file=x"},
			NoMatch: []string{"ddev start", "lando info"},
		},
		{
			ID: "sail-exec", Cmd: "sail|ddev|lando exec|ssh|artisan|php|console|shell|bash|root-shell|tinker|mysql|psql|drush|wp|mysql|redis|node",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "runs something in the environment of the project",
			Match:   []string{"ddev exec ls", "sail artisan x", "sail shell"},
			NoMatch: []string{"ddev start", "sail up"},
		},
		{
			ID: "elixir", Cmd: "mix|rebar3|gleam|elixir-ls|iex|gleam|rebar compile|test|format|credo|dialyzer|phx.server|phx.new|phx.routes|phx.gen.*|ecto.create|ecto.migrate|ecto.gen.migration|ecto.setup|ecto.migrations|deps.get|deps.tree|deps.compile|deps.update|deps.clean|deps.unlock|deps|hex.info|hex.outdated|hex.audit|release|clean|docs|help|new|archive.install|local.hex|local.rebar|coveralls|coveralls.html|sobelow|xref|do|run|assets.build|assets.deploy|assets.setup|setup|precommit|gettext.extract|profile.fprof|shell|ct|eunit|xref|tree|check|fmt|escript.build|loadconfig|usage_rules.sync|app.tree|phx.digest|phx.digest.clean|ecto.load|ecto.dump", Not: "-e --eval ecto.drop* ecto.reset* ecto.rollback* cmd",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "an everyday step of the project",
			Match:   []string{"mix test", "mix compile --warnings-as-errors", "mix phx.server", "mix ecto.migrate", "mix deps.get", "mix format"},
			NoMatch: []string{"mix ecto.drop", "mix hex.publish", `mix run -e "x"`, "mix do ecto.drop, ecto.create"},
		},
		{
			ID: "ecto-drop-do", Cmd: "mix do", Any: "ecto.drop* ecto.reset*",
			Label: shell.Destructive, Kind: "drop", Category: "app-reset", Radius: shell.RadiusHigh, Reason: "drops the database of the application",
			Match:   []string{"mix do ecto.drop, ecto.create", "mix do ecto.drop + ecto.create"},
			NoMatch: []string{"mix do deps.get, compile"},
		},
		{
			ID: "haskell-etc", Cmd: "stack|cabal|dune|opam|ocamlformat|ormolu|fourmolu|hlint|hspec|hoogle|haskell-language-server|nimble|shards|dub|alr|gprbuild|raco|ghcid|fourmolu|stylish-haskell|crystal|zig|v|luacheck|stylua|selene|busted|perlcritic|perltidy|prove|carton|ameba|nimpretty|elm-test|elm-format|elm-review|spago|purs-tidy|lean|lake|coqc|agda|idris2|tlc|dafny|z3|cvc5 build|test|run|exec|check|clean|fmt|format|install|init|repl|ghci|haddock|bench|update|list|new|path|ls|dot|hoogle|freeze|configure|ide|c|cc|ast-check|translate-c|env|targets|version|build-exe|build-lib|build-obj|spec|docs|make|serve|script|eval|cache", Not: "exec eval uninstall remove",
			Label: shell.Safe, Kind: "build", Category: "build", Reason: "builds or tests the project",
			Match:   []string{"stack build", "cabal test", "dune build", "zig build test", "shards install", "lake build"},
			NoMatch: []string{"stack exec rm -- -rf x", "opam remove x"},
		},
		{
			ID: "formatters", Cmd: "hlint|ormolu|fourmolu|stylish-haskell|ocamlformat|luacheck|stylua|selene|busted|perlcritic|perltidy|prove|ameba|elm-test|elm-format|elm-review|coqc|agda|z3|cvc5|ghcid|nimpretty|sqlformat|pg_format|taplo|tombi|nufmt|topiary|treefmt|buildifier|ktfmt|dprint|uncrustify|astyle|indent|clang-apply-replacements|qmllint|cmakelang|gersemi|nixpkgs-fmt|xmllint|tidy|html-tidy|rustfmt|rust-analyzer|tflint|terraform-docs|helm-docs|kubeconform|kubeval|kube-linter|pluto|promtool|vacuum|protolint|prototool|api-linter|jsonschema|check-jsonschema|v8r|spectral",
			Label: shell.Safe, Kind: "build", Category: "lint", Reason: "checks or formats code",
			Match:   []string{"rustfmt src/main.rs", "stylua .", "tflint", "kubeconform x.yaml", "taplo fmt"},
			NoMatch: []string{"rm stylua"},
		},

		// Versions, editors and what else is at hand.
		{
			ID: "toolchain", Cmd: "source|.|activate|deactivate", Not: "/tmp/* /dev/* /proc/* /var/tmp/* *://*",
			Label: shell.Safe, Kind: "run", Category: "run-script", Reason: "reads settings of the project into the shell",
			Match:   []string{"source .venv/bin/activate", ". ./env.sh", "deactivate", "source ~/.bashrc", ". ~/.nvm/nvm.sh"},
			NoMatch: []string{"source /tmp/x.sh", ". /dev/tcp/x/1"},
		},
		{
			ID: "little-tools", Cmd: "ctags|etags|gtags|cscope|universal-ctags|logger|dos2unix|unix2dos|vacuumdb|reindexdb|stow|chezmoi|checkrein|banner|xdpyinfo|xrandr|fc-list|fc-cache|update-desktop-database|ldconfig|mkpasswd|pwgen|xkcdpass|apg|cmatrix|sl|fortune|watchman|tig|lazygit|gitui|k9s|ctop|dive", Not: "-D --delete destroy purge forget remove --force watch-del-all shutdown-server apply update init trigger",
			Label: shell.Safe, Kind: "run", Category: "tool", Reason: "a small tool that loses nothing",
			Match:   []string{"ctags -R .", "logger done", "dos2unix run.sh"},
			NoMatch: []string{"stow -D dotfiles", "chezmoi destroy x", "chezmoi apply --force"},
		},
		{
			ID: "stow-delete", Cmd: "stow|chezmoi", Any: "-D --delete destroy purge forget remove --force", Not: "-n --no --simulate",
			Label: shell.Unknown, Kind: "delete", Category: "tool", Radius: shell.RadiusMedium, Reason: "takes links or files out of the home directory",
			Match:   []string{"stow -D dotfiles", "chezmoi destroy x"},
			NoMatch: []string{"stow -S x", "chezmoi diff"},
		},
		{
			ID: "stow-show", Cmd: "stow", Any: "-n --no --simulate",
			Label: shell.Safe, Kind: "read", Category: "tool", Reason: "shows what it would do",
			Match:   []string{"stow -n -D dotfiles", "stow --no -D x"},
			NoMatch: []string{"stow -D x"},
		},
		{
			ID: "editor", Cmd: "code|code-insiders|codium|cursor|windsurf|zed|subl|atom|idea|pycharm|webstorm|goland|rubymine|clion|studio|fleet|open|xdg-open|start|explorer|gedit|kate|mousepad|notepad|lapce", Not: "--uninstall-extension --install-extension -a *.command *.app tunnel serve-web --user-data-dir *.sh *.pkg *.dmg",
			Label: shell.Safe, Kind: "run", Category: "edit", Reason: "opens an editor or a viewer",
			Match:   []string{"code .", "code --list-extensions", "open README.md", "xdg-open x.html"},
			NoMatch: []string{"code --uninstall-extension x", "code --install-extension x", "open -a Terminal x.command"},
		},
		{
			ID: "editor-extension", Cmd: "code|code-insiders|codium|cursor|windsurf|open|xdg-open|start", Any: "--uninstall-extension --install-extension -a *.command *.app tunnel serve-web *.sh *.pkg *.dmg",
			Label: shell.Unknown, Kind: "run", Category: "edit", Radius: shell.RadiusMedium, Reason: "changes the editor, or opens a program or a page",
			Match:   []string{"code --install-extension x", "code --uninstall-extension x", "open -a Terminal"},
			NoMatch: []string{"code .", "open README.md", "open http://localhost:3000"},
		},
		{
			ID: "editor-terminal", Cmd: "vim|vi|nvim|view|ex|ed|emacs|emacsclient|nano|pico|micro|joe|hx|kak|mcedit|gvim|mvim|ne|jed|mg",
			Label: shell.Unknown, Kind: "run", Category: "edit", Reason: "opens an editor that waits for a person",
			Match:   []string{"vim main.go", "nano x.txt", "emacs -nw x"},
			NoMatch: []string{"cat x", "vim --version"},
		},
		{
			ID: "model", Cmd: "ollama|llm|aider|claude|codex|gemini|cursor-agent|opencode|amp|sgpt|aichat|mods|fabric|whisper|llama-cli|lms", Not: "list ps show version --version models help",
			Label: shell.Unknown, Kind: "run", Category: "run", Radius: shell.RadiusMedium, Reason: "has a model or another agent do something",
			Match:   []string{`claude -p "fix it"`, "ollama run llama3", "aider x.py"},
			NoMatch: []string{"ollama list", "claude --version", "ollama ps"},
		},
		{
			ID: "model-read", Cmd: "ollama|llm|lms|claude|codex list|ls|ps|show|version|models|logs|doctor|mcp", Not: "rm remove add add-json",
			Label: shell.Safe, Kind: "read", Category: "proc-read", Reason: "lists models",
			Match:   []string{"ollama list", "ollama ps", "llm models"},
			NoMatch: []string{"ollama rm x", "ollama run x", "claude mcp remove x"},
		},
		{
			ID: "model-remove", Cmd: "ollama|lms|huggingface-cli|hf rm|unload|stop|delete-cache|cache|scan-cache|repo|delete", Any: "rm delete-cache delete", Not: "scan-cache",
			Label: shell.Destructive, Kind: "delete", Category: "pkg-cache", Reason: "deletes a model that can be downloaded again",
			Match:   []string{"ollama rm llama3", "huggingface-cli delete-cache", "hf repo delete x"},
			NoMatch: []string{"ollama list", "huggingface-cli scan-cache"},
		},
		{
			ID: "keygen", Cmd: "ssh-keygen", Any: "-t", Not: "-R -l -p -y",
			Label: shell.Unknown, Kind: "create", Category: "secret-change", Reason: "makes a new key; asks before it overwrites one",
			Match:   []string{"ssh-keygen -t ed25519 -C me", "ssh-keygen -t rsa -b 4096 -f key"},
			NoMatch: []string{"ssh-keygen -l -f x", "ssh-keygen -R h"},
		},
		{
			ID: "record", Cmd: "ffmpeg|ffplay|convert|magick|inkscape|dot|neato|plantuml|mmdc|d2|graphviz|gnuplot|rsvg-convert|cwebp|optipng|pngquant|jpegoptim|sox|yt-dlp|youtube-dl|qrencode|scrot|import|screencapture|ebook-convert|wkhtmltopdf|weasyprint|libreoffice|soffice|unoconv|exiv2|potrace|pdftk|qpdf|pdfunite|img2pdf|tesseract", Not: "/etc/* /usr/* /boot/* /dev/* ~/* -delete --delete msl:* --exec --exec-before-download",
			Label: shell.Safe, Kind: "create", Category: "media", Reason: "makes or changes pictures, sound or documents",
			Match:   []string{"ffmpeg -i a.mp4 b.webm", "convert a.png b.jpg", "dot -Tpng x.dot -o x.png"},
			NoMatch: []string{"ffprobe a.mp4", "convert a.png /etc/x.png"},
		},
		{
			ID: "clipboard", Cmd: "pbcopy|xclip|xsel|wl-copy|clip|clip.exe|wl-paste|osc52",
			Label: shell.Safe, Kind: "modify", Category: "io", Reason: "copies text for pasting",
			Match:   []string{"pbcopy", "xclip -selection clipboard", "wl-copy x"},
			NoMatch: []string{"rm xclip"},
		},
	},
}
