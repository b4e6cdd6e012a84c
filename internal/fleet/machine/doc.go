// Package machine is the side of a fleet that runs on each machine: it joins the fleet, uploads the
// records of the machine's ledgers, keeps the bundle of policies up to date, and reports what it sees.
//
// It is the only part of checkrein that talks to a hub. Hooks read files.
package machine
