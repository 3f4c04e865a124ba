import type { OpenContent } from '../../actions/audience/open-content.ts'
import { iconSvg } from '../../content/customization/icons/icon-svg.ts'
import type { HtmlOptions, HtmlTargets, PageHtml } from '../../content/html/page-html.ts'
import { writeTree } from '../../content/html/write-page.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Hold } from '../../http/limits/admission.ts'
import { inSlices } from '../../lib/slices.ts'
import { placeOnServer } from '../../page-text/place-on-server.ts'
import { readText } from '../../page-text/read-text.ts'
import { wordsOf } from '../../ui/words/all.ts'

type Showing = {
  hold: Hold
  signal: AbortSignal
  /** Returns the address of a page. */
  hrefOf: (page: PageNode) => string
  /** The ids of blocks whose ends are looked for. */
  wanted?: ReadonlySet<string>
  /** A text that is shown instead of the one in Git, and the addresses of images that only it has. */
  unsaved?: { text: string; imageOf: (target: string) => string | undefined }
}

/** The text of a page as HTML, and how it was written: comments have the same targets. */
type ShownText = { written: PageHtml; options: HtmlOptions }

/** Writes the text of a page as its readers see it: with the same writer, words and icons. */
export async function pageHtml(
  open: OpenContent,
  node: PageNode,
  { hold, signal, hrefOf, wanted, unsaved }: Showing,
): Promise<ShownText> {
  const place = placeOnServer(open, { signal, hold, hrefOf })
  const { tree, targets } = await readText(place, node, unsaved?.text, unsaved !== undefined)
  const { words, lang } = wordsOf('en')
  const options: HtmlOptions = {
    ...{ targets: withUnsaved(targets, unsaved), wanted, words, lang },
    file: node.file?.path,
    externalBlank: true,
    marksBroken: true,
    icon: iconSvg,
  }

  return {
    written: await inSlices(writeTree(tree.root, tree.notes, options), signal),
    options,
  }
}

/** Returns look-ups that also find images which are not saved yet. */
function withUnsaved(saved: HtmlTargets, unsaved: Showing['unsaved']): HtmlTargets {
  if (!unsaved) return saved
  return {
    ...saved,
    image: (from, target) => {
      const src = unsaved.imageOf(target)
      return src === undefined ? saved.image(from, target) : { src }
    },
  }
}
