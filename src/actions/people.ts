import type { Person } from '../git/quarantine.ts'
import type { UserRow } from '../store/rows.ts'

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000)

/** The service as the committer of what it writes. */
export const service = (at: Date): Person => ({
  name: 'Stemma',
  email: 'stemma@users.stemma.invalid',
  at: seconds(at),
})

/** A user as the author of a commit. */
export const authorOf = (user: UserRow, at: Date): Person => ({
  name: user.display_name,
  email: user.email ?? `${user.id}@users.stemma.invalid`,
  at: seconds(at),
})

/** The trailers of a commit's message, e.g. `Stemma-Space: <id>`. */
export const withTrailers = (
  message: string,
  trailers: Record<string, string | number | undefined>,
): string => {
  const lines = Object.entries(trailers)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`)
  return `${message.trim()}\n\n${lines.join('\n')}\n`
}
