import {
  ColumnNode,
  FunctionNode,
  type OperationNode,
  type RawBuilder,
  SelectModifierNode,
  sql,
  TableNode,
  ValueNode,
} from 'kysely'

/*
 * SQL on the tables of stemma.db is text that SQLite and PostgreSQL both run, with the same results.
 * Nothing translates it. Beside standard SQL it uses the functions below. SQLite has them, or
 * `open-database.ts` defines them; the schema of PostgreSQL defines those that PostgreSQL lacks.
 *
 * - `folded(text)`: the text in NFC and then in lower case, as `normalize` and `toLowerCase` of
 *   JavaScript return it.
 * - `lower(text)`: A to Z in lower case, other characters as they are. PostgreSQL does so in the
 *   locale C. Addresses, slugs and host names are compared in this form, along indexes on the same
 *   expression: a collation that ignores case is another one in each engine.
 * - `json_each(text)`: a row for each element of a JSON array. `key` is its place as an integer, from
 *   0. `value` is its text: JSON for an array or object, null for null. SQLite returns numbers as
 *   numbers, so that they are compared after `cast(… as bigint)`.
 * - `text ->> integer` and `text ->> text`: an element of an array, from 0, or a field of an object in
 *   a JSON text, as `json_each` returns its value; null if there is none. Not with a path, such as
 *   `$.name`.
 * - `json_group_array(text)`, an aggregate: the JSON array of texts and nulls; `[]` for no rows.
 * - `instr(text, text)`: the place of the second text in the first, from 1; 0 if it is not in it.
 *
 * A comparison is 0 or 1, and a sum of integers a number. PostgreSQL wants
 *
 * - an alias for each subquery in `from`, and no `on` after `cross join`;
 * - quotes around `"user"` and around names with capitals;
 * - the columns after `on conflict` before `do update`, and there the table before the column;
 * - `is distinct from` for `is not` with a value;
 * - `nulls first` or `nulls last` where a column that may be null orders.
 */

/**
 * Returns the list of values after `in`, for a column with texts. It is one bound value, so that the
 * statement stays the same for lists of any length. A single value is told apart, because an engine
 * does not know how many values a bound list has: it would read a whole table for them.
 */
export const among = (list: readonly unknown[]): RawBuilder<string> =>
  list.length === 1 ? sql`(${list[0]})` : sql`(select value from json_each(${list}))`

/** Returns the list of values after `in`, like `among`, for a column with integers. */
export const amongNumbers = (list: readonly number[]): RawBuilder<number> =>
  list.length === 1
    ? sql`(${list[0]})`
    : sql`(select cast(value as bigint) from json_each(${list}))`

/** Returns the greater of two values, of which neither is null. */
export const greater = (a: RawBuilder<unknown>, b: RawBuilder<unknown>): RawBuilder<never> =>
  sql`case when ${a} > ${b} then ${a} else ${b} end`

const raw = (node: OperationNode) => ({ toOperationNode: () => node }) as RawBuilder<unknown>

/*
 * What follows differs in the two engines, because SQLite has one node with one writer at a time. Its
 * compiler (`engine/sqlite/compiler.ts`) leaves out the locks of rows at the end of a `select`, and the
 * calls of the functions, which the schema of PostgreSQL defines.
 */

/**
 * Returns the time by which all nodes act, in milliseconds since 1970: that of PostgreSQL, or with
 * SQLite the given one, of the clock of its node.
 */
export const sharedTime = (now: number): RawBuilder<number> =>
  sql`${raw(FunctionNode.create('shared_time', [ValueNode.create(now)]))}`

/**
 * Returns what is true unless an open transaction has added a job with this name. Others that do so then
 * wait for the end of the transaction that asks.
 */
export const isSettled = (name: string): RawBuilder<boolean> =>
  sql`${raw(FunctionNode.create('is_settled', [ColumnNode.create(name)]))}`

const lock = (modifier: 'ForUpdate' | 'ForShare', of: string): OperationNode =>
  SelectModifierNode.create(modifier, [TableNode.create(of)])

/** Locks the selected rows of a table for a change, and skips those that others have locked. */
export const lockedOrSkipped = (of: string): RawBuilder<unknown> =>
  sql`${raw(lock('ForUpdate', of))} ${raw(SelectModifierNode.create('SkipLocked'))}`

/** Keeps the selected rows of a table as they are until the end of the transaction. */
export const lockedAsTheyAre = (of: string): RawBuilder<unknown> =>
  sql`${raw(lock('ForShare', of))}`

/** The limit of a list that has none. */
export const noLimit = Number.MAX_SAFE_INTEGER
