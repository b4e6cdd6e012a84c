package windows

import "sort"

// aliases are the short names of cmdlets. Sorted.
var aliases = [...][2]string{
	{"%", "foreach-object"}, {"?", "where-object"}, {"ac", "add-content"}, {"cat", "get-content"}, {"cd", "set-location"}, {"chdir", "set-location"},
	{"clc", "clear-content"}, {"clear", "clear-host"}, {"cli", "clear-item"}, {"clp", "clear-itemproperty"}, {"cls", "clear-host"}, {"clv", "clear-variable"},
	{"compare", "compare-object"}, {"copy", "copy-item"}, {"cp", "copy-item"}, {"cpi", "copy-item"}, {"curl", "invoke-webrequest"}, {"del", "remove-item"},
	{"diff", "compare-object"}, {"dir", "get-childitem"}, {"echo", "write-output"}, {"epcsv", "export-csv"}, {"erase", "remove-item"},
	{"fl", "format-list"}, {"foreach", "foreach-object"}, {"ft", "format-table"}, {"fw", "format-wide"}, {"gc", "get-content"}, {"gci", "get-childitem"}, {"gcm", "get-command"},
	{"gi", "get-item"}, {"gl", "get-location"}, {"gm", "get-member"}, {"gp", "get-itemproperty"}, {"gps", "get-process"}, {"group", "group-object"}, {"gsv", "get-service"},
	{"gu", "get-unique"}, {"gv", "get-variable"}, {"gwmi", "get-wmiobject"}, {"h", "get-history"}, {"history", "get-history"}, {"icm", "invoke-command"}, {"iex", "invoke-expression"},
	{"ii", "invoke-item"}, {"ipmo", "import-module"}, {"irm", "invoke-restmethod"}, {"iwr", "invoke-webrequest"}, {"kill", "stop-process"}, {"ls", "get-childitem"},
	{"man", "get-help"}, {"md", "new-item-directory"}, {"measure", "measure-object"}, {"mi", "move-item"}, {"mkdir", "new-item-directory"}, {"mount", "new-psdrive"},
	{"move", "move-item"}, {"mp", "move-itemproperty"}, {"mv", "move-item"}, {"ni", "new-item"}, {"popd", "pop-location"}, {"ps", "get-process"}, {"pushd", "push-location"},
	{"pwd", "get-location"}, {"rd", "remove-item"}, {"ren", "rename-item"}, {"ri", "remove-item"}, {"rm", "remove-item"}, {"rmdir", "remove-item"}, {"rni", "rename-item"},
	{"rp", "remove-itemproperty"}, {"sajb", "start-job"}, {"sal", "set-alias"}, {"saps", "start-process"}, {"sasv", "start-service"}, {"sc", "set-content"}, {"select", "select-object"},
	{"set", "set-variable"}, {"si", "set-item"}, {"sl", "set-location"}, {"sleep", "start-sleep"}, {"sls", "select-string"}, {"sort", "sort-object"}, {"sp", "set-itemproperty"},
	{"spps", "stop-process"}, {"spsv", "stop-service"}, {"start", "start-process"}, {"sv", "set-variable"}, {"tee", "tee-object"}, {"type", "get-content"}, {"wget", "invoke-webrequest"},
	{"where", "where-object"}, {"write", "write-output"},
}

// aliasOf is the cmdlet that a short name stands for, or the name itself.
func aliasOf(n string) string {
	i := sort.Search(len(aliases), func(i int) bool { return aliases[i][0] >= n })
	if i < len(aliases) && aliases[i][0] == n {
		return aliases[i][1]
	}
	return n
}
