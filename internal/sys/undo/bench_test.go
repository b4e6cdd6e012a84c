package undo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/checkrein/checkrein/internal/evidence/ledger"
	"github.com/checkrein/checkrein/internal/sys/state"
)

// BenchmarkSave saves a tree of 100 directories with 100 files each, in turns with cp -al of the same
// tree, and reports medians. It removes nothing meanwhile: ext4 takes long to create directories after
// many were removed.
func BenchmarkSave(b *testing.B) {
	for _, inPlace := range []bool{false, true} {
		b.Run(map[bool]string{false: "links", true: "copies"}[inPlace], func(b *testing.B) {
			home := b.TempDir()
			dir, copied := filepath.Join(home, "tree"), filepath.Join(home, "copied")
			for i := range 10_000 {
				file := filepath.Join(dir, strconv.Itoa(i/100), strconv.Itoa(i))
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("some text\n"), 0o644)); err != nil {
					b.Fatal(err)
				}
			}
			how := map[bool]string{false: "-al", true: "-a"}[inPlace]
			store := Open(ledger.SealedDir(state.NewDir(filepath.Join(home, "state"))), nil, time.Now)
			var saves, copies []float64
			for b.Loop() {
				began := time.Now()
				e, err := store.Save(b.Context(), Request{Losses: []Loss{{Path: dir, InPlace: inPlace}}})
				saves = append(saves, time.Since(began).Seconds()*1e3)
				if err != nil || e.Files != 10_101 {
					b.Fatal(e.Files, err)
				}
				began = time.Now()
				if err := exec.Command("cp", how, dir, copied+strconv.Itoa(len(copies))).Run(); err != nil {
					b.Fatal(err)
				}
				copies = append(copies, time.Since(began).Seconds()*1e3)
			}
			slices.Sort(saves)
			slices.Sort(copies)
			save, cp := saves[len(saves)/2], copies[len(copies)/2]
			b.ReportMetric(save, "ms/save")
			b.ReportMetric(cp, "ms/cp")
			b.ReportMetric(save/cp, "save/cp")
			b.ReportMetric(0, "ns/op")
		})
	}
}
