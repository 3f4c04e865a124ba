import { dataOfJson, recordOf } from './data.ts'
import type { Outline, OutlineGroup, ReadNavigation } from './outline.ts'
import { deepest, entryFor, sectionFor } from './sections.ts'

type Json = Record<string, unknown>
type Reading = { operations: number; choices: Set<string> }

/** The kinds of parts that a navigation is divided into, with the key of their name. */
const divisions = { tabs: 'tab', dropdowns: 'dropdown', products: 'product', anchors: 'anchor' }

/** The kinds of alternatives, of which the first is taken. */
const alternatives = ['languages', 'versions']

/** Reads `docs.json` or `mint.json`. */
export const readMintlify: ReadNavigation = text => {
  const data = dataOfJson(text)
  if (data === undefined) return { folder: '', notTaken: ['it is not valid JSON'] }
  const settings = recordOf(data)
  const { name, navigation, redirects } = settings
  const reading: Reading = { operations: 0, choices: new Set() }
  const isList = Array.isArray(navigation)
  const nav = isList ? { groups: navigation, anchors: settings.anchors } : recordOf(navigation)
  const groups = partsOf(reading, nav, 1).filter(({ entries }) => entries.length > 0)
  const notTaken = [...reading.choices].map(choice => `only the first of its ${choice} was taken`)

  if (reading.operations > 0)
    notTaken.push('pages that are made from OpenAPI descriptions were not taken')
  if (Array.isArray(redirects) && redirects.length > 0)
    notTaken.push('its redirects were not taken')
  const title = textOf(name)

  return { ...(title && { title }), folder: '', ...(groups.length > 0 && { groups }), notTaken }
}

/** Returns the groups of a navigation or of a part of one. */
function partsOf(reading: Reading, nav: Json, depth: number): OutlineGroup[] {
  if (depth > deepest) return []
  for (const kind of alternatives) {
    const list = listOf(nav[kind]).map(recordOf)
    if (list.length > 1) reading.choices.add(kind)
    const chosen = list.find(each => each.default === true) ?? list[0]
    if (chosen) return partsOf(reading, chosen, depth + 1)
  }

  if (nav.openapi !== undefined || nav.asyncapi !== undefined) reading.operations++
  const own = entriesOf(reading, listOf(nav.pages), depth)
  const parts: OutlineGroup[] = own.length > 0 ? [{ title: null, entries: own }] : []

  for (const group of listOf(nav.groups).map(recordOf)) {
    const title = textOf(group.group) ?? null
    parts.push({ title, entries: groupEntries(reading, group, depth) })
  }

  for (const [kind, key] of Object.entries(divisions))
    parts.push(...divided(reading, listOf(nav[kind]).map(recordOf), { key, depth }))

  return [...parts, ...(nav.global ? partsOf(reading, recordOf(nav.global), depth + 1) : [])]
}

/** Returns the groups of tabs and the like: each is a group, the only one of its kind is not. */
function divided(
  reading: Reading,
  list: readonly Json[],
  { key, depth }: { key: string; depth: number },
): OutlineGroup[] {
  return list.flatMap((each): OutlineGroup[] => {
    const title = textOf(each[key]) ?? textOf(each.name) ?? null
    const parts = partsOf(reading, each, depth + 1)
    const href = textOf(each.href) ?? textOf(each.url)
    if (parts.length === 0)
      return href && /^https?:/i.test(href)
        ? [{ title: null, entries: [entryFor(href, title ?? '')] }]
        : []
    if (list.length === 1) return parts
    const entries = parts.flatMap(part =>
      part.title === null ? part.entries : [sectionFor(part.title, part.entries)],
    )

    return [{ title, entries }]
  })
}

/** Returns the entries of a group: its own page, if it has one, and those of its list. */
function groupEntries(reading: Reading, group: Json, depth: number): Outline[] {
  if (group.openapi !== undefined || group.asyncapi !== undefined) reading.operations++
  const root = textOf(group.root)
  return [...(root ? [entryFor(root)] : []), ...entriesOf(reading, listOf(group.pages), depth)]
}

function entriesOf(reading: Reading, pages: readonly unknown[], depth: number): Outline[] {
  return pages.flatMap((page): Outline[] => {
    if (
      typeof page === 'string' &&
      /^(?:GET|PUT|POST|DELETE|PATCH|HEAD|OPTIONS|WEBHOOK) /i.test(page)
    ) {
      reading.operations++
      return []
    }
    if (typeof page === 'string') return page.trim() ? [entryFor(page.trim())] : []
    const group = recordOf(page)
    const label = textOf(group.group)
    if (label === undefined || depth >= deepest) return []
    return [sectionFor(label, groupEntries(reading, group, depth + 1))]
  })
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() ? value.trim() : undefined
