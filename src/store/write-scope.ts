import type { ColumnNode, CompiledQuery, OperationNode, UpdateQueryNode } from 'kysely'

/**
 * The reads that a write may concern: those of one space, those of one organization and its spaces,
 * or (undefined) any. 'derived' for rows that neither rights nor the content of answers depend on:
 * queues, logs, the search index, caches by object id, and discussions.
 */
export type WriteScope = { spaceId: string } | { organizationId: string } | 'derived' | undefined

const derived: ReadonlySet<string> = new Set([
  'audit_event',
  'blob_facts',
  'blob_links',
  'blob_media',
  'former_path',
  'former_path_scan',
  'idempotency',
  'job',
  'operation',
  'page_feedback',
  'page_feedback_reader',
  'search_heading',
  'search_page',
  'search_sections',
  'search_space',
  'search_text',
  'search_title',
  'space_size',
  'sso_assertion',
  'sso_code',
  'sso_identity',
  'sso_request',
  'webhook_delivery',
])

/**
 * Tables of discussions and of runs: neither rights nor kept answers depend on their rows, as
 * answers about change requests are not kept. Deleting a row may delete rows of other tables.
 */
const unread: ReadonlySet<string> = new Set([
  'change_request',
  'change_request_contributor',
  'comment_reply',
  'git_sync_operation',
  'reaction',
  'requested_reviewer',
  'review',
])

/** The tables whose rows concern one space, with the column that names it. */
const ofSpace: ReadonlyMap<string, string> = new Map([
  // A comment also changes a counter in the row of its space.
  ['comment', 'space_id'],
  ['git_sync', 'space_id'],
  ['published_jump', 'space_id'],
  ['ref', 'space_id'],
  ['revision', 'space_id'],
  ['revision_path', 'space_id'],
  ['service_commit', 'space_id'],
  ['space', 'id'],
])

/** The tables whose rows concern one organization and its spaces, with the column that names it. */
const ofOrganization: ReadonlyMap<string, string> = new Map([
  ['collection', 'organization_id'],
  ['invitation', 'organization_id'],
  ['link_invite', 'organization_id'],
  ['member', 'organization_id'],
  ['openapi_spec', 'organization_id'],
  ['organization', 'id'],
  ['organization_key', 'organization_id'],
  ['sso_provider', 'organization_id'],
  ['team', 'organization_id'],
  ['webhook', 'organization_id'],
])

/** The tables with rows that other rows belong to: deleting one deletes rows of other tables. */
const owners: ReadonlySet<string> = new Set([
  ...unread,
  'collection',
  'openapi_spec',
  'organization',
  'space',
  'team',
])

/** The tables of secrets that callers hold. */
const holding: ReadonlySet<string> = new Set(['token', 'session'])

/**
 * Returns the scope of a statement that writes. Any statement that it cannot read for certain
 * concerns all rows.
 */
export function writeScope({ sql, query }: CompiledQuery): WriteScope {
  const [, verb = '', table = ''] =
    /^\s*(insert into|update|delete from)\s+"?(\w+)"?(?=[\s(])/i.exec(sql) ?? []
  if (derived.has(table)) return 'derived'
  if (owners.has(table) && verb.toLowerCase() === 'delete from') return undefined
  if (unread.has(table) || (holding.has(table) && isUse(query))) return 'derived'

  const spaceId = idIn(query, ofSpace.get(table))
  if (spaceId !== undefined) return { spaceId }

  const organizationId = idIn(query, ofOrganization.get(table))

  return organizationId === undefined ? undefined : { organizationId }
}

/**
 * Returns whether a statement only records when tokens or sessions were last used, which only lists
 * of them show.
 */
const isUse = (node: CompiledQuery['query']): boolean =>
  node.kind === 'UpdateQueryNode' && columnsSet(node).join() === 'last_used_at'

const columnsSet = (node: UpdateQueryNode): unknown[] =>
  (node.updates ?? []).map(({ column }) => (column as Partial<ColumnNode>).column?.name)

/**
 * Returns the id that all written rows have in a column; undefined if the statement does not say.
 */
function idIn(node: CompiledQuery['query'], column: string | undefined): string | undefined {
  if (column === undefined) return undefined
  const id = valueIn(node, column)
  return typeof id === 'string' ? id : undefined
}

function valueIn(node: CompiledQuery['query'], column: string): unknown {
  if (node.kind === 'InsertQueryNode') {
    const index = node.columns?.findIndex(each => each.column.name === column) ?? -1
    return index < 0 ? undefined : sameInAll(node.values, index)
  }

  if (node.kind === 'UpdateQueryNode') {
    // A row that moves concerns its former and its new place.
    if (columnsSet(node).some(name => name === column || name === 'organization_id'))
      return undefined
    return comparedWith(node.where?.where, column)
  }

  return node.kind === 'DeleteQueryNode' ? comparedWith(node.where?.where, column) : undefined
}

/**
 * Returns the value that all inserted rows have at an index; undefined if they differ or come from
 * a query.
 */
function sameInAll(values: OperationNode | undefined, index: number): unknown {
  if (values?.kind !== 'ValuesNode') return undefined
  const { values: rows } = values as unknown as { values: { values: readonly unknown[] }[] }
  const found = new Set(rows.map(row => literal(row.values[index])))
  return found.size === 1 ? [...found][0] : undefined
}

const literal = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'ValueNode'
    ? (value as { value?: unknown }).value
    : value

/**
 * Returns the value that a condition requires of a column, as `column = value` on its own or joined
 * with `and`.
 */
function comparedWith(node: OperationNode | undefined, column: string): unknown {
  const { kind, left, right, leftOperand, operator, rightOperand } = (node ??
    {}) as Partial<Condition>
  if (kind === 'AndNode') return comparedWith(left, column) ?? comparedWith(right, column)
  if (kind !== 'BinaryOperationNode' || operator?.operator !== '=') return undefined
  return leftOperand?.column?.column?.name === column ? literal(rightOperand) : undefined
}

type Condition = {
  kind: string
  left: OperationNode
  right: OperationNode
  leftOperand: { column?: { column?: { name?: string } } }
  operator: { operator?: string }
  rightOperand: OperationNode
}
