/**
 * The instructions of SQLite's virtual machine that reading takes (https://sqlite.org/opcode.html, 3.47 to 3.53). An
 * instruction that is not here refuses the statement, so that one which SQLite adds later is no gap. `Insert`, `IdxInsert`,
 * `Delete` and `NewRowid` are here since sorting and grouping use them on tables in memory: to write into the database they
 * need a cursor of `OpenWrite`, which is not.
 */
export const ALLOWED_INSTRUCTIONS: ReadonlySet<string> = new Set(
  (
    'Add AddImm Affinity AggFinal AggInverse AggStep AggStep1 AggValue And BeginSubrtn BitAnd BitNot BitOr ' +
    'Blob Cast Close ClrSubtype CollSeq Column Compare Concat Copy Count DecrJumpZero DeferredSeek Delete Divide ' +
    'ElseEq EndCoroutine Eq Explain Filter FilterAdd Found FinishSeek Function Ge GetSubtype Gosub Goto Gt Halt HaltIfNull IdxGE IdxGT IdxInsert IdxLE ' +
    'IdxLT IdxRowid If IfEmpty IfNot IfNoHope IfNotOpen IfNotZero IfNullRow IfPos IfSizeBetween Init InitCoroutine Insert Int64 Integer ' +
    'IntCopy IsNull IsTrue IsType Jump Last Le Lt MakeRecord MemMax Move Multiply MustBeInt Ne NewRowid Next Noop Not ' +
    'NotExists NotFound NotNull Null NullRow Offset OffsetLimit Once OpenAutoindex OpenDup OpenEphemeral OpenPseudo OpenRead Or ' +
    'Permutation Prev PureFunc Real RealAffinity Remainder ReopenIdx ReleaseReg ResetSorter ResultRow Return Rewind ' +
    'RowCell RowData Rowid RowSetAdd RowSetRead RowSetTest SCopy SeekEnd SeekGE SeekGT SeekHit SeekLE SeekLT SeekRowid ' +
    'SeekScan Sequence SequenceTest SetSubtype ShiftLeft ShiftRight SoftNull Sort SorterCompare SorterData SorterInsert ' +
    'SorterNext SorterOpen SorterSort String String8 Subtract Transaction Variable Yield ZeroOrNull'
  ).split(' '),
);

/**
 * The functions that a question may call, as the program names them. None returns more than it is given (what grows text,
 * such as `replace`, `printf`, `hex` and `group_concat`, is not here), none looks outside the statement.
 */
export const ALLOWED_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'abs avg ceil ceiling coalesce count cume_dist current_date current_time current_timestamp date datetime dense_rank ' +
    'first_value floor glob ifnull iif if instr julianday lag last_value lead length like lower ltrim max median min mod nth_value ' +
    'ntile nullif percent_rank rank round row_number rtrim sign strftime substr substring sum time timediff total trim unixepoch upper'
  ).split(' '),
);
