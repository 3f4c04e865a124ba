import { sql } from 'kysely'
import type { Context } from '../../../src/context.ts'
import { insertOrganization, putMember } from '../../../src/store/people/organizations.ts'
import { insertUser } from '../../../src/store/people/users.ts'
import { insertCollection } from '../../../src/store/spaces/collections.ts'
import { sqlRows } from '../../../src/store/store.ts'
import type { Role } from '../../../src/store/tables/roles.ts'
import type { Tables } from '../../../src/store/tables/tables.ts'
import type { Work } from './interleave.ts'
import type { Nodes } from './nodes.ts'

export const at = '2026-01-01T00:00:00.000Z'

/** Two transactions, one of each node, that together may break a rule. */
type Race = {
  works: readonly [Work, Work]
  /** Returns how the rule is broken; undefined if it holds. */
  broken: () => string | undefined
}

/** A rule that two nodes at once must keep. */
export type Rule = {
  name: string
  /**
   * What keeps it: the isolation of the transactions, without which it breaks; or a constraint or
   * condition of a statement as well.
   */
  keptBy: 'isolation' | 'statement'
  /** Whether its transactions are not operations of the API. */
  isInner?: true
  /**
   * The table whose rows both transactions write: one transaction runs before the other has written
   * to it. By default, before the other has written anything.
   */
  contended?: string
  /** How many of both transactions may be done: one of them, or at least one. */
  done: 'one' | 'some'
  /** Prepares rows that no other race uses. `id` is part of their ids. */
  prepare: (nodes: Nodes, id: string) => Promise<Race>
}

/** Returns the same work of each node. */
export const atBoth = (
  [here, there]: Nodes,
  work: (ctx: Context, node: number) => unknown,
): Race['works'] => [() => work(here, 0), () => work(there, 1)]

/** Returns how many rows there are instead of one. */
export const notOne =
  ({ store }: Context, table: keyof Tables, column: string, value: string): Race['broken'] =>
  () => {
    const rows = sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${value}`
    const { length } = store.all(sqlRows(rows))
    return length === 1 ? undefined : `${length} rows of ${table}`
  }

/** Inserts an organization with members, whose ids are those of the roles with the organization's. */
export function putOrganization(
  { store }: Context,
  id: string,
  members: Readonly<Record<string, Role | null>>,
): void {
  insertOrganization(store, { id, title: id, created_at: at })
  for (const [name, role] of Object.entries(members))
    putPerson({ store }, `${name}-${id}`, id, role)
}

/** Inserts a collection at the top level of an organization. */
export function putCollection(
  { store }: Pick<Context, 'store'>,
  id: string,
  organizationId: string,
  position: number,
): void {
  insertCollection(store, {
    id,
    organization_id: organizationId,
    parent_id: null,
    title: id,
    position,
    created_at: at,
  })
}

/** Inserts a user, who is a member of an organization if one is given. */
export function putPerson(
  { store }: Pick<Context, 'store'>,
  id: string,
  organizationId?: string,
  role: Role | null = 'read',
): void {
  insertUser(store, { id, display_name: id, email: `${id}@example.org`, created_at: at })
  if (organizationId !== undefined) putMember(store, organizationId, id, role, at)
}
