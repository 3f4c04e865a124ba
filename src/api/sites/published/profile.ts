import type { z } from 'zod'
import type { Reader } from '../../../access/asker.ts'
import { isPreview } from '../../../access/reader.ts'
import { viewForReader } from '../../../actions/sites/view-for-reader.ts'
import { viewForUser } from '../../../actions/sites/view-for-user.ts'
import type { SiteView } from '../../../actions/sites/view-site.ts'
import { shownTo, withoutHiddenTargets } from '../../../content/customization/for-readers.ts'
import type { Settings } from '../../../content/customization/schema.ts'
import { effectiveSettings, withOverride } from '../../../content/customization/stored.ts'
import type { Context } from '../../../context.ts'
import { missing } from '../../../errors.ts'
import type { Role } from '../../../store/tables/roles.ts'
import type { SiteRow } from '../../../store/tables/rows.ts'
import { presentScripts } from '../integrations/scripts.ts'
import { shownToReader, shownToUser, showSite } from '../load.ts'
import { presentStructure } from '../present.ts'
import type { PublishedContentSite } from './schema.ts'

type Profile = z.input<typeof PublishedContentSite>

/**
 * Returns the published profile of a site as a user sees it: with conditions, and with what they
 * hide from readers.
 */
export async function profileForUser(
  ctx: Context,
  site: SiteRow,
  { user, role, shareKey }: { user: { id: string }; role: Role; shareKey: string | undefined },
): Promise<Profile> {
  const view = viewForUser(ctx, site, user, role)
  return {
    object: 'published-content-site',
    site: showSite(ctx, view, role, shareKey),
    structure: presentStructure(view, await shownToUser(ctx, view, user, shareKey)),
    customizations: customizationsOf(view, settings => settings),
    scripts: presentScripts(ctx, site),
  }
}

/**
 * Returns the published profile of a site as its reader sees it: without conditions, and without
 * everything that they hide. Throws 'missing' if nothing of the site is shown.
 */
export async function profileForReader(
  ctx: Context,
  reader: Reader,
  shareKey: string | undefined,
): Promise<Profile> {
  const { view, isMet } = await viewForReader(ctx, reader)
  if (view.siteSpaces.length === 0) throw missing('site', reader.site.id)
  const spaceIds = new Set(view.siteSpaces.map(({ space }) => space.id))

  return {
    object: 'published-content-site',
    site: showSite(ctx, view, 'reader', shareKey),
    structure: presentStructure(view, await shownToReader(ctx, view, shareKey)),
    customizations: customizationsOf(view, settings =>
      withoutHiddenTargets(shownTo(settings, isMet), id => spaceIds.has(id)),
    ),
    // Scripts must not learn the token in an address for previews.
    scripts: isPreview(reader) ? [] : presentScripts(ctx, reader.site),
  }
}

/**
 * Returns the settings of a site and of every site space in the view; `show` limits them to what
 * the viewer sees.
 */
function customizationsOf(
  { site, siteSpaces }: SiteView,
  show: (settings: Settings) => Settings,
): Profile['customizations'] {
  const settings = effectiveSettings(site.customization, null)
  const shown = show(settings)
  return {
    site: shown,
    siteSpaces: Object.fromEntries(
      siteSpaces.map(({ row: { id, override } }) => [
        id,
        override === null ? shown : show(withOverride(settings, override)),
      ]),
    ),
  }
}
