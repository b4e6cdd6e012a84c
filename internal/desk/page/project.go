package page

import (
	"cmp"
	"context"
	"net/http"
	"os"
	"slices"
)

// project returns the directory of the project that the session of ctx shows.
func (p *Page) project(ctx context.Context) string {
	if one := sessionOf(ctx); one != nil {
		return cmp.Or(one.project, p.opts.Dir)
	}
	return p.opts.Dir
}

// projects returns the directories of the projects that a session can show: the one that it shows, that
// of the server, and those in which agents worked lately, if they still exist.
func (p *Page) projects(ctx context.Context) ([]string, error) {
	s, err := p.readStats(ctx)
	if err != nil {
		return nil, err
	}
	out := slices.Concat([]string{p.project(ctx), p.opts.Dir}, s.Projects)
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(dir string) bool {
		is, err := os.Stat(dir)
		return err != nil || !is.IsDir()
	}), nil
}

// ofProject returns s, a screen that depends on the project, with those from which a person can choose.
func (p *Page) ofProject(ctx context.Context, s screen) (screen, error) {
	var err error
	s.Projects, err = p.projects(ctx)
	return s, err
}

// chooseProject has the session of r show another project.
func (p *Page) chooseProject(w http.ResponseWriter, r *http.Request) {
	dir := r.PostFormValue("dir")
	list, err := p.projects(r.Context())
	if err != nil || !slices.Contains(list, dir) {
		http.Error(w, "no agent has worked in this project lately: run checkrein open there", http.StatusUnprocessableEntity)
		return
	}
	p.sessions.show(sessionSecret(r), dir)
	w.Header().Set("HX-Refresh", "true")
	w.WriteHeader(http.StatusNoContent)
}
