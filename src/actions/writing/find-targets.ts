import { targetFor } from '../../content/edit/paths.ts'
import { directoryOf } from '../../content/files.ts'
import { sectionSteps } from '../../content/search/sections.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import type { RevisionView } from '../../content/tree/view.ts'
import type { Context } from '../../context.ts'
import { inSlices } from '../../lib/slices.ts'
import { spaceRepository } from '../repositories/space-repository.ts'
import { pageText } from '../revisions/page-text.ts'

/** What a link can lead to: its target is relative to the page that has the link. */
type FoundTarget = { title: string; target: string; detail: string }

const mostFound = 20
/** Pages whose titles are compared with what was typed. */
const mostCompared = 20_000

type Wanted = {
  spaceId: string
  view: RevisionView
  /** The page that gets the link. */
  node: PageNode
  /** What was typed: words of a title, and behind a "#" those of a heading. */
  words: string
  signal?: AbortSignal | undefined
}

/** Finds pages by their titles and addresses; behind a "#", the headings of the page before it. */
export async function findTargets(ctx: Context, wanted: Wanted): Promise<FoundTarget[]> {
  const { view, node, words } = wanted
  const from = directoryOf(node.file?.path ?? node.missing ?? '')
  const at = words.indexOf('#')
  if (at !== -1) return headingsOf(ctx, wanted, from, [words.slice(0, at), words.slice(at + 1)])

  return rankPages(view, words, mostFound).flatMap(page => {
    const path = page.file?.path
    return path === undefined ? [] : [foundPage(view, page, targetFor(from, path) || './')]
  })
}

const foundPage = ({ content }: RevisionView, page: PageNode, target: string): FoundTarget => ({
  title: page.title,
  target,
  detail: parentOf(content, page)?.title ?? '',
})

/** Returns the pages with files that fit words best: those whose titles begin with them first. */
function rankPages({ content }: RevisionView, words: string, most: number): PageNode[] {
  const wanted = words.trim().toLowerCase()
  const ranked: { page: PageNode; rank: number }[] = []
  let compared = 0

  for (const page of content.pageById.values()) {
    if (!page.file || page.type !== 'document') continue
    if (++compared > mostCompared) break
    const title = page.title.toLowerCase()
    const rank = title.startsWith(wanted) ? 0 : title.includes(wanted) ? 1 : 2
    if (rank < 2 || page.path.includes(wanted)) ranked.push({ page, rank })
  }

  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ page }) => page)
}

async function headingsOf(
  ctx: Context,
  { spaceId, view, node, signal }: Wanted,
  from: string,
  [ofPage, ofHeading]: readonly [string, string],
): Promise<FoundTarget[]> {
  const page = ofPage.trim() === '' ? node : rankPages(view, ofPage, 1)[0]
  const path = page?.file?.path
  if (!page || path === undefined) return []
  const text = await pageText(spaceRepository(ctx, spaceId), page)
  const { sections } = await inSlices(sectionSteps(text, path), signal)
  const wanted = ofHeading.trim().toLowerCase()
  const target = page === node ? '' : targetFor(from, path) || './'

  return sections
    .filter(({ heading, anchor }) => anchor !== '' && heading.toLowerCase().includes(wanted))
    .slice(0, mostFound)
    .map(({ heading, anchor }) => ({
      title: heading,
      target: `${target}#${anchor}`,
      detail: page.title,
    }))
}
