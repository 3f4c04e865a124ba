import { countedFindings, type Finding, type FindingKind, findingKinds } from './kinds.ts'

/** How many findings there are of each kind that occurs. */
export type FindingCounts = Partial<Record<FindingKind, number>>

/** Counts findings by kind, the worst kind first. */
export function countFindings(findings: readonly Finding[]): FindingCounts {
  const counts = new Map<FindingKind, number>()
  for (const { kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return Object.fromEntries(
    findingKinds.flatMap(kind => {
      const count = counts.get(kind)
      return count === undefined ? [] : [[kind, count]]
    }),
  )
}

/** The most places that a sentence names, and the most sentences of a kind. */
const mostNamed = 3
const mostSentences = 10

/** The kinds whose findings differ in what to do, so that each message is said. */
const said: ReadonlySet<FindingKind> = new Set(['unknown-tag', 'unread-syntax', 'unread-settings'])

/**
 * Returns sentences for people who have just sent files: for each kind how many findings there are,
 * and where the first are. Keys and addresses that readers do not miss are left out. `counts` are
 * those of all findings, if these are only the first.
 */
export function findingSentences(
  findings: readonly Finding[],
  counts: FindingCounts = {},
): string[] {
  const shown = findings.filter(({ severity, kind }) => severity !== 'info' || kind === 'draft')
  const byKind = grouped(shown, ({ kind }) => kind)
  return findingKinds.flatMap(kind => {
    const all = byKind.get(kind)
    if (!all) return []
    const count = counts[kind] ?? all.length
    if (!said.has(kind)) return [`${countedFindings(kind, count)}: ${placesOf(all, count)}`]
    return [...grouped(all, ({ message }) => message).values()]
      .slice(0, mostSentences)
      .map(sentenceOf)
  })
}

/** Returns a message with its places; the settings of other tools name their file themselves. */
function sentenceOf(findings: readonly Finding[]): string {
  const [{ kind, message, advice } = { kind: undefined, message: '', advice: '' }] = findings
  return kind === 'unread-settings'
    ? message.replace(/\.$/, '')
    : `${placesOf(findings)}: ${message} ${advice}`
}

function placesOf(findings: readonly Finding[], count = findings.length): string {
  const more = count > mostNamed ? ` and ${count - mostNamed} more` : ''
  return findings.slice(0, mostNamed).map(placeOf).join(', ') + more
}

function grouped<Key>(
  findings: readonly Finding[],
  keyOf: (finding: Finding) => Key,
): Map<Key, Finding[]> {
  const groups = new Map<Key, Finding[]>()
  for (const each of findings) {
    const group = groups.get(keyOf(each))
    if (group) group.push(each)
    else groups.set(keyOf(each), [each])
  }
  return groups
}

/** Returns where a finding is, such as `guide.md:3`. */
const placeOf = ({ file = '', line }: Finding): string =>
  line === undefined ? file || 'the space' : `${file}:${line}`
