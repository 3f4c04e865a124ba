import type { ColumnNode, CompiledQuery, OperationNode, UpdateQueryNode } from 'kysely'
import { tableOf } from './tables/tables.ts'

/** The reads that a write concerns, as `TableScope` says of its table; undefined: any. */
export type WriteScope = { spaceId: string } | { organizationId: string } | 'derived' | undefined

/**
 * Returns the scope of a statement that writes. Any statement that it cannot read for certain
 * concerns all rows.
 */
export function writeScope({ sql, query }: CompiledQuery): WriteScope {
  const [, verb = '', name = ''] =
    /^\s*(insert into|update|delete from)\s+"?(\w+)"?(?=[\s(])/i.exec(sql) ?? []
  const table = tableOf(name)
  if (!table || (table.owner && verb.toLowerCase() === 'delete from')) return undefined
  if (table.scope === 'derived' || isUse(query, table.use)) return 'derived'
  if (table.scope === 'any') return undefined

  const [key, column] = table.scope
  const id = idIn(query, column)

  return id === undefined ? undefined : ({ [key]: id } as WriteScope)
}

/** Returns whether a statement writes a single column. */
const isUse = (node: CompiledQuery['query'], column: string | undefined): boolean =>
  column !== undefined && node.kind === 'UpdateQueryNode' && columnsSet(node).join() === column

const columnsSet = (node: UpdateQueryNode): unknown[] =>
  (node.updates ?? []).map(({ column }) => (column as Partial<ColumnNode>).column?.name)

/**
 * Returns the id that all written rows have in a column; undefined if the statement does not say.
 */
function idIn(node: CompiledQuery['query'], column: string): string | undefined {
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
