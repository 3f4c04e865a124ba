import { readSite } from '../../../access/guards/reading.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { sha256 } from '../../../lib/digest.ts'
import { activeShareKey } from '../load-share-key.ts'
import { ShareKeyQuery, SitePath } from '../schema.ts'
import { profileForReader, profileForUser } from './profile.ts'
import { PublishedContentSite } from './schema.ts'

export const getPublishedContentSite = endpoint({
  operationId: 'getPublishedContentSite',
  summary: 'Get the published profile of a site',
  description:
    'Returns everything that a renderer needs in order to show a site, except its content: settings, structure, customizations and scripts. With a reading token, the answer contains only what its reader may see, without the conditions. Users can also read a site that is not published.',
  params: SitePath,
  query: ShareKeyQuery,
  reply: PublishedContentSite,
  readers: true,
  access: readSite,
  handle: async ({ ctx, site, reader, user, role, query }) => {
    const shareKey = activeShareKey(ctx, site, query.shareKey)
    const profile = reader
      ? await profileForReader(ctx, reader, shareKey)
      : await profileForUser(ctx, site, { user, role, shareKey })
    if (ctx.config.checkReplies) PublishedContentSite.parse(profile)
    const bytes = Buffer.from(JSON.stringify(profile))
    // It depends on nothing but rows.
    return { bytes, etag: sha256(bytes), holds: () => true }
  },
})
