import type { OpenContent } from '../../actions/audience/open-content.ts'
import { iconSvg } from '../../content/customization/icons/icon-svg.ts'
import type { HtmlOptions, PageHtml } from '../../content/html/page-html.ts'
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
}

/** The text of a page as HTML, and how it was written: comments have the same targets. */
type ShownText = { written: PageHtml; options: HtmlOptions }

/** Writes the text of a page as its readers see it: with the same writer, words and icons. */
export async function pageHtml(
  open: OpenContent,
  node: PageNode,
  { hold, signal, hrefOf, wanted }: Showing,
): Promise<ShownText> {
  const { tree, targets } = await readText(placeOnServer(open, { signal, hold, hrefOf }), node)
  const { words, lang } = wordsOf('en')
  const options: HtmlOptions = {
    ...{ targets, wanted, words, lang },
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
