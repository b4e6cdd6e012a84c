// Package setups lists what the setup packages of the hosts declare: how checkrein is installed in
// each host, how its transcripts are read, and how it runs in the lab. The hot program does not link
// it.
package setups

import (
	"github.com/checkrein/checkrein/internal/host/hostlab"
	"github.com/checkrein/checkrein/internal/host/install"
	"github.com/checkrein/checkrein/internal/host/transcript"
)

// Installs returns the install specs of all hosts. Callers must not change the slice.
func Installs() []*install.Spec { return installs[:] }

// Transcripts returns the transcript forms of the hosts and of checkrein's own runtime.
func Transcripts() transcript.Forms { return append(forms[:], &transcript.Runtime) }

// Labs returns the recipes of the hosts that can run in the lab. Callers must not change the slice.
func Labs() hostlab.Recipes { return labs[:] }
