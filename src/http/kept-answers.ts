import type { BoundedCache } from '../lib/bounded-cache.ts'
import type { ReadScope } from '../store/changes.ts'
import type { Store } from '../store/store.ts'

/** What an answer depends on: it may be sent again as long as all of it stays the same. */
export type Validity = {
  /**
   * The version of the rows that it was made from (see `Store.version`), and the space and the
   * organization that these rows concern; without a scope, any write invalidates it.
   */
  rows?: { version: number; scope: ReadScope | undefined }
  /** Until when the caller's token is known to be valid, in milliseconds since 1970. */
  until?: number
  /** Returns whether the Git refs are the same. Synchronous. */
  holds?: () => boolean
  /** Identifies everything else that it was made from. */
  stamp?: string
}

/** A kept answer with what it depends on. */
export type Kept<Value> = { readonly value: Value; readonly validity: Validity }

type Answers<Value> = BoundedCache<string, Kept<Value>>

/** The estimated memory of an answer in bytes. It may change while the answer is kept. */
type Size = { readonly weight: number; onWeight?: (() => void) | undefined }

/** Keeps an answer, unless its rows have changed meanwhile. */
export function keep<Value>(
  store: Store,
  answers: Answers<Value>,
  key: string,
  { value, size, ...validity }: Validity & { value: Value; size: Size },
): void {
  const { rows } = validity
  if (rows && !store.isCurrent(rows.version, rows.scope)) return
  const kept = { value, validity }
  // One page has many URLs, and some are longer than its answer.
  const weigh = () => key.length + size.weight
  answers.set(key, kept, weigh())
  size.onWeight = () => answers.reweigh(key, kept, weigh())
}

/**
 * Returns the kept answer of a key while it is valid: authorization and everything else were
 * checked when it was made. Never throws, because its callers run outside of Express.
 */
export function findKept<Value>(
  store: Store,
  answers: Answers<Value>,
  key: string,
  stamp?: string,
): Value | undefined {
  const kept = answers.get(key)
  if (!kept) return undefined
  const { rows, until, holds, stamp: made } = kept.validity

  try {
    if (
      made === stamp &&
      (!rows || store.isCurrent(rows.version, rows.scope)) &&
      (until === undefined || store.time < until) &&
      (!holds || holds())
    )
      return kept.value
  } catch {
    // The full path meets the same error, answers it and logs it.
  }

  answers.delete(key)

  return undefined
}
