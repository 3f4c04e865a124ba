import { Failure } from '../output/failure.ts'
import { callApi, listApi } from './call-api.ts'

/** A site, as the API returns it. */
export type Site = {
  id: string
  title: string
  basename: string
  visibility: string
  published: boolean
  urls: { published?: string }
}

type SiteSpace = { default: boolean; space: { id: string } }

/** The site to publish a folder on. `name` is its basename; without `space`, its default space is used. */
export type Place = {
  org: string
  name: string
  isNamed: boolean
  title: string | undefined
  defaultTitle: string
  space: string | undefined
  unlisted: boolean
}

export type Placed = { site: Site; space: string; made: boolean }

const sitesOf = (org: string) => `/v1/orgs/${encodeURIComponent(org)}/sites`
const siteOf = (org: string, { id }: Pick<Site, 'id'>) => `${sitesOf(org)}/${encodeURIComponent(id)}`

/** Returns the site and the space of a folder, and creates those that do not exist yet. The site is not published. */
export async function placeSite(place: Place): Promise<Placed> {
  if (place.space !== undefined) await callApi('GET', `/v1/spaces/${encodeURIComponent(place.space)}`)
  const found = await findSite(place)
  const site = found ? await adjust(found, place) : await createSite(place)
  return { site, space: await findSpace(site, place), made: found === undefined }
}

/** Publishes a site unless it is published already. Returns it. */
export async function publishSite(org: string, site: Site): Promise<Site> {
  if (site.published) return site
  return (await callApi('POST', `${siteOf(org, site)}/publish`)).body as Site
}

async function findSite({ org, name, isNamed, space }: Place): Promise<Site | undefined> {
  if (space !== undefined && !isNamed) return (await listApi<Site>(sitesOf(org), { space }))[0]
  return (await listApi<Site>(sitesOf(org))).find(({ basename }) => basename === name.toLowerCase())
}

const flags = { title: '--title', basename: '--site', spaces: '--space', spaceId: '--space' }

async function createSite({ org, name, title, defaultTitle, unlisted }: Place): Promise<Site> {
  const body = {
    title: title ?? (defaultTitle.length < 2 ? 'Documentation' : defaultTitle),
    ...(unlisted && { visibility: 'unlisted' }),
  }
  const site = (await callApi('POST', sitesOf(org), body, flags)).body as Site
  if (site.basename === name) return site
  try {
    return (await callApi('PATCH', siteOf(org, site), { basename: name }, flags)).body as Site
  } catch (error) {
    // A name that the server refuses must not leave a site behind.
    await callApi('DELETE', siteOf(org, site))
    throw error
  }
}

/** Changes the settings of a site that the options name. */
async function adjust(site: Site, { org, title, unlisted }: Place): Promise<Site> {
  const set = {
    ...(title !== undefined && title !== site.title && { title }),
    ...(unlisted && site.visibility === 'public' && { visibility: 'unlisted' }),
  }
  if (Object.keys(set).length === 0) return site
  return (await callApi('PATCH', siteOf(org, site), set, flags)).body as Site
}

async function findSpace(site: Site, { org, space, title, defaultTitle }: Place): Promise<string> {
  const shown = await listApi<SiteSpace>(`${siteOf(org, site)}/site-spaces`)
  if (space !== undefined) {
    if (!shown.some(each => each.space.id === space)) await addSpace(org, site, space)
    return space
  }
  const present = shown.find(each => each.default) ?? shown[0]
  if (present) return present.space.id
  const body = { title: title ?? defaultTitle, empty: true }
  const made = await callApi('POST', `/v1/orgs/${encodeURIComponent(org)}/spaces`, body, flags)
  const { id } = made.body as { id?: string }
  if (!id)
    throw new Failure('The server did not return the id of the space. It may be of a different version.')
  await addSpace(org, site, id)
  return id
}

const addSpace = (org: string, site: Site, spaceId: string) =>
  callApi('POST', `${siteOf(org, site)}/site-spaces`, { spaceId }, flags)
