package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/agent/model/catalogue"
	"github.com/checkrein/checkrein/internal/app"
	"github.com/checkrein/checkrein/internal/hook/config"
	_ "github.com/checkrein/checkrein/internal/text/yamldoc/parser" // configuration files are YAML
)

// Check returns the joined mistakes in the policies of the bundle, with file, line and remedy, as
// checkrein validate reports them: a machine with such a bundle would deny every tool.
func (b *Bundle) Check() error {
	temp, err := os.MkdirTemp("", "checkrein-bundle-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, b.Name)
	if err := b.unpack(dir); err != nil {
		return err
	}
	return checkDir(dir)
}

// checkDir loads the policies in dir, an unpacked bundle, as a machine does, and returns their mistakes.
// Paths in it are relative to dir.
func checkDir(dir string) error {
	if _, err := catalogue.Load(filepath.Join(dir, catalogue.File)); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	files, err := config.BundleFiles(dir)
	if err != nil || len(files) == 0 {
		return err
	}
	none := filepath.Join(dir, ".none") // is not created: a process that is killed would leave it behind
	k, err := app.Open(app.Options{Dir: dir, Files: files, Config: none, State: none, Managed: app.NoManaged,
		Environ: []string{"HOME=" + none, "PATH=" + os.Getenv("PATH")}, ReadOnly: true})
	if err != nil {
		return err
	}
	if err := k.Check(); err != nil {
		return errors.New(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	}
	return nil
}
