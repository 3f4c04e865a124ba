import type { Reader } from '../../access/asker.ts'
import type { OpenContent } from '../../actions/audience/open-content.ts'
import type { ResolvedContent } from '../../actions/sites/resolve-address.ts'
import type { SiteView } from '../../actions/sites/view-site.ts'
import type { Context } from '../../context.ts'
import type { Hold } from '../../http/limits/admission.ts'
import type { Member } from './member.ts'
import type { Scope } from './scope.ts'

/** The content of a site that an address leads to, opened for its reader. */
export type SitePlace = {
  ctx: Context
  resolved: ResolvedContent
  reader: Reader
  view: SiteView
  /** Returns whether a condition of the settings is met for the reader. */
  isMet: (condition: string) => boolean
  open: OpenContent
  /** Whether the browser has a session, of a member or of another user. */
  isSignedIn: boolean
  /** The user with a browser session who may read the space. */
  member: Member | undefined
  /** The version of the content that is shown; undefined for the published one. */
  scope: Scope | undefined
  /** The base of the addresses of pages in this scope, with a slash at its end. */
  base: string
  /**
   * The base of the addresses of the site, with a slash at its end: with the key of a share link.
   */
  siteBase: string
  /** The path of the request below `base`, decoded. */
  path: string
  /**
   * Whether pages are written for a copy without a server: without scripts, and without what only a
   * server answers.
   */
  isCopy?: boolean
  signal: AbortSignal
  /** Called with the size of each text before it is parsed. */
  hold: Hold
}
