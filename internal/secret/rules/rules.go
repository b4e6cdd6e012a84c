// Package rules is the table of everything that can be found, a row for each kind in
// tables/rules.txt, and the automaton over the anchors of all rows, which is generated from
// it. rule.go says what a column means.
package rules

//go:generate go run ../../shell/resolve/gen
//go:generate go test -run TestAutomaton -update .

// UUID is the shape of a UUID.
const UUID = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// A reader is who looks at a hit, by what it goes by: ByURL looks for logins in URLs.
// What is not looked for at anchors has one too, for its rank.
type reader uint8

const (
	_ reader = iota
	ByShape
	ByAWSID
	ByName
	ByGeneric
	ByPassword
	ByCall
	ByTyping
	ByClient
	ByCommand
	ByLogin
	ByTool
	BySecureString
	ByPiped
	ByGiven
	ByURL
	ByDSN
	ByThin
	ByCookie
	ByCurl
	ByUserAndPassword
	ByDockerAuth
	ByHeader
	ByBasic
	ByJWK
	ByJWT
	ByKube
	ByNetrc
	ByPgpass
	ByRun
	ByKeyed
	ByKeyBlock
	ByPutty
	ByIdentified
	ByPair
	ByParted
	ByXprv
	ByDigits
	ByEmail
	ByPhone
	ByIPv4
	ByIPv6
	ByHost
	ByPath
)
