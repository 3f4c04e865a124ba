import type { Person } from '../../git/commits/quarantine.ts'
import type { UserRow } from '../../store/tables/rows.ts'

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000)

/** Returns the service as committer. */
export const service = (at: Date): Person => ({
  name: 'Stemma',
  email: 'stemma@users.stemma.invalid',
  at: seconds(at),
})

/** The domain of the placeholder address of users without one. */
const noAddress = '@users.stemma.invalid'

/** Returns the user id in a placeholder address; undefined for other addresses. */
export const idInAddress = (email: string): string | undefined =>
  email.endsWith(noAddress) ? email.slice(0, -noAddress.length) : undefined

/** Returns a user as commit author. */
export const authorOf = (
  user: Pick<UserRow, 'id' | 'display_name' | 'email'>,
  at: Date,
): Person => ({
  name: withoutAddress(user.display_name),
  email: user.email ?? `${user.id}${noAddress}`,
  at: seconds(at),
})

/**
 * Removes email addresses from a name: names older than the check for them may contain one, and Git
 * tools would show it as the author's. Removes text in angle brackets, or everything from the first
 * "@" if nothing else is left.
 */
function withoutAddress(name: string): string {
  const rest = name
    .replace(/<[^<>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return rest === '' ? name.replace(/@.*$/s, '') : rest
}

/** Returns a person in the form of a trailer: `Name <email>`. */
export const namedIn = ({ name, email }: Pick<Person, 'name' | 'email'>): string =>
  `${oneLine(name)} <${oneLine(email)}>`

const oneLine = (text: string): string =>
  text.replace(/[\x00-\x1f\x7f\u2028\u2029<>]+/g, ' ').trim()

/**
 * Appends trailers to a commit message, e.g. `Stemma-Space: <id>`; one with several values gets a
 * line for each.
 */
export function withTrailers(
  message: string,
  trailers: Record<string, string | number | readonly string[] | undefined>,
): string {
  const lines = Object.entries(trailers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map(each => `${name}: ${each}`),
  )
  return `${message.trim()}\n\n${lines.join('\n')}\n`
}
