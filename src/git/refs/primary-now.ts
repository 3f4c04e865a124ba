import type { Oid } from '../../lib/oid.ts'
import { defaultBranch } from './default-branch.ts'
import { onceATurn } from './once-a-turn.ts'
import { readRef } from './refs.ts'

/**
 * Returns what the default branch of the repository in a folder points at, read once per turn of
 * the event loop; '' when it does not exist or cannot be read. Never throws.
 */
export const primaryNow: (dir: string) => Oid | '' = onceATurn(dir => {
  try {
    return readRef({ dir }, defaultBranch({ dir })) ?? ''
  } catch {
    return ''
  }
})
