// Package protocol defines what the machines of a fleet and their hub say to each other: over HTTPS,
// JSON and batches of records, each request signed with the machine's key. There are no secrets in
// requests that could be used again, so a proxy that reads them cannot act as the machine.
package protocol
