import { type Actor, actor } from '../support/app.ts'
import { publishedSite, readingToken } from '../support/sites.ts'
import type { World } from './world.ts'

/** Publishes a site that shows the world's space, as `siteId`, and returns a reader of it. */
export async function makeReader({ app, ids }: World): Promise<Actor> {
  const site = await publishedSite(app, [ids.spaceId as string])
  ids.siteId = site.id
  return actor(app.url, '', readingToken(app, site.id))
}
