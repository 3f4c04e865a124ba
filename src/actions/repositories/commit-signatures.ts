import type { Person } from '../../git/commits/quarantine.ts'
import type { UserRow } from '../../store/tables/rows.ts'

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000)

/** The service as the committer of what it writes. */
export const service = (at: Date): Person => ({
  name: 'Stemma',
  email: 'stemma@users.stemma.invalid',
  at: seconds(at),
})

/** What stands for the address of a user who has none, after their id. */
const noAddress = '@users.stemma.invalid'

/** The id of the user whom such an address stands for; undefined for any other. */
export const idInAddress = (email: string): string | undefined =>
  email.endsWith(noAddress) ? email.slice(0, -noAddress.length) : undefined

/** A user as the author of a commit. */
export const authorOf = (user: Pick<UserRow, 'id' | 'display_name' | 'email'>, at: Date): Person => ({
  name: withoutAddress(user.display_name),
  email: user.email ?? `${user.id}${noAddress}`,
  at: seconds(at),
})

/**
 * Takes an address out of a name: names that are older than the check may have one, and Git tools would show it as the
 * author's. What is in angle brackets goes; where nothing else is left, the brackets alone.
 */
function withoutAddress(name: string): string {
  const rest = name
    .replace(/<[^<>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return rest === '' ? name.replace(/@.*$/s, '') : rest
}

/** A person as a trailer names one: `Name <email>`. */
export const namedIn = ({ name, email }: Pick<Person, 'name' | 'email'>): string =>
  `${oneLine(name)} <${oneLine(email)}>`

const oneLine = (text: string): string => text.replace(/[\x00-\x1f\x7f\u2028\u2029<>]+/g, ' ').trim()

/** The trailers of a commit's message, e.g. `Stemma-Space: <id>`; one with several values has a line for each. */
export const withTrailers = (
  message: string,
  trailers: Record<string, string | number | readonly string[] | undefined>,
): string => {
  const lines = Object.entries(trailers).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map(each => `${name}: ${each}`),
  )
  return `${message.trim()}\n\n${lines.join('\n')}\n`
}
