import type { Actor, App, Reply } from '../../support/app.ts'

/** A site with helpers to edit it; `tree` returns its structure as titles. */
export type SiteUnderTest = {
  id: string
  path: string
  /** Ids of site spaces by the title of their space. */
  siteSpaces: Record<string, string>
}

let counter = 0

/** Creates a space of "acme" and returns its id. */
export async function newSpace(app: App, title: string): Promise<string> {
  return (await app.admin.post('/v1/orgs/acme/spaces', { title })).body.id
}

/** Creates a site with spaces of these titles. */
export async function newSite(
  app: App,
  titles: string[] = [],
  settings: object = {},
): Promise<SiteUnderTest> {
  const spaces = await Promise.all(titles.map(title => newSpace(app, title)))
  const made = await app.admin.post('/v1/orgs/acme/sites', {
    title: `Site ${++counter}`,
    spaces,
    ...settings,
  })
  if (made.status !== 201) throw new Error(made.text)

  const path = `/v1/orgs/acme/sites/${made.body.id}`
  const { items } = (await app.admin.get(`${path}/site-spaces?limit=1000`)).body

  return {
    id: made.body.id,
    path,
    siteSpaces: Object.fromEntries(items.map((each: Item) => [each.title, each.id])),
  }
}

/** Adds a section with a new space of the same title; returns its resource. */
export async function newSection(app: App, { path }: SiteUnderTest, title: string) {
  const made = await app.admin.post(`${path}/sections`, {
    spaceId: await newSpace(app, title),
    title,
  })
  if (made.status !== 201) throw new Error(made.text)
  return made.body
}

/** Adds a section group; returns its id. */
export async function newGroup(app: App, { path }: SiteUnderTest, body: object): Promise<string> {
  const made = await app.admin.post(`${path}/section-groups`, body)
  if (made.status !== 201) throw new Error(made.text)
  return made.body.id
}

// biome-ignore lint/suspicious/noExplicitAny: resources of several shapes
type Item = any

/**
 * Returns the structure as text: `A*(a* b) [G: B(b*)]`, where * marks defaults and brackets enclose
 * groups.
 */
export async function treeOf(actor: Actor, { path }: Pick<SiteUnderTest, 'path'>): Promise<string> {
  const reply: Reply = await actor.get(`${path}/structure`)
  if (reply.status !== 200) throw new Error(reply.text)
  return reply.body.structure.map(textOf).join(' ')
}

function textOf(item: Item): string {
  const star = item.default ? '*' : ''
  if (item.object === 'site-space') return item.title + star
  if (item.object === 'site-section')
    return `${item.title}${star}(${item.siteSpaces.map(textOf).join(' ')})`
  return `[${[`${item.title}:`, ...item.children.map(textOf)].join(' ')}]`
}
