import type { Insertable, Kysely, Selectable, SelectType, Updateable } from 'kysely'
import { among } from './dialect.ts'
import { reusable } from './reusable.ts'
import { query, type Store } from './store.ts'
import type { Tables } from './tables/tables.ts'

type Name = keyof Tables
type Column<Table extends Name> = keyof Tables[Table] & string
type Row<Table extends Name> = Selectable<Tables[Table]>
type New<Table extends Name> = Insertable<Tables[Table]>
type Value<Table extends Name, Of extends Column<Table>> = NonNullable<
  SelectType<Tables[Table][Of]>
>

/** The values of key columns, in their order. */
type Values<Table extends Name, Key extends readonly Column<Table>[]> = {
  [At in keyof Key]: Value<Table, Key[At]>
}

/** The columns that an update of the row with a key may set. */
type Changes<Table extends Name, Key extends readonly Column<Table>[]> = Omit<
  Updateable<Tables[Table]>,
  Key[number] | 'seq'
>

/** A page of rows: how many, and the `seq` that they follow. */
type Page = [limit: number, after?: number]

type Some = readonly unknown[]

/** Kysely cannot check the columns of a table that a type parameter names: `Rows` does. */
const untyped = query as unknown as Kysely<Record<string, Record<string, string>>>

const select = (table: string, key: readonly string[], values: Some) =>
  key.reduce(
    (built, column, at) => built.where(column, '=', values[at] as string),
    untyped.selectFrom(table),
  )

/**
 * The queries of a table that compare the columns of a key. A method takes the names of these
 * columns and returns a function that takes their values in the same order. The SQL of a read is
 * built once.
 */
export class Rows<Table extends Name> {
  readonly #table: string

  constructor(table: Table) {
    this.#table = table
  }

  /** Makes a query that returns the row with a key. */
  find<const Key extends readonly Column<Table>[]>(...key: Key) {
    const read = reusable((...values: Some) => select(this.#table, key, values).selectAll())
    return (store: Store, ...values: Values<Table, Key>) =>
      store.get(read(...values)) as Row<Table> | undefined
  }

  /**
   * Makes a query that returns the rows with a key and any of some values in the column `by`, by
   * this value.
   */
  findAll<By extends Column<Table>, const Key extends readonly Column<Table>[]>(
    by: By,
    ...key: Key
  ) {
    type Of = Value<Table, By>
    // One bound value for the list: a statement has a limit on their number.
    const read = reusable((list: Some, ...values: Some) =>
      select(this.#table, key, values)
        .selectAll()
        .where(by as string, 'in', among(list)),
    )
    return (store: Store, ...args: [...Values<Table, Key>, list: readonly Of[]]) => {
      const list = [...new Set(args[key.length] as readonly Of[])]
      const rows = list.length === 0 ? [] : store.all(read(list, ...args.slice(0, key.length)))
      return new Map(rows.map(row => [row[by] as Of, row as Row<Table>]))
    }
  }

  /** Makes a query that returns whether there is a row with a key. */
  has<const Key extends readonly [Column<Table>, ...Column<Table>[]]>(...key: Key) {
    const read = reusable((...values: Some) =>
      select(this.#table, key, values).select(key[0]).limit(1),
    )
    return (store: Store, ...values: Values<Table, Key>) => store.get(read(...values)) !== undefined
  }

  /** Makes a query that returns the number of rows with a key. */
  count<const Key extends readonly Column<Table>[]>(...key: Key) {
    const read = reusable((...values: Some) =>
      select(this.#table, key, values).select(({ fn }) => fn.countAll<number>().as('count')),
    )
    return (store: Store, ...values: Values<Table, Key>) => store.get(read(...values))?.count ?? 0
  }

  /** Makes a query that returns all rows with a key, in the order of a column. */
  list<const Key extends readonly Column<Table>[]>(order: Column<Table>, ...key: Key) {
    const read = reusable((...values: Some) =>
      select(this.#table, key, values).selectAll().orderBy(order),
    )
    return (store: Store, ...values: Values<Table, Key>) =>
      store.all(read(...values)) as Row<Table>[]
  }

  /**
   * Makes a query that returns a page of the rows with a key, oldest ("asc") or newest first, after
   * the one with a `seq`.
   */
  page<const Key extends readonly Column<Table>[]>(order: 'asc' | 'desc', ...key: Key) {
    const start = order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER
    const read = reusable((limit: number, after: unknown, ...values: Some) =>
      select(this.#table, key, values)
        .selectAll()
        .where('seq', order === 'asc' ? '>' : '<', after as string)
        .orderBy('seq', order)
        .limit(limit),
    )
    return (store: Store, ...args: [...Values<Table, Key>, ...Page]) => {
      const [limit, after = start] = args.slice(key.length) as Page
      return store.all(read(limit, after, ...args.slice(0, key.length))) as Row<Table>[]
    }
  }

  readonly #insert = (row: New<Table>) => untyped.insertInto(this.#table).values(row as never)

  /** Inserts a row, and returns it with the defaults of the columns that it leaves out. */
  readonly insert = (store: Store, row: New<Table>) =>
    store.get(this.#insert(row).returningAll()) as Row<Table>

  /** Inserts a row unless there is one with its key; returns whether it did. */
  readonly insertNew = (store: Store, row: New<Table>) =>
    store.run(this.#insert(row).onConflict(conflict => conflict.doNothing())) > 0

  /** Inserts a row unless there is one with its key. */
  readonly addNew = (store: Store, row: New<Table>): void =>
    store.send(this.#insert(row).onConflict(conflict => conflict.doNothing()))

  /** Makes a query that inserts a row, or replaces the columns of the one with the same key. */
  put(...key: Column<Table>[]) {
    return (store: Store, row: New<Table>) =>
      store.run(
        this.#insert(row).onConflict(conflict =>
          conflict.columns(key as string[]).doUpdateSet(row as never),
        ),
      )
  }

  /** Makes a query that updates the row with a key, and returns it. */
  update<const Key extends readonly Column<Table>[]>(...key: Key) {
    return (store: Store, ...args: [...Values<Table, Key>, set: Changes<Table, Key>]) =>
      store.get(this.#update(key, args).returningAll()) as Row<Table> | undefined
  }

  /** Makes a query that updates the row with a key, for callers that do not need it. */
  set<const Key extends readonly Column<Table>[]>(...key: Key) {
    return (store: Store, ...args: [...Values<Table, Key>, set: Changes<Table, Key>]): void =>
      store.send(this.#update(key, args))
  }

  #update(key: readonly string[], args: Some) {
    const update = untyped.updateTable(this.#table).set(args[key.length] as never)
    return key.reduce((built, column, at) => built.where(column, '=', args[at] as string), update)
  }

  /** Makes a query that deletes the rows with a key, and returns their number. */
  remove<const Key extends readonly Column<Table>[]>(...key: Key) {
    return (store: Store, ...values: Values<Table, Key>) =>
      store.run(
        key.reduce(
          (built, column: string, at) => built.where(column, '=', values[at] as string),
          untyped.deleteFrom(this.#table),
        ),
      )
  }
}
