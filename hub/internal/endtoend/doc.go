// Package endtoend tests a fleet of real programs: a NATS cluster of three nodes, hubs, and machines with
// agents whose hooks run while parts of it fail. make test-fleet runs it.
package endtoend
