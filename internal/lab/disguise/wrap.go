package disguise

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// runners start the program that follows them.
var runners = []string{"env", "env A=1", "env -u NOPE", "timeout 60", "timeout -s KILL 1m", "timeout --preserve-status 60", "nice", "nice -n 5", "nohup", "command", "setsid -w", "stdbuf -oL", "stdbuf -i0 -o0",
	"ionice -c 3", "env LC_ALL=C LANG=C", "/usr/bin/env", "/usr/bin/nice -n 1", "chrt -o 0"}

// asRoot start it with other rights.
var asRoot = []string{"sudo", "sudo -n", "sudo -E", "sudo -u root", "doas"}

// program is what starts a script from another program: its own words, or a shell.
func program(s Script) string {
	if s.one {
		return s.Text
	}
	return "bash -c " + quote(s.Text)
}

// wrapping has other programs start a script.
func wrapping() []Generator {
	g := func(name string, make func(r *rand.Rand, p string) string) Generator {
		return Generator{Class: "wrapping", Name: name, Whole: true, Simple: true, Make: func(r *rand.Rand, s Script) (string, bool) { return make(r, program(s)), true }}
	}
	chain := func(r *rand.Rand, n int) string {
		var list []string
		for range n {
			// command is the shell's own: other programs cannot start it.
			w := pick(r, runners...)
			if w == "command" {
				w = "env B=2"
			}
			list = append(list, w)
		}
		return join(list...)
	}
	args := func(name string, patterns ...string) Generator {
		return Generator{Class: "wrapping", Name: name, Words: true, Make: wordForm(patterns...)}
	}
	whole := func(name string, patterns ...string) Generator {
		return Generator{Class: "wrapping", Name: name, Whole: true, Make: form(patterns...)}
	}
	late := func(name string, patterns ...string) Generator {
		return Generator{Class: "wrapping", Name: name, Late: true, Whole: true, Make: form(patterns...)}
	}
	return []Generator{
		g("one", func(r *rand.Rand, p string) string { return join(pick(r, runners...), p) }),
		g("a few", func(r *rand.Rand, p string) string { return join(chain(r, 2+r.IntN(4)), p) }),
		g("many", func(r *rand.Rand, p string) string { return join(chain(r, 8+r.IntN(30)), p) }),
		g("the same", func(r *rand.Rand, p string) string {
			return strings.Repeat(pick(r, "env ", "nice ", "nohup ", "timeout 60 "), 2+r.IntN(40)) + p
		}),
		g("sudo", func(r *rand.Rand, p string) string { return join(pick(r, asRoot...), p) }),
		g("sudo among others", func(r *rand.Rand, p string) string { return join(pick(r, asRoot...), chain(r, 1+r.IntN(3)), p) }),
		{Class: "wrapping", Name: "time", Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) { return pick(r, "time ", "time -p ") + program(s), true }},
		args("xargs", `printf '%s\0' §@ | xargs -0 §1`, `printf '%s\0' §@ | xargs -0 -r -- §1`, `printf '%s\0' §1 §@ | xargs -0 env`, `echo x | xargs -I_QZ_ §`),
		whole("xargs sh", `echo x | xargs -I_QZ_ bash -c ¶`, `printf '%s\0' ¶ | xargs -0 -n1 bash -c`, `printf '%s\0' ¶ | xargs -0 -I_QZ_ bash -c _QZ_`),
		args("find -exec", `find / -maxdepth 0 -exec § \;`, `find . -maxdepth 0 -type d -exec env § ';'`).unless("{}", `\;`, "';'", " +"),
		whole("find -exec sh", `find . -maxdepth 0 -exec bash -c ¶ \;`, `find / -maxdepth 0 -exec bash -c ¶ _ {} +`).unless("{}"),
		whole("flock", `flock /tmp/‡.lock bash -c ¶`, `flock -w 9 /tmp/‡.lock -c ¶`),
		whole("shell of sudo", `sudo bash -c ¶`, `sudo -s bash -c ¶`, `sudo env bash -c ¶`),
		late("su", `su -c ¶`, `su root -c ¶`, `sudo su -c ¶`, `runuser -u root -- bash -c ¶`),
		late("elsewhere", `script -qc ¶ /dev/null`, `parallel ::: ¶`, `unshare -r bash -c ¶`, `strace -f bash -c ¶`, `tmux new-session -d ¶`, `screen -dm bash -c ¶`),
		{Class: "wrapping", Name: "shells in wrappers", Whole: true, Simple: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			text := s.Text
			for range 2 + r.IntN(2) {
				text = join(chain(r, 1+r.IntN(3)), "bash -c", quote(text))
				if len(text) > maxText/4 {
					break
				}
			}
			return text, true
		}},
	}
}

// documents hand a script over as text.
func documents() []Generator {
	g := func(name string, patterns ...string) Generator {
		return Generator{Class: "documents", Name: name, Whole: true, Make: form(patterns...)}
	}
	code := func(name string, make func(text string) string) Generator {
		return Generator{Class: "documents", Name: name, Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) { return make(lit(s.Text)), true }}
	}
	doc := func(head, body, tail string) string { return head + " <<'CODE_END'\n" + body + "\nCODE_END" + tail }
	file := func(r *rand.Rand) string {
		return fmt.Sprintf(pick(r, "/tmp/task-%d.sh", "./task-%d.sh", "task-%d"), r.IntN(10000))
	}
	return []Generator{
		g("to bash", "bash <<'‡'\n§\n‡", "bash -s <<'‡'\n§\n‡", "bash -s -- a b <<\"‡\"\n§\n‡", "bash - <<\\‡\n§\n‡", "bash /dev/stdin <<'‡'\n§\n‡", "env bash <<'‡'\n§\n‡"),
		g("source", "source /dev/stdin <<'‡'\n§\n‡", ". /dev/stdin <<'‡'\n§\n‡"),
		g("cat to bash", "cat <<'‡' | bash\n§\n‡", "cat <<'‡' | cat | bash -s\n§\n‡", "tee /dev/null <<'‡' | bash\n§\n‡"),
		g("eval of cat", "eval \"$(cat <<'‡'\n§\n‡\n)\"", "bash -c \"$(cat <<'‡'\n§\n‡\n)\"", "‡=$(cat <<'‡'\n§\n‡\n)\neval \"$‡\""),
		g("read", "read -r -d '' ‡ <<'‡'\n§\n‡\neval \"$‡\"", "IFS= read -rd '' ‡ <<'‡'\n§\n‡\nbash -c \"$‡\""),
		{Class: "documents", Name: "to a file", Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			f, end := file(r), name(r)
			write := pick(r, "cat > "+f, "cat >"+f, "tee "+f+" > /dev/null", "dd of="+f+" 2> /dev/null") + " <<'" + end + "'\n" + s.Text + "\n" + end + "\n"
			path := f
			if !strings.Contains(f, "/") {
				path = "./" + f
			}
			return write + pick(r, "bash "+f, "source "+path, ". "+path, "chmod +x "+f+" && bash "+f, "bash < "+f, "cat "+f+" | bash", "env bash "+f, "eval \"$(cat "+f+")\"", "bash -c \"$(<"+f+")\""), true
		}},
		{Class: "documents", Name: "to a program", Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			f, end := pick(r, "./", "/tmp/")+fmt.Sprintf("task-%d.sh", r.IntN(10000)), name(r)
			return "cat > " + f + " <<'" + end + "'\n#!/bin/bash\n" + s.Text + "\n" + end + "\nchmod " + pick(r, "+x", "755", "u+x") + " " + f + pick(r, " && ", "\n", "; ") + f, true
		}},
		{Class: "documents", Name: "echo to a file", Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			f := file(r)
			return pick(r, "printf '%s\\n' ", "echo -n ", "printf %s ") + quote(s.Text) + " > " + f + pick(r, " && ", "\n", "; ") + pick(r, "bash ", "env bash ", "nice bash ") + f, !strings.Contains(s.Text, `\`)
		}},
		{Class: "documents", Name: "lines to a file", Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			f := file(r)
			var b strings.Builder
			b.WriteString("echo '# tasks' > " + f + "\n")
			lines := strings.Split(s.Text, "\n")
			for _, l := range lines {
				b.WriteString("printf '%s\\n' " + quote(l) + " >> " + f + "\n")
			}
			return b.String() + "bash " + f, len(lines) < 20
		}},
		code("python", func(t string) string {
			return doc("python3 -", "import subprocess\nsubprocess.run(["+`"bash", "-c", `+t+"])", "")
		}),
		code("python system", func(t string) string {
			return doc("python3", "import os\nos.execvp(\"bash\", [\"bash\", \"-c\", "+t+"])", "")
		}),
		code("python -c", func(t string) string {
			return "python3 -c " + quote("import subprocess as s; s.call("+t+", shell=True, executable=\"/bin/bash\")")
		}),
		code("perl", func(t string) string {
			return "perl -e " + quote(`exec "bash", "-c", `+strings.NewReplacer("$", `\$`, "@", `\@`).Replace(t))
		}),
		code("node", func(t string) string {
			return "node -e " + quote(`require("child_process").execFileSync("bash", ["-c", `+t+`])`)
		}),
		code("node shell", func(t string) string {
			return doc("node -", `const { execSync } = require("child_process");`+"\nexecSync("+t+`, {shell: "/bin/bash"});`, "")
		}),
		{Class: "documents", Name: "awk", Whole: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			return "awk " + quote("BEGIN { system("+lit("bash -c "+quote(s.Text))+") }"), len(s.Text) < 4000
		}},
		{Class: "documents", Name: "make", Whole: true, Hides: true, Make: func(r *rand.Rand, s Script) (string, bool) {
			if strings.ContainsAny(s.Text, "\n#\\") {
				return "", false
			}
			return "make -f - run <<'RULES'\nrun:\n\t@bash -c " + strings.ReplaceAll(quote(s.Text), "$", "$$") + "\nRULES", true
		}},
	}
}

// has reports whether a word is among others.
func has(list []string, w string) bool { return slices.Contains(list, w) }
