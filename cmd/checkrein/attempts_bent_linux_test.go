package main

import (
	"fmt"
	"strings"
)

// chained are scripts of which each runs the next, down to a last one.
func chained(n int, last string) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("f%d*", i)] = fmt.Sprintf("#!/bin/sh\n./f%d\n", i+1)
	}
	files[fmt.Sprintf("f%d*", n)] = last
	return files
}

// bentAttempts use that a plan has limits, and that shells, links and variables lead
// elsewhere than the words say.
var bentAttempts = []attempt{
	{class: "own scripts", name: "a chain", cmd: "./f0", files: chained(8, goodScript), change: map[string]string{"f8*": evilScript}},
	{class: "own scripts", name: "a chain that is too long", cmd: "./f0", files: chained(30, goodScript), change: map[string]string{"f30*": evilScript}},
	with(attempt{class: "own scripts", name: "a script that is too long", cmd: "./long", files: map[string]string{"long*": "#!/bin/sh\n" + strings.Repeat("#\n", 1<<19) + "./x\n"}}, "x*", goodScript, evilScript),
	with(attempt{class: "own scripts", name: "a script with a zero byte", cmd: "./odd", files: map[string]string{"odd*": "#!/bin/sh\n./x\n#\x00\n"}}, "x*", goodScript, evilScript),
}
