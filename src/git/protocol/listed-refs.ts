import type { Oid } from '../../lib/oid.ts'

/**
 * What a client is told of a repository: the branch that `HEAD` names, and the refs in the order of
 * their names.
 */
export type ListedRefs = {
  /** The full name of the branch that `HEAD` names; it need not exist. */
  head: string
  refs: readonly ListedRef[]
}

export type ListedRef = { name: string; oid: Oid }

/** Returns the commit of `HEAD`; undefined where its branch does not exist. */
export const headCommit = ({ head, refs }: ListedRefs): Oid | undefined =>
  refs.find(({ name }) => name === head)?.oid

/** Returns refs in the order of the bytes of their names, as Git lists them. */
export const inOrder = (refs: readonly ListedRef[]): ListedRef[] =>
  refs
    .map(ref => ({ ref, bytes: Buffer.from(ref.name) }))
    .sort((a, b) => a.bytes.compare(b.bytes))
    .map(({ ref }) => ref)
