package checkrein

import (
	"github.com/checkrein/checkrein/internal/catalog/fields"
	"slices"
	"strings"
	"testing"
)

// designTable is a copy of the table in the design, for reviewers: name, layer, effects, faults, and
// the names in the files of other systems. Change it only together with the design.
const designTable = `
session_start                 | lifecycle | C        | open   | on_session_start session_start pre-session SessionStart | persisted
session_end                   | lifecycle |          | open   | on_session_end session_end post-session SessionEnd |
on_session_resume             | lifecycle |          | open   | |
worktree_create               | lifecycle | D C      | open   | WorktreeCreate | printed
user_prompt_submit            | lifecycle | D O C    | open   | on_user_message before_agent pre-agent-turn UserPromptSubmit | transient
user_steering_messages_submit | lifecycle | D C      | open   | | transient
user_followup_submit          | lifecycle | D C      | open   | | transient
turn_start                    | lifecycle | C        | open   | | transient
turn_end                      | lifecycle |          | open   | |
before_llm_call               | lifecycle | D M C H  | open   | pre_llm_call BeforeModel | transient
after_llm_call                | lifecycle | O H      | open   | post_llm_call AfterModel |
pre_tool_use                  | tool      | A ? D I C H X | closed | pre_tool_call before_tool pre-tool-call PreToolUse | transient
permission_request            | tool      | A D I X  | open   | PermissionRequest |
on_tool_approval_decision     | tool      |          | open   | |
tool_response_transform       | tool      | O        | open   | transform_tool_result |
post_tool_use                 | tool      | D C      | open   | post_tool_call after_tool post-tool-call PostToolUse | transient
post_tool_use_failure         | tool      | D C      | open   | after_tool_failure post-tool-call-failure PostToolUseFailure | transient
on_response_end               | lifecycle | O        | open   | on_response_end after_agent post-agent-turn |
stop                          | lifecycle | D R C    | open   | on_stop before_stop pre-agent-turn-stop Stop | transient
on_completion_claim           | lifecycle | D R      | open   | on_completion_claim |
on_outbound_message           | boundary  | D O      | closed | on_outbound_message |
subagent_start                | lifecycle | D C      | open   | subagent_start pre-subagent SubagentStart | transient
subagent_stop                 | lifecycle | D R      | open   | subagent_stop post-subagent SubagentStop |
on_agent_switch               | lifecycle |          | open   | |
pre_compact                   | lifecycle | D C      | open   | pre_compact pre-context-compact PreCompact | guidance
before_compaction             | lifecycle | D S      | open   | |
after_compaction              | lifecycle |          | open   | PostCompact post-context-compact |
on_user_input                 | lifecycle |          | open   | |
notification                  | lifecycle |          | open   | Notification |
on_error                      | lifecycle |          | open   | |
on_max_iterations             | lifecycle |          | open   | |
pre_commit                    | boundary  | D        | closed | |
pre_push                      | boundary  | D        | closed | |
scrub                         | boundary  | D O      | closed | |
`

var designEffects = map[string]Effect{
	"D": CanDeny, "A": CanAllow, "?": CanAsk, "I": CanRewriteInput, "O": CanRewriteOutput, "M": CanRewriteMessages,
	"C": CanAddContext, "R": CanRedo, "H": CanHalt, "S": CanSummarize, "X": CanAnnotate,
}

// A designRow is a row of designTable.
type designRow struct {
	name, layer, context string
	effects              Effect
	closed               bool
	aliases              []string
}

func designRows(t *testing.T) []designRow {
	t.Helper()
	var rows []designRow
	for line := range strings.Lines(strings.TrimSpace(designTable)) {
		cols := strings.Split(line, "|")
		if len(cols) != 6 {
			t.Fatalf("%d columns in %q", len(cols), line)
		}
		for i := range cols {
			cols[i] = strings.TrimSpace(cols[i])
		}
		r := designRow{name: cols[0], layer: cols[1], closed: cols[3] == "closed", aliases: strings.Fields(cols[4]), context: cols[5]}
		for letter := range strings.FieldsSeq(cols[2]) {
			r.effects |= designEffects[letter]
		}
		rows = append(rows, r)
	}
	return rows
}

func TestContractsAreTheDesign(t *testing.T) {
	t.Parallel()
	rows := designRows(t)
	if got, want := len(Contracts())-1, len(rows); got != want {
		t.Errorf("%d rows beside other, want %d", got, want)
	}
	for i, want := range rows {
		t.Run(want.name, func(t *testing.T) {
			t.Parallel()
			got := Contracts()[i+1]
			if got.Name != want.name {
				t.Fatalf("row %d is %s, want %s", i+1, got.Name, want.name)
			}
			if got.Effects != want.effects {
				t.Errorf("effects %v, want %v", got.Effects.Words(), want.effects.Words())
			}
			if got.Closed != want.closed {
				t.Errorf("closed is %v, want %v", got.Closed, want.closed)
			}
			if got.Layer != want.layer {
				t.Errorf("layer %s, want %s", got.Layer, want.layer)
			}
			if got.Context != want.context {
				t.Errorf("context is %q, want %q", got.Context, want.context)
			}
			var names []string
			for _, a := range got.Aliases {
				names = append(names, a.Name)
			}
			slices.Sort(names)
			slices.Sort(want.aliases)
			if !slices.Equal(names, want.aliases) {
				t.Errorf("aliases %q, want %q", names, want.aliases)
			}
		})
	}
}

func TestContractRowsAreComplete(t *testing.T) {
	t.Parallel()
	for i, row := range Contracts() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			if row.Kind != Kind(i) {
				t.Errorf("kind %d stands at %d", row.Kind, i)
			}
			if row.Name == "" || row.When == "" {
				t.Errorf("name %q, when %q", row.Name, row.When)
			}
			if row.Kind.String() != row.Name || ContractOf(row.Kind).Name != row.Name {
				t.Errorf("the kind is called %s", row.Kind)
			}
			if (row.DenyIs != "") != row.Can(CanDeny) {
				t.Errorf("what a denial means is %q, and denying is possible: %v", row.DenyIs, row.Can(CanDeny))
			}
			if (row.Context != "") != row.Can(CanAddContext) {
				t.Errorf("context is kept %q, and adding it is possible: %v", row.Context, row.Can(CanAddContext))
			}
			if row.Closed && !row.Can(CanDeny) {
				t.Error("a fault denies where nothing can be denied")
			}
			if row.Plain && !row.Can(CanAddContext) {
				t.Error("plain text is context where there is none")
			}
		})
	}
}

// TestContractEffectsFitTheSubject checks that a rewrite changes the subject of its row.
func TestContractEffectsFitTheSubject(t *testing.T) {
	t.Parallel()
	for _, row := range Contracts() {
		t.Run(row.Name, func(t *testing.T) {
			t.Parallel()
			if (row.Subject == SubjectText) != (row.Text != "") {
				t.Errorf("subject %v with text field %q", row.Subject, row.Text)
			}
			if (row.Layer == "tool") != (row.Subject == SubjectTool) {
				t.Errorf("layer %s with subject %v", row.Layer, row.Subject)
			}
			if row.Can(CanRewriteInput) && row.Subject != SubjectTool {
				t.Error("rewrites the input of no tool")
			}
			if row.Can(CanRewriteOutput) && row.Subject != SubjectTool && row.Subject != SubjectText {
				t.Error("rewrites an output or a text that is not there")
			}
			if row.Can(CanRewriteMessages) && row.Subject != SubjectMessages {
				t.Error("rewrites messages that are not there")
			}
		})
	}
}

func TestContractFieldsAreKnown(t *testing.T) {
	t.Parallel()
	for _, row := range Contracts() {
		names := slices.Concat(row.Fields, fields.CommonNames(), fields.ToolNames())
		if row.Text != "" {
			names = append(names, row.Text)
		}
		for _, name := range names {
			if f, ok := fields.Find(name); !ok || f.Doc == "" {
				t.Errorf("%s: field %q is not in the table, or undocumented", row.Name, name)
			}
		}
		if slices.Contains(row.Fields, row.Text) {
			t.Errorf("%s lists its text %q among the further fields", row.Name, row.Text)
		}
	}
}

func TestUnknownKindIsOther(t *testing.T) {
	t.Parallel()
	if got := ContractOf(NumKinds + 7).Kind; got != Other {
		t.Errorf("row %v, want other", got)
	}
}

// TestPlainRows checks that plain stdout is context on these events, and is printed on
// worktree_create.
func TestPlainRows(t *testing.T) {
	t.Parallel()
	want := []Kind{SessionStart, WorktreeCreate, UserPromptSubmit, UserSteeringMessagesSubmit, UserFollowupSubmit, TurnStart, PostToolUse, Stop, PreCompact}
	var got []Kind
	for _, row := range Contracts() {
		if row.Plain {
			got = append(got, row.Kind)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("plain rows %v, want %v", got, want)
	}
}

func TestEffectWords(t *testing.T) {
	t.Parallel()
	if got := len(AllEffects.Words()); got != len(effectWords) {
		t.Errorf("all effects have %d words, want %d", got, len(effectWords))
	}
	for i, want := range effectWords {
		if got := Effect(1 << i).Words(); len(got) != 1 || got[0] != want {
			t.Errorf("words of bit %d are %q, want %q", i, got, want)
		}
	}
}

func TestVerdictEffects(t *testing.T) {
	t.Parallel()
	v := verdictWithAllEffects()
	for d, bit := range map[Decision]Effect{NoOpinion: 0, Allow: CanAllow, Ask: CanAsk, Deny: CanDeny} {
		v.Decision = d
		if got, want := v.Effects(), AllEffects&^(CanAllow|CanAsk|CanDeny)|bit; got != want {
			t.Errorf("effects with %v are %v, want %v", d, got.Words(), want.Words())
		}
	}
	var zero Verdict
	if !zero.IsZero() || zero.Effects() != 0 || v.IsZero() {
		t.Error("the zero verdict, and only it, wants nothing")
	}
}
