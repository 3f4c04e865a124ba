import type { Compilable } from 'kysely'
import type { Context } from '../../../src/context.ts'
import { Fault } from '../../../src/errors.ts'

/** A transaction of one of two nodes, which runs when it is called. */
export type Work = () => unknown

/** What became of a transaction: 'done', or the kind of its fault. */
export type Outcome = 'done' | Fault['kind']

/** Runs a transaction. Throws errors that no caller may see. */
export function outcomeOf(work: Work): Outcome {
  try {
    work()
    return 'done'
  } catch (error) {
    if (error instanceof Fault) return error.kind
    throw error
  }
}

/** The table that a statement writes to. */
const written = /^\s*(?:insert into|update|delete from)\s+"?(\w+)/i

type Interleaving = {
  outer: Work
  inner: Work
  at: number
  contended?: string | undefined
}

/**
 * Runs `outer` at a node, and the whole of `inner` at another one right before a statement of the
 * first run of `outer`: the `at`-th, its first write to the table `contended` (by default, to any),
 * or its commit, whichever comes first. Later it could wait for a row that `outer` has locked, in
 * the same thread. Returns both outcomes.
 */
export function interleave(
  { store }: Context,
  { outer, inner, at, contended }: Interleaving,
): [outer: Outcome, inner: Outcome] {
  let statements = 0
  let other: Outcome | undefined
  const before = (built: Compilable) => {
    if (other !== undefined) return
    const table = written.exec(built.compile().sql)?.[1]
    const mayConflict = table !== undefined && (contended ?? table) === table
    if (statements++ < at && !mayConflict) return
    other = 'done'
    other = outcomeOf(inner)
  }
  const methods = ['get', 'all', 'run'] as const
  for (const name of methods)
    Object.defineProperty(store, name, {
      configurable: true,
      value(built: Compilable) {
        before(built)
        return (Object.getPrototypeOf(store) as typeof store)[name].call(store, built)
      },
    })

  try {
    const mine = outcomeOf(outer)
    other ??= outcomeOf(inner)
    return [mine, other]
  } finally {
    for (const name of methods) Reflect.deleteProperty(store, name)
  }
}
