// Package setups lists what the hosts' setup packages have: how checkrein is installed in each,
// its transcripts and how it runs in the lab. The hot program links none of it.
package setups

import (
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

// Installs returns how checkrein is installed in each host. Callers must not change it.
func Installs() []*install.Spec { return installs[:] }

// Transcripts returns how hosts write their transcripts, and checkrein's runtime.
func Transcripts() transcript.Forms { return append(forms[:], &transcript.Runtime) }

// Labs returns how hosts run in the lab, for those that can. Callers must not change it.
func Labs() hostlab.Recipes { return labs[:] }
