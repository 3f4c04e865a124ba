import { mustGet } from '../../lib/must-get.ts'
import type { Steps } from '../../lib/slices.ts'
import type { ComputedSource } from '../tree/page-node.ts'
import type { OpenapiOperation, OpenapiOutline, OpenapiTag, OpenapiWebhook } from './describe.ts'
import { infoKey } from './describe.ts'

/** A page to be made from a spec. */
export type PlannedPage = {
  /** Unique among the pages of a spec: `tag pets`, `models`, `operation get /pets`. */
  key: string
  title: string
  icon?: string
  description?: string
  /** The keys of the pieces in its text, in order. */
  pieces: string[]
  /** Its text is one piece, and its title replaces the heading of the piece. */
  single: boolean
  /** The part of the spec that it shows, as the API names it. */
  doc: { doc: 'models' } | { doc: 'operations' | 'info'; page: string }
  pages: PlannedPage[]
}

type Entry = { key: string; title: string; tags: string[] }

/** With more schemas than this, each gets its own page. */
const mostOnOne = 100

/**
 * Plans the pages of a computed entry: a page per tag, below that of its parent tag, with the tag's
 * operations on it or, with `grouping: by-operation`, on a page each below it. Untagged operations
 * share a page, and so do webhooks; `models: true` adds the schemas. An operation with several tags
 * is on the page of the first.
 */
export function* planSteps(
  outline: OpenapiOutline,
  { props }: Pick<ComputedSource, 'props'>,
): Steps<PlannedPage[]> {
  const apart = props.grouping === 'by-operation'
  const known = new Set(outline.tags.map(({ name }) => name))
  const byTag = new Map<string, Entry[]>()
  const rest: Entry[] = []
  const webhooks: Entry[] = []
  const place = (entry: Entry, others: Entry[]) => {
    const tag = entry.tags.find(name => known.has(name))
    const list = tag === undefined ? others : (byTag.get(tag) ?? [])
    list.push(entry)
    if (tag !== undefined) byTag.set(tag, list)
  }

  for (const [at, operation] of outline.operations.entries()) {
    place(entryOf(operation), rest)
    if (at % 1024 === 1023) yield
  }

  for (const webhook of outline.webhooks) place(entryOf(webhook), webhooks)
  yield
  const pages = tagPages(outline.tags, byTag, apart)

  yield
  if (rest.length > 0) pages.push(restPage(outline, rest, apart))
  if (webhooks.length > 0)
    pages.push(pageOf({ key: 'webhooks', title: 'Webhooks', name: 'webhooks' }, webhooks, apart))
  if (props.models === true && outline.schemas.length > 0) pages.push(modelsPage(outline))

  return pages
}

function entryOf(each: OpenapiOperation | OpenapiWebhook): Entry {
  const name = 'path' in each ? `${each.method.toUpperCase()} ${each.path}` : each.name
  return { key: each.key, title: each.summary ?? name, tags: each.tags }
}

type Heading = {
  key: string
  title: string
  name: string
  icon?: string
  description?: string
  lead?: string
}

function pageOf(
  { key, title, name, icon, description, lead }: Heading,
  entries: Entry[],
  apart: boolean,
): PlannedPage {
  return {
    key,
    title,
    ...(icon && { icon }),
    ...(description && { description }),
    pieces: [
      ...(lead === undefined ? [] : [lead]),
      ...(apart ? [] : entries.map(entry => entry.key)),
    ],
    single: false,
    doc: { doc: entries.length > 0 && !apart ? 'operations' : 'info', page: name },
    pages: apart ? entries.map(operationPage) : [],
  }
}

const operationPage = ({ key, title }: Entry): PlannedPage => ({
  key,
  title,
  pieces: [key],
  single: true,
  doc: { doc: 'operations', page: key },
  pages: [],
})

/**
 * Returns the pages of tags, each below that of its parent. Tags with nothing to show are left out.
 */
function tagPages(
  tags: readonly OpenapiTag[],
  byTag: ReadonlyMap<string, Entry[]>,
  apart: boolean,
): PlannedPage[] {
  const made = new Map<string, PlannedPage>()
  for (const { name, title, icon, description, key } of tags) {
    const heading: Heading = { key: `tag ${name}`, title, name }
    if (icon) heading.icon = icon
    if (description) heading.description = description
    if (key) heading.lead = key
    made.set(name, pageOf(heading, byTag.get(name) ?? [], apart))
  }

  const top: PlannedPage[] = []

  for (const { name, parent } of tags) {
    const above = parent === undefined ? top : mustGet(made, parent).pages
    above.push(mustGet(made, name))
  }

  return shown(top)
}

const shown = (pages: PlannedPage[]): PlannedPage[] =>
  pages
    .map(page => ({ ...page, pages: shown(page.pages) }))
    .filter(({ pieces, pages: below }) => pieces.length > 0 || below.length > 0)

/**
 * Returns the page of untagged operations. When there are no tags at all, it is the page of the
 * spec itself.
 */
function restPage(outline: OpenapiOutline, rest: Entry[], apart: boolean): PlannedPage {
  const alone = outline.tags.length === 0
  const heading: Heading = {
    key: 'untagged',
    title: alone ? outline.title : 'Other',
    name: 'untagged',
  }
  if (alone && outline.key !== undefined) heading.lead = infoKey
  return pageOf(heading, rest, apart)
}

function modelsPage({ schemas }: OpenapiOutline): PlannedPage {
  const page: PlannedPage = {
    key: 'models',
    title: 'Models',
    pieces: schemas.length > mostOnOne ? [] : schemas.map(({ key }) => key),
    single: false,
    doc: { doc: 'models' },
    pages: [],
  }
  if (schemas.length <= mostOnOne) return page
  page.pages = schemas.map(({ key, name }) => ({
    key,
    title: name,
    pieces: [key],
    single: true,
    doc: { doc: 'models' },
    pages: [],
  }))

  return page
}
