import { defaultSettings } from '../../content/customization/defaults.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { toStored } from '../../content/customization/stored.ts'
import { blobId } from '../../content/edit/draft.ts'
import type { Context } from '../../context.ts'
import { findOrganization } from '../../store/people/organizations.ts'
import { findUser } from '../../store/people/users.ts'
import { listSitesWithSpace, updateSite } from '../../store/sites/sites.ts'
import type { SiteRow, SpaceRow, UserRow } from '../../store/tables/rows.ts'
import { importFolder } from '../git-sync/import-folder.ts'
import { service } from '../repositories/commit-signatures.ts'
import { createSite } from '../sites/create-site.ts'
import { publishSite } from '../sites/publish-site.ts'
import { createSpace } from '../spaces/create-space.ts'
import { readManual } from './read-manual.ts'

const organizationId = 'default'

/**
 * The settings of the site. The header links to the API reference by path, so the link works on any
 * host.
 */
const settings: Settings = {
  ...defaultSettings,
  header: {
    ...defaultSettings.header,
    links: [{ title: 'API reference', to: { kind: 'url', url: '/docs' }, links: [] }],
  },
}

/**
 * Creates the space "Manual" with the manual of Stemma and publishes it as the public site "Stemma
 * manual". A repetition with the same key continues where an earlier run stopped; it leaves a space
 * that was deleted since, and one that a site shows, as they are.
 */
export async function bringManual(ctx: Context, key: string, signal: AbortSignal): Promise<void> {
  const by = findUser(ctx.store, 'admin')
  if (!by || !findOrganization(ctx.store, organizationId)) return
  const files = await readManual()

  if (files.size === 0) {
    ctx.log.warn('the program has no folder "docs": the manual is left out')
    return
  }

  const space = await makeSpace(ctx, by, key)

  signal.throwIfAborted()
  if (space.deleted_at !== null || listSitesWithSpace(ctx.store, space.id).length > 0) return
  await importFolder(ctx, {
    space,
    by,
    files: new Map(
      [...files].map(([name, bytes]) => [name, { mode: '100644', oid: blobId(bytes) }]),
    ),
    contents: [...files.values()],
    message: 'Add the manual of Stemma',
    author: service(ctx.now()),
  })
  signal.throwIfAborted()
  ctx.store.transact(() => {
    const title = 'Stemma manual'
    const { id } = createSite(ctx, { organizationId, title, spaces: [space], userId: by.id }, null)
    const site = updateSite(ctx.store, id, { customization: toStored(settings) }) as SiteRow
    publishSite(ctx, site, { userId: by.id, origin: null })
  })
}

/** Returns the space of the manual, which an earlier run may have created. */
const makeSpace = (ctx: Context, by: UserRow, key: string): Promise<SpaceRow> =>
  createSpace(ctx, { organization_id: organizationId, title: 'Manual', empty: true }, by, {
    userId: by.id,
    key,
    requestHash: 'manual',
  })
