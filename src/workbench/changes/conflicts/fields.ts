import type { Conflict } from '../../../actions/revisions/name-conflicts.ts'
import type { Resolution } from '../../../actions/revisions/resolve-conflicts.ts'
import { Fault } from '../../../errors.ts'

/** What a field is about: a whole file, a hunk, the new text of a hunk, or an entry. */
type FieldKind = 'file' | 'hunk' | 'text' | 'entry'

/** Returns the name of a field. Names of hunks tell their texts, so that a choice is for no other text. */
export const fieldName = (kind: FieldKind, path: string, name = ''): string =>
  [kind, encodeURIComponent(path), encodeURIComponent(name)].join('|')

/** A conflict whose texts may be resolved by hunks or entries. */
type Resolvable = Pick<Conflict, 'path' | 'hunks' | 'entries'>

/** Returns the resolutions that a form has for conflicts. Throws 'conflict' if one has none. */
export function allResolutions(
  conflicts: readonly Resolvable[],
  values: Readonly<Record<string, string>>,
): Resolution[] {
  const resolutions = someResolutions(conflicts, values)
  const left = conflicts.length - resolutions.length
  if (left === 0) return resolutions
  throw new Fault(
    'resolution_mismatch',
    `${left === 1 ? 'One file lacks' : `${left} files lack`} a choice, or changed meanwhile: choose for each place, and send it again. What you chose is kept.`,
  )
}

/** Returns the resolutions that a form has for conflicts, without those that lack a choice. */
export const someResolutions = (
  conflicts: readonly Resolvable[],
  values: Readonly<Record<string, string>>,
): Resolution[] => conflicts.flatMap(conflict => resolutionOf(conflict, values) ?? [])

function resolutionOf(
  { path, hunks = [], entries }: Resolvable,
  values: Readonly<Record<string, string>>,
): Resolution | undefined {
  const side = (name: string): 'ours' | 'theirs' | undefined => {
    const value = values[name]
    return value === 'ours' || value === 'theirs' ? value : undefined
  }
  if (entries) {
    const choices = entries.flatMap(({ entry }) => {
      const take = side(fieldName('entry', path, entry))
      return take ? [{ entry, take }] : []
    })
    return choices.length === entries.length ? { path, entries: choices } : undefined
  }

  if (hunks.length === 0) {
    const take = side(fieldName('file', path))
    return take && { path, take }
  }

  type HunkChoices = Extract<Resolution, { hunks: unknown }>['hunks']
  const choices = hunks.flatMap(({ hunk, ours, theirs }): HunkChoices => {
    const take = values[fieldName('hunk', path, hunk)]
    if (take === 'ours' || take === 'theirs' || take === 'both') return [{ hunk, take }]
    if (take !== 'write') return []
    const text = values[fieldName('text', path, hunk)] ?? ''
    return [{ hunk, content: asLines(text, ours + theirs) }]
  })

  return choices.length === hunks.length ? { path, hunks: choices } : undefined
}

/** Returns a typed text with the line endings of another one, and one at its end. */
function asLines(text: string, like: string): string {
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`
  return like.includes('\r\n') ? whole.replaceAll('\n', '\r\n') : whole
}
