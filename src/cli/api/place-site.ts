import { Failure } from '../output/failure.ts'
import { callApi, listApi } from './call-api.ts'

/** A site, as the API returns it. */
export type Site = {
  id: string
  title: string
  basename: string
  visibility: string
  membersOnly: boolean
  published: boolean
  createdAt: string
  urls: { published?: string }
}

type SiteSpace = { default: boolean; space: { id: string } }
type Space = { id: string; title: string; createdAt: string }

/**
 * The site to publish a folder on. `name` is its basename; without `space`, its default space is
 * used.
 */
type PublishTarget = {
  org: string
  name: string
  isNamed: boolean
  title: string | undefined
  defaultTitle: string
  space: string | undefined
  audience: 'public' | 'unlisted' | 'members'
}

type Placed = { site: Site; space: string; made: boolean }

const sitesOf = (org: string) => `/v1/orgs/${encodeURIComponent(org)}/sites`
const siteOf = (org: string, { id }: Pick<Site, 'id'>) =>
  `${sitesOf(org)}/${encodeURIComponent(id)}`

/**
 * Returns the site and the space of a folder, and creates those that do not exist yet. The site is
 * not published.
 */
export async function placeSite(place: PublishTarget): Promise<Placed> {
  if (place.space !== undefined)
    await callApi('GET', `/v1/spaces/${encodeURIComponent(place.space)}`)
  const found = await findSite(place)
  const site = found ? await adjust(found, place) : await makeSite(place)
  const space = await findSpace(site, place, found === undefined)
  return { site, space, made: found === undefined }
}

/** Returns the space that a folder was published in. Throws Failure if there is none. */
export async function findPlace(
  place: Pick<PublishTarget, 'org' | 'name' | 'isNamed' | 'space'>,
): Promise<string> {
  if (place.space !== undefined) return place.space
  const site = await findSite(place)
  const shown = site ? await listSpaces(place.org, site) : []
  const space = defaultOf(shown)
  if (space !== undefined) return space
  throw new Failure(
    `There is no site "${place.name}" with a space to change. Publish the folder first, without "--change-request", or name the space with "--space".`,
  )
}

/** Publishes a site unless it is published already. Returns it. */
export async function publishSite(org: string, site: Site): Promise<Site> {
  if (site.published) return site
  return (await callApi('POST', `${siteOf(org, site)}/publish`)).body as Site
}

async function findSite({
  org,
  name,
  isNamed,
  space,
}: Pick<PublishTarget, 'org' | 'name' | 'isNamed' | 'space'>): Promise<Site | undefined> {
  if (space !== undefined && !isNamed) return (await listApi<Site>(sitesOf(org), { space }))[0]
  return (await listApi<Site>(sitesOf(org))).find(({ basename }) => basename === name.toLowerCase())
}

const flags = { title: '--title', basename: '--site', spaces: '--space', spaceId: '--space' }

const titleFor = ({ title, defaultTitle }: PublishTarget): string =>
  title ?? (defaultTitle.length < 2 ? 'Documentation' : defaultTitle)

/** Returns a new site, or the one of an earlier run that ended before it named the site. */
async function makeSite(place: PublishTarget): Promise<Site> {
  const left = await findLeftSite(place)
  if (left) return nameSite(await adjust(left, place), place)
  const body = { title: titleFor(place), ...audienceFor(place) }
  const site = (await callApi('POST', sitesOf(place.org), body, flags)).body as Site

  try {
    return await nameSite(site, place)
  } catch (error) {
    // A name that the server refuses must not leave a site behind.
    await callApi('DELETE', siteOf(place.org, site))
    throw error
  }
}

/**
 * Returns the site of an earlier run that ended before it named the site: with the same title,
 * never published and without spaces. Undefined if there is none.
 */
async function findLeftSite(place: PublishTarget): Promise<Site | undefined> {
  const wanted = titleFor(place)
  for (const site of await listApi<Site>(sitesOf(place.org))) {
    if (site.published || site.title !== wanted) continue
    if ((await listSpaces(place.org, site)).length === 0) return site
  }
  return undefined
}

async function nameSite(site: Site, { org, name }: PublishTarget): Promise<Site> {
  if (site.basename === name) return site
  return (await callApi('PATCH', siteOf(org, site), { basename: name }, flags)).body as Site
}

const audienceFor = ({ audience }: PublishTarget) =>
  ({ public: {}, unlisted: { visibility: 'unlisted' }, members: { membersOnly: true } })[audience]

/** Changes the settings of a site that the options name. */
async function adjust(site: Site, place: PublishTarget): Promise<Site> {
  const { org, title, audience } = place
  const isOther = audience === 'members' ? !site.membersOnly : site.visibility === 'public'
  const set = {
    ...(title !== undefined && title !== site.title && { title }),
    ...(isOther && audienceFor(place)),
  }
  if (Object.keys(set).length === 0) return site
  return (await callApi('PATCH', siteOf(org, site), set, flags)).body as Site
}

async function findSpace(
  site: Site,
  { org, space, title, defaultTitle }: PublishTarget,
  isNew: boolean,
): Promise<string> {
  const shown = await listSpaces(org, site)
  if (space !== undefined) {
    if (!shown.some(each => each.space.id === space)) await addSpace(org, site, space)
    return space
  }

  const present = defaultOf(shown)
  if (present !== undefined) return present

  const named = title ?? defaultTitle
  const id =
    (isNew ? undefined : await findLeftSpace(org, site, named)) ?? (await createSpace(org, named))

  await addSpace(org, site, id)

  return id
}

const listSpaces = (org: string, site: Site): Promise<SiteSpace[]> =>
  listApi<SiteSpace>(`${siteOf(org, site)}/site-spaces`)

/** Returns the id of the default space of a site, or of its first one. */
const defaultOf = (shown: readonly SiteSpace[]): string | undefined =>
  (shown.find(each => each.default) ?? shown[0])?.space.id

const spacesOf = (org: string) => `/v1/orgs/${encodeURIComponent(org)}/spaces`

async function createSpace(org: string, title: string): Promise<string> {
  const { id } = (await callApi('POST', spacesOf(org), { title, empty: true }, flags)).body as {
    id?: string
  }
  if (!id)
    throw new Failure(
      'The server did not return the id of the space. It may be of a different version.',
    )
  return id
}

/**
 * Returns the space of an earlier run that ended before it placed the space on its site: younger
 * than the site, with the same title, without pages and on no site. Undefined if there is none.
 */
async function findLeftSpace(org: string, site: Site, title: string): Promise<string | undefined> {
  const spaces = await listApi<Space>(spacesOf(org))
  for (const { id } of spaces.filter(
    each => each.title === title && each.createdAt >= site.createdAt,
  )) {
    const { pages } = (await callApi('GET', `/v1/spaces/${id}/content/pages`)).body as {
      pages: unknown[]
    }
    const sites = await listApi<Site>(sitesOf(org), { space: id })
    if (pages.length === 0 && sites.length === 0) return id
  }

  return undefined
}

const addSpace = (org: string, site: Site, spaceId: string) =>
  callApi('POST', `${siteOf(org, site)}/site-spaces`, { spaceId }, flags)
