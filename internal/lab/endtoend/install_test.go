package endtoend

import "encoding/json"

// install connects the host to checkrein, and approves it where the host requires that. The programs
// are in a temporary directory, so their path is given.
func (w *world) install() {
	w.t.Helper()
	w.checkrein("install", w.name, "--program", w.ProgramPath("checkrein"))
	if _, err := w.ApproveHooks(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	if w.name == "gemini" {
		b, err := json.Marshal(map[string]string{w.Project: "TRUST_FOLDER"})
		if err != nil {
			w.t.Fatal(err)
		}
		w.writeFiles(w.Home, map[string]string{".gemini/trustedFolders.json": string(b)})
	}
}
