// Package rules holds the rules, which are rows of tables/rules.txt, and the automaton over
// the anchors of all rules, which is generated from these rows. rule.go describes the
// columns.
package rules

//go:generate go run ../../shell/argv/gen
//go:generate go test -run TestAutomaton -update .

// UUID is the shape of a UUID.
const UUID = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// A reader identifies the function that checks the hits of a rule. ByURL, for example, finds logins in
// URLs. Rules without anchors have one too, because it determines their rank.
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
