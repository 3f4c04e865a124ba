import { join } from 'node:path'
import type { Figure, Pace } from '../figure.ts'
import { git } from '../git.ts'
import type { GitHost } from '../git-host.ts'
import type { Stemma } from '../stemma.ts'

/**
 * A server whose transfers are measured, and a folder for clones. `users` are the headers of some
 * readers.
 */
export type Bench = {
  stemma: Stemma
  folder: string
  pace: Pace
  users: readonly Record<string, string>[]
}

const backend = 'git http-backend'

/** Runs the user's git against a host. */
export const client = ({ folder }: Bench, host: GitHost, args: readonly string[], at = '.') => {
  const header = Object.entries(host.headers).map(
    ([name, value]) => `http.extraHeader=${name}: ${value}`,
  )
  return git(join(folder, at), [...header.flatMap(each => ['-c', each]), ...args])
}

/** Returns a figure whose reference is `git http-backend`. */
export const figure = (
  work: string,
  taken: { stemma: number; backend: number },
  most: number,
  unit = 'ms',
): Figure => ({
  work,
  value: taken.stemma,
  unit,
  reference: { what: backend, value: taken.backend },
  target: { of: 'ratio', is: 'at most', value: most },
})
