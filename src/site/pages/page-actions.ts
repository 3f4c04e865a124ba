import { isOpenToAll } from '../../access/site-roles.ts'
import { canPrintWhole } from '../../actions/print/can-print-whole.ts'
import type { Settings } from '../../content/customization/schema.ts'
import { canPrint } from '../../content/print/packages.ts'
import { editAddress, filledEditLink } from '../../content/site/edit-address.ts'
import { type PageNode, parentOf } from '../../content/tree/build.ts'
import { addressOfPage, markdownAddress } from '../../content/tree/page-address.ts'
import { findGitSync } from '../../store/git/git-sync.ts'
import { fill } from '../../ui/words/all.ts'
import type { SitePlace } from '../place/place.ts'
import { isForAgents } from '../place/rights.ts'
import type { Frame, Head, PageAction } from '../views/model.ts'

/**
 * The assistants on the web that can read a page, and the beginning of the address that asks them.
 */
const assistants = [
  { name: 'ChatGPT', ask: 'https://chatgpt.com/?hints=search&q=' },
  { name: 'Claude', ask: 'https://claude.ai/new?q=' },
]

type Parts = {
  settings: Settings
  frame: Pick<Frame, 'words'>
  head: Pick<Head, 'canonical'>
  /** The feed of the updates of the page. */
  feed: string | undefined
}

/**
 * Returns whether a page is a draft or below one. Readers are not shown it: a PDF or a form of it
 * would lead nowhere.
 */
export function isOfDraft({ open }: SitePlace, node: PageNode): boolean {
  for (let at: PageNode | undefined = node; at; at = parentOf(open.shown.content, at))
    if (at.facts?.frontMatter.draft) return true
  return false
}

/**
 * Returns the actions in the menu of a page, as the settings and the audience of the site allow
 * them. PDF files are offered only where the packages that print are installed.
 */
export async function pageActions(
  place: SitePlace,
  node: PageNode,
  parts: Parts,
): Promise<PageAction[]> {
  const { settings, frame, feed } = parts
  const { words } = frame
  const address = addressOfPage(place.base, place.open.shown.content, node)
  const link = { kind: 'link', title: words.copyLink, href: address } as const

  // Printing, editing and the like concern what is current.
  if (place.scope) return [...textActions(place, address, parts), link]

  const edit = settings.git.showEditLink ? editAddressOf(place, node, settings.git) : undefined

  return [
    ...textActions(place, address, parts),
    ...(settings.pageActions.mcp && isForAgents(place)
      ? [{ kind: 'mcp' as const, title: words.copyMcp, href: `${place.base}~gitbook/mcp` }]
      : []),
    ...(settings.pdf.enabled && canPrint() && !isOfDraft(place, node)
      ? await pdfActions(place, node, words)
      : []),
    ...(feed === undefined ? [] : [{ kind: 'feed' as const, title: words.feed, href: feed }]),
    ...(edit === undefined ? [] : [{ kind: 'edit' as const, title: words.edit, href: edit }]),
    link,
  ]
}

/**
 * Returns the actions for the Markdown of a page; none if the site excludes agents. Web assistants
 * are offered only for pages that everybody may read.
 */
function textActions(
  place: SitePlace,
  address: string,
  { settings, frame: { words }, head }: Parts,
): PageAction[] {
  if (!isForAgents(place)) return []
  const { site } = place.resolved
  const isCurrent = !place.resolved.preview && !place.scope
  const isOpen = isOpenToAll(site) && isCurrent
  const { markdown, externalAI } = settings.pageActions
  const actions: PageAction[] = []

  if (markdown) {
    const href = markdownAddress(address)
    actions.push(
      { kind: 'copy', title: words.copyPage, href },
      { kind: 'markdown', title: words.viewMarkdown, href },
    )
  }

  if (externalAI && isOpen && site.adaptive === 0) {
    const question = encodeURIComponent(fill(words.askAbout, { address: head.canonical }))
    for (const { name, ask } of assistants)
      actions.push({ kind: 'assistant', title: fill(words.openIn, { name }), href: ask + question })
  }

  return actions
}

/**
 * Returns the actions that print: a page, and on the first page of a space all of them, where they
 * can be printed together.
 */
async function pdfActions(
  { base, open }: SitePlace,
  node: PageNode,
  words: Frame['words'],
): Promise<PageAction[]> {
  const href = `${base}~gitbook/pdf`
  const page = {
    kind: 'pdf',
    title: words.pdf,
    href: `${href}?page=${encodeURIComponent(node.id)}`,
  } as const
  const { content } = open.shown
  const isFirst = content.pageByPath.get('')?.id === node.id
  const hasAll = isFirst && (await canPrintWhole(open.repo, content))

  return hasAll ? [page, { kind: 'pdf', title: words.pdfAll, href }] : [page]
}

/**
 * Returns the address at which the file of a page is edited: that of the settings, or in the
 * repository that the space is synchronised with.
 */
function editAddressOf(
  { ctx, open }: SitePlace,
  { file }: PageNode,
  { editLink }: Settings['git'],
): string | undefined {
  if (!file) return undefined
  if (editLink !== undefined) return filledEditLink(editLink, file.path)
  const sync = findGitSync(ctx.store, open.space.id)
  if (!sync) return undefined
  const { url, provider, ref, project_directory: directory } = sync
  return editAddress(
    { url: url ?? '', provider, ref: ref ?? '', directory: directory ?? '' },
    file.path,
  )
}
