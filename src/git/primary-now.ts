import { onceATurn } from '../lib/once-a-turn.ts'
import { readRef } from './refs.ts'
import { defaultBranch } from './repository.ts'

/**
 * What the default branch of the repository in a folder points at as this turn of the event loop began; '' where it does
 * not exist or cannot be read. Throws nothing.
 */
export const primaryNow: (dir: string) => string = onceATurn(dir => {
  try {
    return readRef({ dir }, defaultBranch({ dir })) ?? ''
  } catch {
    return ''
  }
})
