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
    'Everything that a renderer needs of a site beside its content: settings, structure and customizations. For a reading token it has only what the reader is shown, without conditions; users get it also while the site is not published.',
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
