import type { OpenContent } from '../../actions/audience/open-content.ts'
import type { HtmlOptions } from '../../content/html/page-html.ts'
import { inSlices } from '../../lib/slices.ts'
import { commentHtml } from '../../page-text/comment-html.ts'
import { htmlTargets } from '../../page-text/targets.ts'
import { wordsOf } from '../../ui/words/all.ts'

export const { words, lang } = wordsOf('en')

/** Returns a function that writes the Markdown of comments, whose links lead to pages of a change request. */
export function commentWriter(
  { ctx, shown, signal }: OpenContent,
  hrefOf: (id: string) => string,
): (markdown: string) => Promise<string> {
  const targets = htmlTargets({
    content: shown.content,
    hrefOf: page => hrefOf(page.id),
    origins: [new URL(ctx.publicUrl()).origin],
    fileAddress: () => '',
    imageOf: () => ({ src: '' }),
    media: new Map(),
    includes: new Map(),
  })
  const options: HtmlOptions = {
    targets: { link: targets.link, image: () => undefined, include: () => undefined },
    words,
    file: undefined,
    externalBlank: false,
    marksBroken: false,
  }
  return markdown => inSlices(commentHtml(markdown, options), signal)
}
