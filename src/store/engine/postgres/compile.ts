import {
  type Compilable,
  type CompiledQuery,
  type OperationNode,
  PostgresQueryCompiler,
  type RootOperationNode,
} from 'kysely'
import type { Compiled } from '../driver.ts'

/** A query that is compiled once for each engine. */
type Reusable = { compileWith: (compile: (built: Compilable) => CompiledQuery) => Compiled }
type Source = { toOperationNode: () => OperationNode; json?: readonly string[] }

const compiler = new PostgresQueryCompiler()
const queryId = { queryId: 'postgres' }

function compileNode(built: Compilable): Compiled {
  const { toOperationNode, json } = built as unknown as Source
  const node = toOperationNode.call(built) as RootOperationNode
  const compiled = compiler.compileQuery(node, queryId)
  return json ? { ...compiled, json } : compiled
}

/** Writes a query as PostgreSQL reads it. */
export const compileForPostgres = (built: Compilable): Compiled =>
  'compileWith' in built
    ? (built as unknown as Reusable).compileWith(compileNode)
    : compileNode(built)
