// Command appendsqlite adds one row to a SQLite database in the given directory:
// the peer of appendledger.
package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string) error {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "peer.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=busy_timeout(2000)")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE IF NOT EXISTS record (seq INTEGER PRIMARY KEY, body TEXT)"); err != nil {
		return err
	}
	_, err = db.Exec("INSERT INTO record (body) VALUES (?)", strings.Repeat("x", 450))
	return err
}
