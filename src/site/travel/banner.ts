import { findPage } from '../../actions/audience/find-page.ts'
import { fileHistory } from '../../actions/revisions/file-history.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { addressOfPage, encodePath } from '../../content/tree/page-address.ts'
import { findRevision } from '../../store/git/revisions.ts'
import type { FrameLink } from '../../ui/parts/menu.tsx'
import { fill, type SurfaceWords } from '../../ui/words/all.ts'
import { dayInWords } from '../../ui/words/dates.ts'
import type { SitePlace } from '../place/place.ts'
import { type Compared, comparedIn, type Scope, type Version } from '../place/scope.ts'
import type { Banner } from '../views/model.ts'
import { changedEntries, filesIn } from './changed-entries.ts'
import { scopeBase } from './open-scope.ts'
import { reviewAddress } from './toolbar.ts'

/** Maximum number of changes that the banner counts. */
const mostChanges = 50

type Said = { words: SurfaceWords; lang: string; node: PageNode | undefined }

/**
 * Returns what the pages of a scope, or of a preview, say about the content that they show;
 * undefined for others.
 */
export function bannerOf(place: SitePlace, said: Said): Banner | undefined {
  const { scope, resolved } = place
  const { words, lang } = said
  if (!scope)
    return resolved.preview ? { kind: 'preview', text: words.preview, links: [] } : undefined

  const { kind } = scope
  const links = [...marksLink(place, said), ...currentLinks(place, scope, said)]
  const changed = changedEntries(place)

  if (kind === 'revision') {
    const { oid, at } = scope.version
    const text = fill(words.asOf, { date: dayInWords(lang, at), revision: oid.slice(0, 7) })
    return { kind, text: isUnchanged(scope, said) ? `${text} ${words.asOfUnchanged}` : text, links }
  }

  if (kind === 'comparison') {
    const [from, to] = [scope.from, scope.to].map(version => nameOf(lang, version)) as [
      string,
      string,
    ]
    return { kind, text: fill(words.comparison, { from, to }), links, changed }
  }

  const { number, subject } = scope.request
  const title = subject || `#${number}`
  const text = fill(words.changeRequest, {
    number,
    title,
    author: scope.author,
    ...countsOf(scope.compared),
  })
  const files = filesIn(place).length
  const review = reviewAddress(place, said.node)

  return {
    kind,
    text: files === 0 ? text : `${text} ${fill(words.changedFiles, { count: files })}`,
    links: review === undefined ? links : [{ title: words.review, href: review }, ...links],
    changed,
  }
}

const nameOf = (lang: string, { oid, at }: Version): string =>
  `${dayInWords(lang, at)} (${oid.slice(0, 7)})`

function countsOf(compared: Compared | undefined): {
  changed: number
  added: number
  removed: number
} {
  const marks = [...(compared?.pages.marks.values() ?? [])]
  return {
    changed: marks.filter(mark => mark === 'changed').length,
    added: marks.filter(mark => mark === 'new').length,
    removed: compared?.pages.removed.length ?? 0,
  }
}

/** Returns the switch between pages with and without marks. */
function marksLink({ scope, base, path }: SitePlace, { words, node }: Said): FrameLink[] {
  const compared = comparedIn(scope)
  if (!compared || !node) return []
  const href = base + encodePath(path)
  return [
    compared.marks
      ? { title: words.without, href: `${href}?marks=0` }
      : { title: words.marked, href },
  ]
}

/** Returns the published page that a page of a scope is now: by its id, or by its path. */
function pageNow({ current }: Scope, node: PageNode | undefined): PageNode | undefined {
  const { content } = current.shown
  return node && (content.pageById.get(node.id) ?? findPage(content, current.space.id, node.path))
}

const isUnchanged = (scope: Scope, { node }: Said): boolean =>
  node?.file !== undefined && pageNow(scope, node)?.file?.oid === node.file.oid

/** Returns links to the published page, and to what changed until then. */
function currentLinks(place: SitePlace, scope: Scope, said: Said): FrameLink[] {
  // The link of a change request shows nothing else.
  if (place.reader.preview?.linkId !== undefined) return []
  const { node, words } = said
  const { content } = scope.current.shown
  const now = pageNow(scope, node)
  const { basePath } = place.resolved
  const current = {
    title: words.readCurrent,
    href: now ? addressOfPage(basePath, content, now) : basePath,
  }
  if (scope.kind !== 'revision' || !node || isUnchanged(scope, said)) return [current]

  const { oid } = scope.version
  const base = scopeBase(place, 'compare', `${oid}...${scope.current.view.oid}`)
  const shown = now ? content : place.open.shown.content

  return [
    {
      title: changedSince(place, scope, words, now),
      href: addressOfPage(base, shown, now ?? node),
    },
    current,
  ]
}

/**
 * Returns the text that a page has changed since a version. It gives the number of revisions that
 * changed the file, up to `mostChanges`, if the revision index has both versions.
 */
function changedSince(
  { ctx }: SitePlace,
  { current: { space, view }, version }: Scope & { kind: 'revision' },
  words: SurfaceWords,
  now: PageNode | undefined,
): string {
  const [then, head] = [version.oid, view.oid].map(oid => findRevision(ctx.store, space.id, oid))
  if (!then || !head || !now?.file) return words.asOfChanged
  const latest = fileHistory(ctx.store, space.id, now.file.path, mostChanges + 1, head.seq + 1)
  const count = latest.filter(({ seq }) => seq > then.seq).length
  if (count === 0) return words.asOfChanged
  if (count === 1) return words.asOfChangedOnce
  return fill(words.asOfChangedTimes, { count: count > mostChanges ? `${mostChanges}+` : count })
}
