package runner

// A row is a program that runs what files of a repository say.
type row struct {
	program string
	files   string // that it reads, the first that is there
	read    func(*reading) bool
}

// rows are the runners, sorted by program.
var rows = [...]row{
	{"bun", "", readPack},
	{"bunx", "", readExec},
	{"gmake", "GNUmakefile makefile Makefile", readMake},
	{"go-task", taskfiles, readTask},
	{"just", "", readJust},
	{"make", "GNUmakefile makefile Makefile", readMake},
	{"node", "", readNode},
	{"npm", "", readPack},
	{"npx", "", readExec},
	{"pnpm", "", readPack},
	{"pnpx", "", readExec},
	{"task", taskfiles, readTask},
	{"yarn", "", readPack},
}

// Knows reports whether a program is a runner.
func Knows(program string) bool { return find(program) != nil }

const taskfiles = "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml taskfile.dist.yml Taskfile.dist.yaml taskfile.dist.yaml"

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
