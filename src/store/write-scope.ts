import type { CompiledQuery, OperationNode } from 'kysely'

/**
 * The rows that a write may concern: those of one space, or (undefined) any. 'derived' for tables that neither rights nor
 * the content of answers depend on: queues, logs, the search index, and caches by object id.
 */
export type WriteScope = { spaceId: string } | 'derived' | undefined

const derived: ReadonlySet<string> = new Set([
  'audit_event',
  'blob_facts',
  'blob_media',
  'idempotency',
  'job',
  'operation',
  'search_heading',
  'search_page',
  'search_sections',
  'search_space',
  'search_text',
  'search_title',
  'space_size',
  'webhook_delivery',
])

/** The tables whose rows concern one space, with the column that names it. */
const ofSpace: ReadonlyMap<string, string> = new Map([
  ['ref', 'space_id'],
  ['revision', 'space_id'],
  ['revision_path', 'space_id'],
  ['service_commit', 'space_id'],
  ['space', 'id'],
])

/** Returns the scope of a statement that writes. Any statement that it cannot read for certain concerns all rows. */
export function writeScope({ sql, query }: CompiledQuery): WriteScope {
  const [, verb = '', table = ''] =
    /^\s*(insert into|update|delete from)\s+"?(\w+)"?(?=[\s(])/i.exec(sql) ?? []
  if (derived.has(table)) return 'derived'
  const column = ofSpace.get(table)
  // Deleting a space deletes rows of other tables.
  if (column === undefined || (table === 'space' && verb.toLowerCase() === 'delete from')) return undefined
  const spaceId = spaceIn(query, column)
  return typeof spaceId === 'string' ? { spaceId } : undefined
}

function spaceIn(node: CompiledQuery['query'], column: string): unknown {
  if (node.kind === 'InsertQueryNode') {
    const index = node.columns?.findIndex(each => each.column.name === column) ?? -1
    return index < 0 ? undefined : sameInAll(node.values, index)
  }
  if (node.kind === 'UpdateQueryNode' || node.kind === 'DeleteQueryNode')
    return comparedWith(node.where?.where, column)
  return undefined
}

/** Returns the value that all inserted rows have at an index; undefined if they differ or come from a query. */
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

/** Returns the value that a condition requires of a column, as `column = value` on its own or joined with `and`. */
function comparedWith(node: OperationNode | undefined, column: string): unknown {
  const { kind, left, right, leftOperand, operator, rightOperand } = (node ?? {}) as Partial<Condition>
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
