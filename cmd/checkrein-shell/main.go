// Checkrein-shell starts the commands of agents, in the walls that checkrein sets for them.
package main

import (
	"os"

	"github.com/checkrein/checkrein/internal/cli/wrapper"
)

func main() { os.Exit(wrapper.Run(os.Args[1:])) }
