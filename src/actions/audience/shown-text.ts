import type { Mode } from '../../content/evaluate/evaluator.ts'
import type { PageNode } from '../../content/tree/build.ts'
import { evaluatePage } from '../evaluating/evaluate-page.ts'
import { readerText } from '../reading/reader-texts.ts'
import { saysUnread, shownStamp } from '../specs/read-spec.ts'
import { fileStamp, type NamedSpecs, specsNamedIn, specsNamedOn } from '../specs/resolve-blocks.ts'
import type { OpenContent } from './open-content.ts'

/**
 * The text of a page as in Git, and the mode of the caller; undefined: as written. A reader is
 * always shown evaluated text.
 */
export type Written = { text: string; mode: Mode | undefined; signal: AbortSignal }

/** Returns the text of a page in the mode of the caller. */
export async function shownText(
  { ctx, space, view, audience }: OpenContent,
  node: PageNode,
  { text, mode, signal }: Written,
): Promise<string> {
  const place = { organizationId: space.organization_id, spaceId: space.id, view, signal }
  if (audience) return readerText(ctx, { ...place, audience }, node, text)
  return mode ? evaluatePage(ctx, { ...place, node, markdown: text, mode }) : text
}

/**
 * Returns the versions of the readable specs that the blocks of a page or of reusable content show;
 * '' without such blocks.
 */
export const specsOnPage = async (
  open: OpenContent,
  node: Pick<PageNode, 'file'>,
): Promise<string> => stampOf(open, await specsNamedOn(open.ctx, open.repo, node), node.file?.path)

/** Reports whether a spec that texts, as in Git, show a part of cannot be read now. */
export async function showUnreadSpecs(
  open: OpenContent,
  written: readonly { text: string; path: string | undefined }[],
): Promise<boolean> {
  for (const { text, path } of written)
    if (saysUnread(await stampOf(open, await specsNamedIn(text, open.signal), path))) return true
  return false
}

async function stampOf(
  { ctx, space, view, signal }: OpenContent,
  { slugs, files }: NamedSpecs,
  from: string | undefined,
): Promise<string> {
  const place = { spaceId: space.id, content: view.content }
  const stored = await shownStamp(ctx, space.organization_id, slugs)
  const inFiles = await fileStamp(ctx, place, { from, files }, { signal })
  return [stored, inFiles].filter(Boolean).join(' ')
}
