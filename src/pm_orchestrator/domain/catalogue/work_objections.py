"""What is wrong with a piece of work besides its gates, and what cures it."""

from pm_orchestrator.domain.catalogue.objection import Objected
from pm_orchestrator.domain.text import Sentence

WORK_OBJECTIONS: dict[str, Objected] = {
    "evidence_missing": Objected(
        Sentence(
            "There is no intact evidence for: {operations}.",
            "次の操作の有効な証跡がありません: {operations}。",
        ),
        Sentence(
            "`pm-orchestrator evidence verify` lists what is missing; give the task again.",
            "`pm-orchestrator evidence verify` で欠落を確認し、タスクをもう一度指示してください。",
        ),
    ),
    "nothing_delivered": Objected(
        Sentence(
            "Nothing was delivered: all is as it was before.",
            "成果物がありません: すべて作業前のままです。",
        ),
        Sentence(
            'what it said last tells why; `pm-orchestrator reply {task} "TEXT"` says what to '
            "change all the same.",
            'エージェントの最後の言葉を確認し、`pm-orchestrator reply {task} "TEXT"` で変更内容を'
            "指示できます。",
        ),
    ),
    "nothing_changed": Objected(
        Sentence(
            "Nothing was changed: the delivered tree is the same as before.",
            "変更がありません: 納品されたツリーは作業前と同じです。",
        ),
        Sentence(
            'what it said last tells why; `pm-orchestrator reply {task} "TEXT"` says what to '
            "change all the same.",
            'エージェントの最後の言葉を確認し、`pm-orchestrator reply {task} "TEXT"` で変更内容を'
            "指示できます。",
        ),
    ),
    "files_missing": Objected(
        Sentence(
            "Not in the delivered tree: {files}.",
            "納品されたツリーに存在しません: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "create {files}"` has it go on; name another path '
            "if that is meant.",
            '`pm-orchestrator reply {task} "{files} を作成して"` で続行できます。パスが違う場'
            "合は正しいパスを指定してください。",
        ),
    ),
    "files_left_alone": Objected(
        Sentence(
            "To be deleted or moved, but still there: {files}.",
            "削除または移動の対象ですが、まだ残っています: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "delete or move {files}"` has it go on.',
            '`pm-orchestrator reply {task} "{files} を削除または移動して"` で続行できます。',
        ),
    ),
    "files_unchanged": Objected(
        Sentence(
            "What the task is about was not changed: {files}.",
            "タスクの対象が変更されていません: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "change {files}"` has it go on; say in it what is '
            "to be different.",
            '`pm-orchestrator reply {task} "{files} を変更して"` で続行できます。変更内容も伝'
            "えてください。",
        ),
    ),
    "secrets_delivered": Objected(
        Sentence(
            "The work puts what looks like a key into a file, and nothing was pushed: "
            "{places}. Take it out and renew the key, or accept it.",
            "鍵と思われる値がファイルに書き込まれました（プッシュはしていません）: {places}。"
            "取り除いて鍵を更新するか、承認してください。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "take the key out of the file"` has it go on, and '
            "the key should be renewed; if it is none, `pm-orchestrator accept {task}` says "
            "so.",
            '`pm-orchestrator reply {task} "鍵をファイルから取り除いて"` で続行し、鍵を更新し'
            "てください。鍵でなければ `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "files_empty": Objected(
        Sentence(
            "Empty, although content was asked for: {files}.",
            "内容が求められていますが空です: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "fill {files}"` has it go on; if empty is right, '
            "`pm-orchestrator accept {task}` says so.",
            '`pm-orchestrator reply {task} "{files} に内容を書いて"` で続行できます。空でよけ'
            "れば `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "only_words_changed": Objected(
        Sentence(
            "Only comments or layout changed in {files}, although something else was asked for.",
            "{files} はコメントや書式しか変わっていませんが、求められたのは別の変更です。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "change what the code does"` has it go on; if '
            "comments were all that was meant, `pm-orchestrator accept {task}` says so.",
            '`pm-orchestrator reply {task} "コードの動作を変更して"` で続行できます。コメント'
            "だけでよければ `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "values_not_set": Objected(
        Sentence(
            "Values that were asked for do not stand where they should: {values}.",
            "指定された値が、あるべき場所に設定されていません: {values}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "set exactly the values I named"` has it go on.',
            '`pm-orchestrator reply {task} "指定した値をそのまま設定して"` で続行できます。',
        ),
    ),
    "only_documents": Objected(
        Sentence(
            "Code was asked for, and only documents were written: {files}.",
            "コードが求められていますが、文書しか書かれていません: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "write the code too"` has it go on.',
            '`pm-orchestrator reply {task} "コードも書いて"` で続行できます。',
        ),
    ),
    "tests_missing": Objected(
        Sentence(
            "Tests were asked for, and none came with the change.",
            "テストが求められていますが、追加されていません。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "add the tests I asked for"` has it go on.',
            '`pm-orchestrator reply {task} "依頼したテストを追加して"` で続行できます。',
        ),
    ),
    "only_tests_changed": Objected(
        Sentence(
            "More than tests was asked for, and nothing else was changed: {files}.",
            "テスト以外の変更も求められていますが、変わったのはテストだけです: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "change the code too"` has it go on.',
            '`pm-orchestrator reply {task} "コードも変更して"` で続行できます。',
        ),
    ),
    "names_missing": Objected(
        Sentence(
            "Asked for by name, and not in what was changed: {names}.",
            "名前を指定して求められていますが、変更した内容にありません: {names}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "add {names}"` has it go on; say the name it got, '
            "if it is called differently.",
            '`pm-orchestrator reply {task} "{names} を追加して"` で続行できます。別の名前にし'
            "た場合はその名前を伝えてください。",
        ),
    ),
    "names_hollow": Objected(
        Sentence(
            "Asked for by name, and there by name alone, doing nothing with what they are "
            "given: {names}.",
            "名前だけがあり、受け取ったものを何も処理していません: {names}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "make {names} do its work"` has it go on; if a '
            "stub was meant, `pm-orchestrator accept {task}` says so.",
            '`pm-orchestrator reply {task} "{names} を実装して"` で続行できます。スタブでよけ'
            "れば `pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "files_not_read": Objected(
        Sentence(
            "Too large to be read, which text never is: {files}.",
            "読み取れないほど大きく、文章とは考えられません: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "keep {files} small enough to be read"` has it go on.',
            '`pm-orchestrator reply {task} "{files} を読める大きさにして"` で続行できます。',
        ),
    ),
    "not_translated": Objected(
        Sentence(
            "A translation was asked for, and most of this text is as it was: {files}.",
            "翻訳が求められていますが、大部分が元のままです: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "translate all of {files}"` has it go on.',
            '`pm-orchestrator reply {task} "{files} を全部翻訳して"` で続行できます。',
        ),
    ),
    "changed_unasked": Objected(
        Sentence(
            "Nothing was to be changed, and these files were: {files}.",
            "何も変更しない指示でしたが、変更されています: {files}。",
        ),
        Sentence(
            "`pm-orchestrator undo {task}` takes the changes back; if they are welcome, "
            "`pm-orchestrator accept {task}` says so.",
            "`pm-orchestrator undo {task}` で変更を取り消せます。変更してよければ "
            "`pm-orchestrator accept {task}` で承認できます。",
        ),
    ),
    "conflict_markers": Objected(
        Sentence(
            "Markers of a conflict were left in the text: {files}.",
            "コンフリクトの印が残っています: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "resolve the conflicts in {files}"` has it go on.',
            '`pm-orchestrator reply {task} "{files} のコンフリクトを解消して"` で続行できます。',
        ),
    ),
    "work_lost": Objected(
        Sentence(
            "Commits were dropped, and nothing asked for that; their work is gone from: {files}.",
            "指示にないのにコミットが捨てられ、その変更が失われています: {files}。",
        ),
        Sentence(
            '`git reflog` names the commit from before; `pm-orchestrator reply {task} "bring '
            'the dropped commits back"` has it go on.',
            '`git reflog` で以前のコミットを確認できます。`pm-orchestrator reply {task} "捨て'
            'たコミットを戻して"` で続行できます。',
        ),
    ),
    "records_reached_for": Objected(
        Sentence(
            "What was delivered would remove or overwrite the Runner's records: {files}.",
            "納品物が Runner の記録を消すか上書きします: {files}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "leave .claude and .pm-orchestrator alone"` has it '
            "go on.",
            '`pm-orchestrator reply {task} ".claude と .pm-orchestrator には触れないで"` で続'
            "行できます。",
        ),
    ),
    "effects_missing": Objected(
        Sentence(
            "Asked for, and not so: {effects}.",
            "求められていますが、そうなっていません: {effects}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "do that too"` has it go on; what was asked for '
            "stands above.",
            '`pm-orchestrator reply {task} "それも実行して"` で続行できます。不足している内容'
            "は上に表示されています。",
        ),
    ),
    "answer_unsettled": Objected(
        Sentence(
            "Nothing was changed, and the words leave open whether the answer ({bytes} bytes) "
            "was all that was wanted: accept it, or say what is to be changed.",
            "変更はなく、回答（{bytes} バイト）だけで十分かどうかは指示から判断できません。承"
            "認するか、変更内容を指示してください。",
        ),
        Sentence(
            "if the answer was all you wanted, `pm-orchestrator accept {task}`; else "
            '`pm-orchestrator reply {task} "TEXT"` has it go on.',
            "回答だけで十分なら `pm-orchestrator accept {task}`、そうでなければ "
            '`pm-orchestrator reply {task} "TEXT"` で続行できます。',
        ),
    ),
    "answer_empty": Objected(
        Sentence(
            "The stored answer is empty.",
            "保存された回答が空です。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "answer in words"` has it go on.',
            '`pm-orchestrator reply {task} "文章で回答して"` で続行できます。',
        ),
    ),
    "budget_ran_out": Objected(
        Sentence(
            "Stopped after {seconds} seconds, which was its whole time; the work so far is kept.",
            "制限時間 {seconds} 秒に達したため停止しました。ここまでの作業は残っています。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "go on" --max-minutes {minutes}` gives it more '
            "time; `pm-orchestrator undo {task}` takes back what it did.",
            '`pm-orchestrator reply {task} "続けて" --max-minutes {minutes}` で時間を増やして'
            "続行、`pm-orchestrator undo {task}` で取り消しできます。",
        ),
        Sentence(
            "raise task_limits.seconds in .claude/settings.json; then `pm-orchestrator reply "
            '{task} "go on"` has it go on.',
            ".claude/settings.json の task_limits.seconds を増やし、`pm-orchestrator reply "
            '{task} "続けて"` で続行できます。',
        ),
    ),
    "limits_overrun": Objected(
        Sentence(
            "The work is larger than one task is allowed to be: {limits}.",
            "作業量がタスクの上限を超えています: {limits}。",
        ),
        Sentence(
            "`pm-orchestrator accept {task}` takes it as it is; {more} allows the next task more.",
            "`pm-orchestrator accept {task}` でこのまま承認できます。次のタスクの上限は "
            "{more} で増やせます。",
        ),
    ),
    "part_incomplete": Objected(
        Sentence(
            "Sub-task {ticket} is not done: {why}",
            "サブタスク {ticket} は未完了です: {why}",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "finish what is not done"` has it go on with what '
            "is there; `pm-orchestrator logs {task}` shows each part.",
            '`pm-orchestrator reply {task} "未完了の部分を完成させて"` で続行できます。各部分'
            "は `pm-orchestrator logs {task}` で確認できます。",
        ),
    ),
    "part_stopped": Objected(
        Sentence(
            "It was stopped: {what}.",
            "停止しました: {what}。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "finish what is not done"` has it go on with what '
            "is there.",
            '`pm-orchestrator reply {task} "未完了の部分を完成させて"` で続行できます。',
        ),
    ),
    "merge_conflicts": Objected(
        Sentence(
            "It was left out, because it conflicts in {files}.",
            "{files} で競合するため、取り込みませんでした。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "resolve the conflicts in {files}"` has it go on.',
            '`pm-orchestrator reply {task} "{files} の競合を解消して"` で続行できます。',
        ),
    ),
    "breaks_when_merged": Objected(
        Sentence(
            "It was left out, because the gates fail once it is merged.",
            "マージ後にゲートが失敗するため、取り込みませんでした。",
        ),
        Sentence(
            '`pm-orchestrator reply {task} "make the gates pass together"` has it go on.',
            '`pm-orchestrator reply {task} "全体でゲートが通るようにして"` で続行できます。',
        ),
    ),
}
