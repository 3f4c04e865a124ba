import { formerPage } from '../../actions/audience/compare.ts'
import type { Settings } from '../../content/customization/schema.ts'
import type {
  HtmlOptions,
  HtmlTagFilter,
  HtmlTargets,
  PageHtml,
} from '../../content/html/page-html.ts'
import { writeTree } from '../../content/html/write-page.ts'
import type { PageNode } from '../../content/tree/build.ts'

import { inSlices } from '../../lib/slices.ts'
import { markText } from '../../page-text/mark-text.ts'
import type { SurfaceWords } from '../../ui/words/all.ts'
import { callsOf, type PageCalls, specVersions } from '../place/calls.ts'
import { iconsOf } from '../place/glyphs.ts'
import type { SitePlace } from '../place/place.ts'
import { type Compared, comparedIn } from '../place/scope.ts'
import { serverPathOf } from '../place/server-path.ts'
import { diagramAddress } from '../sending/send-asset.ts'
import { textOf } from '../text/text-of.ts'

/**
 * The text of a page as HTML, the look-ups for its targets, the number of changes that it marks,
 * the page in the version that it is compared with, and whom it calls.
 */
export type WrittenText = {
  written: PageHtml
  targets: HtmlTargets
  changes: number
  former?: PageNode | undefined
  /** The origins of the servers that readers can call from the page. */
  origins: readonly string[]
  /** Whether nothing in the text makes it differ between readers. */
  isForAll: boolean
  /** Whether the text lacks parts of a spec that cannot be read now. */
  isUnsettled: boolean
}

type Look = {
  settings: Settings
  words: SurfaceWords
  lang: string
  tags?: HtmlTagFilter | undefined
  /** Whether readers can call the operations of the page: not in a feed. */
  calls?: boolean
  /** The ids of blocks whose ends are looked for. */
  wanted?: ReadonlySet<string> | undefined
}

/**
 * Writes the text of a document as HTML, with the changes marked where the place compares it with
 * an earlier version.
 */
export async function writeText(
  place: SitePlace,
  node: PageNode,
  look: Look,
): Promise<WrittenText> {
  const compared = comparedIn(place.scope)
  if (compared?.marks) return writeMarked(place, node, { ...look, compared })
  const { tree, targets, sources, isForAll, isUnsettled } = await textOf(place, node)
  const calls = callsOf(place, look.calls ? await specVersions(place, node, sources) : [])
  const options = await optionsOf(place, node, { targets, calls }, look)
  const written = await inSlices(writeTree(tree.root, tree.notes, options), place.signal)
  return { written, targets, changes: 0, origins: [...calls.origins], isForAll, isUnsettled }
}

async function optionsOf(
  place: SitePlace,
  { file }: PageNode,
  { targets, calls }: { targets: HtmlTargets; calls: PageCalls },
  { settings, words, lang, tags, wanted }: Look,
): Promise<HtmlOptions> {
  return {
    targets,
    words,
    lang,
    tags,
    wanted,
    file: file?.path,
    externalBlank: settings.externalLinks.target === 'blank',
    marksBroken: place.member !== undefined,
    icon: iconsOf(settings),
    isCopy: place.isCopy,
    diagramFrame: place.isCopy ? undefined : await diagramAddress(serverPathOf(place)),
    callOf: calls.find,
  }
}

/** Writes a page that only one version has as added or removed, block by block. */
async function writeMarked(
  place: SitePlace,
  node: PageNode,
  { compared, ...look }: Look & { compared: Compared },
): Promise<WrittenText> {
  const formerNode = formerPage(place.open, node, compared)
  const laterNode = place.open.shown.content.pageById.get(node.id)
  const former = formerNode?.file && (await textOf({ ...place, open: compared.before }, formerNode))
  const later = laterNode && (await textOf(place, laterNode))
  const files = { former: formerNode?.file?.path, later: laterNode?.file?.path }
  const { root, notes, changes, targets } = await inSlices(
    markText(former, later, files),
    place.signal,
  )
  const specs = look.calls && later && (await specVersions(place, laterNode, later.sources))
  const calls = callsOf(place, specs || [])
  const options = await optionsOf(place, laterNode ?? node, { targets, calls }, look)
  const written = await inSlices(writeTree(root, notes, options), place.signal)

  return {
    written,
    targets,
    changes,
    former: formerNode,
    origins: [...calls.origins],
    isForAll: false,
    isUnsettled: false,
  }
}
