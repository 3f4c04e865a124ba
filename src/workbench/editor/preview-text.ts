import type { SpaceGrant } from '../../access/guards/space.ts'
import { openContent } from '../../actions/audience/open-content.ts'
import { unsavedImage } from '../../actions/writing/added-images.ts'
import type { OpenedPage } from '../../actions/writing/open-page.ts'
import { withBody } from '../../content/page/editable.ts'
import type { PageNode } from '../../content/tree/build.ts'
import type { Context } from '../../context.ts'
import { Fault } from '../../errors.ts'
import type { Hold } from '../../http/limits/admission.ts'
import { pageHtml } from '../space/page-html.ts'

/** The longest text that is shown while it is written, in characters. */
const longest = 1_000_000

type Previewer = SpaceGrant & {
  ctx: Context
  hold: Hold
  request: { signal: AbortSignal }
}

/**
 * Returns the text of a page that is not saved yet as readers will see it. Throws 'too_large', and
 * what `Admission.run` throws.
 */
export async function previewText(
  { ctx, hold, space, user, role, request }: Previewer,
  { view, node, text, start }: OpenedPage,
  body: string,
): Promise<string> {
  if (body.length > longest)
    throw new Fault(
      'too_large',
      'A text of more than 1,000,000 characters is shown only after it was saved.',
    )
  const { signal } = request
  const scope = { kind: 'revision', oid: view.oid } as const
  const open = await openContent(ctx, { space, user, role, scope }, { computed: true, request })
  const base = ctx.publicUrl()
  const hrefOf = (page: PageNode): string => `${base}/app/s/${space.id}/p/${page.id}`
  const { written } = await pageHtml(open, node, {
    ...{ signal, hold, hrefOf },
    unsaved: {
      text: withBody(text, start, body),
      imageOf: target => unsavedImage(ctx, user, target),
    },
  })

  return written.html
}
