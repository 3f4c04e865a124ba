import { newSite, type PromisedSite, type Space, type Word } from '../ledger.ts'
import { type Act, ask, type Desk, type Outcome } from './ask.ts'
import type { Ask } from './call.ts'
import { discuss } from './talk.ts'

/** The number of clients that have a site. */
const owners = 4

const sites = '/v1/orgs/default/sites'

function say({ facts }: PromisedSite, which: readonly string[], word: Word): void {
  for (const fact of which) facts.set(fact, word)
}

/** Sends a request that makes some facts true and others false. */
function turn(
  desk: Desk,
  site: PromisedSite,
  asked: Ask,
  { made = [], ended = [] }: { made?: string[]; ended?: string[] },
  // biome-ignore lint/suspicious/noExplicitAny: answers have many shapes
  settle: (body: any) => void = () => {},
): Promise<Outcome> {
  for (const fact of made) if (!site.facts.has(fact)) site.facts.set(fact, 'no')
  const path = `${sites}/${site.id}${asked.path}`
  return ask(
    desk,
    undefined,
    { ...asked, path },
    ({ body }) => {
      say(site, ended, 'no')
      say(site, made, 'yes')
      settle(body)
    },
    () => say(site, [...made, ...ended], 'maybe'),
  )
}

type SiteAct = (desk: Desk, site: PromisedSite, space: Space) => Promise<Outcome>

const is = ({ facts }: PromisedSite, fact: string): boolean => facts.get(fact) === 'yes'

const publish: SiteAct = (desk, site) =>
  is(site, 'published')
    ? turn(
        desk,
        site,
        { method: 'POST', path: '/unpublish', kind: 'unpublish' },
        { ended: ['published'] },
      )
    : turn(
        desk,
        site,
        { method: 'POST', path: '/publish', kind: 'publish' },
        { made: ['published'] },
      )

const placed = (space: Space): string => `space ${space.id}`

/** Places a space, in the default section or at the root. */
const place: SiteAct = (desk, site, space) =>
  is(site, placed(space))
    ? remove(desk, site, space)
    : turn(
        desk,
        site,
        { method: 'POST', path: '/site-spaces', body: { spaceId: space.id }, kind: 'site space' },
        { made: [placed(space)] },
        ({ id }) => site.siteSpaces.set(space.id, id),
      )

/**
 * Places a space in a section of its own; the first one turns the spaces at the root into a
 * section.
 */
const addSection: SiteAct = (desk, site, space) => {
  if (is(site, placed(space))) return remove(desk, site, space)
  const title = desk.fresh('Section')
  const body = { spaceId: space.id, title }

  return turn(
    desk,
    site,
    { method: 'POST', path: '/sections', body, kind: 'section' },
    { made: [placed(space), `section ${title}`] },
    ({ siteSpaces: [siteSpace] }) => site.siteSpaces.set(space.id, siteSpace.id),
  )
}

const remove: SiteAct = (desk, site, space) => {
  const id = site.siteSpaces.get(space.id)
  if (id === undefined) return regenerate(desk, site, space)
  const path = `/site-spaces/${id}`

  return turn(
    desk,
    site,
    { method: 'DELETE', path, kind: 'site space deletion' },
    { ended: [placed(space)] },
  )
}

const regenerate: SiteAct = (desk, site) => {
  const now = [...site.facts].find(([fact, word]) => word === 'yes' && fact.startsWith('key '))?.[0]
  const next = `key ${Number(now?.slice(4)) + 1}`
  const asked = {
    method: 'POST',
    path: '/publishing/auth/regenerate',
    kind: 'visitor key',
    keyless: true,
  }

  return turn(desk, site, asked, { made: [next], ended: now === undefined ? [] : [now] })
}

const share: SiteAct = (desk, site) => {
  const { random } = desk
  const link = site.links.length > 0 && random.chance(0.6) ? random.pick(site.links) : undefined
  if (!link) {
    const name = desk.fresh('link')
    const asked = {
      method: 'POST',
      path: '/share-links',
      body: { name },
      kind: 'share link',
      keyless: true,
    }

    return turn(desk, site, asked, { made: [`link ${name}`, `active ${name}`] }, ({ id }) =>
      site.links.push({ id, name }),
    )
  }

  const path = `/share-links/${link.id}`
  const fact = `active ${link.name}`

  if (random.chance(0.3)) {
    site.links.splice(site.links.indexOf(link), 1)
    const ended = [`link ${link.name}`, ...(site.facts.get(fact) === 'no' ? [] : [fact])]
    return turn(desk, site, { method: 'DELETE', path, kind: 'share link deletion' }, { ended })
  }

  const active = !is(site, fact)
  const asked = { method: 'PATCH', path, body: { active }, kind: 'share link' }

  return turn(desk, site, asked, active ? { made: [fact] } : { ended: [fact] })
}

/** Creates the site of a client. */
function create(desk: Desk, client: number): Promise<Outcome> {
  const site = newSite(client, desk.fresh('Site'))
  desk.ledger.sites.push(site)
  const asked = { method: 'POST', path: sites, body: { title: site.title }, kind: 'site' }

  return ask(
    desk,
    undefined,
    asked,
    ({ body }) => {
      site.id = body.id
      site.made = 'yes'
      say(site, ['key 1'], 'yes')
    },
    () => {
      site.made = 'maybe'
    },
  )
}

const acts: [below: number, act: SiteAct][] = [
  [24, publish],
  [48, place],
  [64, addSection],
  [80, share],
  [100, regenerate],
]

const hasSections = ({ facts }: PromisedSite): boolean =>
  [...facts].some(([fact, word]) => word === 'yes' && fact.startsWith('section '))

/**
 * Works on the site of a client: publishes it, places spaces on it, and changes who may read it.
 */
export const workOnSite: Act = (desk, client, space) => {
  // The more sites there are, the less happens on each.
  if (client >= owners) return discuss(desk, client, space)
  const site = desk.ledger.sites.findLast(each => each.client === client && each.made !== 'no')

  // A site is converted to sections once: further conversions need further sites.
  if (!site || (hasSections(site) && desk.random.chance(0.1))) return create(desk, client)

  // Until a check has settled whether it exists.
  if (site.id === undefined) return Promise.resolve('done')

  const most = desk.random.below(100)

  return acts.find(([below]) => most < below)![1](desk, site, space)
}
