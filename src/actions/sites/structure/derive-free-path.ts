import { derivePath } from '../../../content/site/path.ts'
import type { Context } from '../../../context.ts'
import { type AliasPlace, listAliases } from '../../../store/sites/aliases.ts'

/**
 * Returns the path for a title at a place: not in `taken`, which contains folded segments, and no
 * former path of another target. Only a path that a caller names takes a former path.
 */
export const deriveFreePath = (
  { store }: Context,
  place: AliasPlace,
  title: string,
  taken: Iterable<string>,
  fallback: Parameters<typeof derivePath>[2],
): string =>
  derivePath(
    title,
    new Set([...taken, ...listAliases(store, place).map(({ path }) => path)]),
    fallback,
  )
