"""What gates have against a piece of work, and what cures it."""

from pm_orchestrator.domain.catalogue.objection import Objected
from pm_orchestrator.domain.text import Sentence

GATE_OBJECTIONS: dict[str, Objected] = {
    "gates_not_judged": Objected(
        Sentence(
            "The gates were not run on what was delivered.",
            "納品物に対してゲートが実行されていません。",
        ),
        Sentence(
            "`pm-orchestrator logs {task} --full` says what stopped the gates; "
            '`pm-orchestrator reply {task} "go on"` has it judged again.',
            "`pm-orchestrator logs {task} --full` で原因を確認し、`pm-orchestrator reply "
            '{task} "続けて"` で再判定できます。',
        ),
    ),
    "gates_on_other_commit": Objected(
        Sentence(
            "The gates judged {judged}, but {delivered} was delivered.",
            "ゲートの対象は {judged} ですが、納品されたのは {delivered} です。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "go on"` has what is there now judged again.',
            '`pm-orchestrator reply {task} "続けて"` で現在の内容を再判定できます。',
        ),
    ),
    "gates_altered": Objected(
        Sentence(
            "The work changed what judges it, and the task does not ask for that: {files}.",
            "判定に使うファイルが変更されましたが、タスクの指示にはありません: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "put {files} back as it was"` has it go on; if the '
            "change is right, `pm-orchestrator accept {task}` says so.",
            '`pm-orchestrator reply {task} "{files} を元に戻して"` で続行できます。変更してよ'
            "ければ `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "gate_failed": Objected(
        Sentence(
            "The {gate} gate failed.",
            "{gate} ゲートが失敗しました。",
        ),
        Sentence(
            'failing: {which}. `pm-orchestrator reply {task} "make the failing tests pass"` '
            "has it go on; `pm-orchestrator logs {task}` shows what they print.",
            '失敗: {which}。`pm-orchestrator reply {task} "失敗しているテストを直して"` で続行'
            "できます。出力は `pm-orchestrator logs {task}` で確認できます。",
        ),
    ),
    "gate_new_failures": Objected(
        Sentence(
            "The {gate} gate fails where it did not before the task: {failures}.",
            "{gate} ゲートにタスク前にはなかった失敗があります: {failures}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "make the failing tests pass"` '
            "has it go on; `pm-orchestrator logs {task}` shows what they print.",
            '`pm-orchestrator reply {task} "失敗しているテストを直して"` で続行'
            "できます。出力は `pm-orchestrator logs {task}` で確認できます。",
        ),
    ),
    "named_failures_left": Objected(
        Sentence(
            "The {gate} gate still has the failures that the task is about: {failures}.",
            "{gate} ゲートに、タスクが対象とする失敗が残っています: {failures}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "make the failing tests '
            'pass"` has it go on; `pm-orchestrator logs {task}` shows what they print.',
            '`pm-orchestrator reply {task} "失敗しているテストを直して"` で'
            "続行できます。出力は `pm-orchestrator logs {task}` で確認できます。",
        ),
    ),
    "failures_indistinct": Objected(
        Sentence(
            "The {gate} gate is red and cannot be told apart from before the task; a person "
            "can look and accept it.",
            "{gate} ゲートが失敗していますが、タスク前の失敗と区別できません。確認のうえ承認で"
            "きます。",
        ),
        Sentence(
            "`pm-orchestrator logs {task}` shows what the gate printed; if it was red before "
            "too, `pm-orchestrator accept {task}` says so, else `pm-orchestrator reply {task} "
            '"make the {gate} gate pass"` has it go on.',
            "ゲートの出力は `pm-orchestrator logs {task}` で確認できます。以前からの失敗なら "
            "`pm-orchestrator accept {task}`、そうでなければ `pm-orchestrator reply {task} "
            '"{gate} ゲートを通るようにして"` で続行できます。',
        ),
    ),
    "checks_diluted": Objected(
        Sentence(
            "The checks are weaker than before, and the task does not ask for that: {findings}.",
            "タスクの指示にない検査の弱体化があります: {findings}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "put the checks back and change the code instead"` '
            "has it go on; if the change of the checks is right, `pm-orchestrator accept "
            "{task}` says so.",
            '`pm-orchestrator reply {task} "検査を元に戻してコードを直して"` で続行できます。'
            "検査の変更が正しければ `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "product_made_for_tests": Objected(
        Sentence(
            "The product seems to be made for its tests (it sees them, holds the answers they "
            "ask for, or equals everything); a person can look and accept it: {findings}.",
            "製品コードがテストに合わせて作られているようです（テストの検知、答えの埋め込み、"
            "常に等しい値）。確認のうえ承認できます: {findings}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "solve it in general, not for the tests"` has it '
            "go on; if the code is right, `pm-orchestrator accept {task}` says so.",
            '`pm-orchestrator reply {task} "テストに合わせず一般的に実装して"` で続行できます'
            "。コードが正しければ `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "gates_changed_tree": Objected(
        Sentence(
            "A gate changed files that could not be put back, so another tree was judged: {files}.",
            "ゲートがファイルを変更し、元に戻せないため、判定対象と納品物が異なります: {files}。",
        ),
        Sentence(
            "let the gate write to a directory that git ignores; `pm-orchestrator accept "
            "{task}` takes the work as it is.",
            "ゲートの出力先を git の対象外の場所にしてください。このままでよければ "
            "`pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "asked_gate_failed": Objected(
        Sentence(
            "The Runner itself ran {run}, and it failed; failures: {failures}.",
            "Runner 自身が {run} を実行し、失敗しました。失敗した項目: {failures}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "make the {gate} gate pass"` has it repaired; '
            "`pm-orchestrator logs {task}` shows the output.",
            '`pm-orchestrator reply {task} "{gate} ゲートを通るようにして"` で修正を指示できま'
            "す。出力は `pm-orchestrator logs {task}` で確認できます。",
        ),
    ),
    "asked_gate_absent": Objected(
        Sentence(
            "This project has no {gate} command that the Runner knows of; `gates.{gate}` in "
            ".claude/settings.json can name it.",
            "Runner が実行できる {gate} コマンドがありません。.claude/settings.json の "
            "`gates.{gate}` で指定できます。",
        ),
        Sentence(
            'name its command as gates.{gate} in .claude/settings.json, such as ["make", '
            '"{gate}"]; `pm-orchestrator validate` checks the file.',
            '.claude/settings.json の gates.{gate} に ["make", "{gate}"] のようにコマンドを指'
            "定してください。`pm-orchestrator validate` で検証できます。",
        ),
    ),
    "gate_could_not_run": Objected(
        Sentence(
            "The {gate} gate could not run, so it proves nothing.",
            "{gate} ゲートを実行できなかったため、何も証明されていません。",
        ),
        Sentence(
            "`pm-orchestrator logs {task}` shows its output; put right what it lacks, then "
            '`pm-orchestrator reply {task} "go on"` has it judged again.',
            "出力は `pm-orchestrator logs {task}` で確認できます。不足を解消し、"
            '`pm-orchestrator reply {task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_not_started": Objected(
        Sentence(
            "The {gate} gate could not be started: its sandbox or its program is not there.",
            "{gate} ゲートを開始できません: サンドボックスまたはプログラムがありません。",
        ),
        Sentence(
            "`pm-orchestrator doctor` says what is missing; install it, then `pm-orchestrator "
            'reply {task} "go on"` has it judged again.',
            "`pm-orchestrator doctor` で不足を確認してインストールし、`pm-orchestrator reply "
            '{task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_program_missing": Objected(
        Sentence(
            "The {gate} gate could not run: a program it needs is missing.",
            "{gate} ゲートを実行できません: 必要なプログラムがありません。",
        ),
        Sentence(
            "install what the {gate} gate needs (`pm-orchestrator logs {task}` shows what it "
            "printed), or name another command as gates.{gate} in .claude/settings.json; then "
            '`pm-orchestrator reply {task} "go on"` has it judged again.',
            "{gate} ゲートに必要なプログラムをインストールするか（出力は `pm-orchestrator "
            "logs {task}`）、.claude/settings.json の gates.{gate} で別のコマンドを指定してく"
            'ださい。その後 `pm-orchestrator reply {task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_target_missing": Objected(
        Sentence(
            "The {gate} gate could not run: its target is not defined in the delivered tree.",
            "{gate} ゲートを実行できません: 納品されたツリーにターゲットが定義されていません。",
        ),
        Sentence(
            "define the target, or name another command as gates.{gate} in "
            '.claude/settings.json; then `pm-orchestrator reply {task} "go on"` has it judged '
            "again.",
            "ターゲットを定義するか、.claude/settings.json の gates.{gate} で別のコマンドを指"
            '定してください。その後 `pm-orchestrator reply {task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_timed_out": Objected(
        Sentence(
            "The {gate} gate did not finish in time, so it proves nothing.",
            "{gate} ゲートが時間内に終わらなかったため、何も証明されていません。",
        ),
        Sentence(
            "raise gates.timeout_seconds in .claude/settings.json if the gate takes that "
            'long; then `pm-orchestrator reply {task} "go on"` has it judged again.',
            "時間が必要なゲートなら .claude/settings.json の gates.timeout_seconds を増やして"
            'ください。その後 `pm-orchestrator reply {task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_out_of_memory": Objected(
        Sentence(
            "The {gate} gate ran out of the sandbox's memory, so it proves nothing.",
            "{gate} ゲートがサンドボックスのメモリーを使い切ったため、何も証明されていません。",
        ),
        Sentence(
            "raise sandbox.memory_mb in .claude/settings.json if the gate needs that much; then "
            '`pm-orchestrator reply {task} "go on"` has it judged again.',
            "それだけのメモリーが必要なゲートなら .claude/settings.json の sandbox.memory_mb を"
            '増やしてください。その後 `pm-orchestrator reply {task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_did_nothing": Objected(
        Sentence(
            "The {gate} gate ended well without doing anything, so it proves nothing.",
            "{gate} ゲートは何も実行せずに正常終了したため、何も証明されていません。",
        ),
        Sentence(
            "let the command of the {gate} gate do its work each time, or name another one as "
            'gates.{gate} in .claude/settings.json; then `pm-orchestrator reply {task} "go '
            'on"` has it judged again.',
            "{gate} ゲートのコマンドが毎回実行されるようにするか、.claude/settings.json の "
            "gates.{gate} で別のコマンドを指定してください。その後 `pm-orchestrator reply "
            '{task} "続けて"` で再判定できます。',
        ),
    ),
    "gate_ran_no_test": Objected(
        Sentence(
            "The {gate} gate ran no test, so it proves nothing.",
            "{gate} ゲートで実行されたテストがないため、何も証明されていません。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "add a test"` has it go on; if there is to be '
            "none, `pm-orchestrator accept {task}` takes it without.",
            '`pm-orchestrator reply {task} "テストを追加して"` で続行できます。テストが不要な'
            "ら `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "gate_ended_early": Objected(
        Sentence(
            "The {gate} gate ended before its test runner had said how the tests went, so it "
            "proves nothing.",
            "{gate} ゲートはテストの結果が報告される前に終了したため、何も証明されていません。",
        ),
        Sentence(
            "`pm-orchestrator logs {task}` shows where it ended; `pm-orchestrator reply "
            '{task} "let the tests run to their end"` has it go on.',
            "終了した箇所は `pm-orchestrator logs {task}` で確認できます。`pm-orchestrator "
            'reply {task} "テストが最後まで実行されるようにして"` で続行できます。',
        ),
    ),
    "gate_not_reached": Objected(
        Sentence(
            "The {gate} gate was not run, because lint did not pass.",
            "lint が通らなかったため、{gate} ゲートは実行していません。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "make lint pass"` has it go on; `pm-orchestrator '
            "logs {task}` shows what lint says.",
            '`pm-orchestrator reply {task} "lint を通るようにして"` で続行できます。lint の出'
            "力は `pm-orchestrator logs {task}` で確認できます。",
        ),
    ),
}
