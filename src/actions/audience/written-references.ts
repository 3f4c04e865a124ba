import { relativePath } from '../../content/edit/paths.ts'
import { addressedSteps, mostIncluded } from '../../content/links/addressed.ts'
import { linkClassifier } from '../../content/links/classify.ts'
import { linkSteps, noFindings } from '../../content/links/find.ts'
import { withinLimits } from '../../content/markdown/limits.ts'
import { decode } from '../../content/text/bytes.ts'
import type { IncludeNode, PageNode } from '../../content/tree/build.ts'
import { encodePath } from '../../content/tree/page-address.ts'
import { readBlob } from '../../git/objects/objects.ts'
import { inSlices } from '../../lib/slices.ts'
import { shownInclude, withoutFrontMatter } from '../reading/reader-texts.ts'
import type { OpenContent } from './open-content.ts'
import type { Written } from './shown-text.ts'

/** The most pieces of reusable content that are read for one page. */
const mostIncludes = 50

/**
 * The form of references: `dereferenced` puts reusable content in place of the tags that include it,
 * and `stable` names pages and files by their ids.
 */
export type References = { dereferenced: boolean; stable: boolean }

/**
 * Returns the text of a page with its references in this form. A reference that leads nowhere, or
 * to reusable content beyond the limits, stays as written.
 */
export async function withReferences(
  open: OpenContent,
  node: PageNode,
  written: Written,
  { dereferenced, stable }: References,
): Promise<string> {
  const { content } = open.shown
  const from = node.file?.path
  if (from === undefined) return written.text
  const classify = linkClassifier(content, open.home)
  const byId = new Map(content.includes.map(each => [each.id, each]))

  const includeAt = (file: string, target: string): IncludeNode | undefined => {
    const { to } = classify(file, { target })
    return to.kind === 'reusable-content' ? byId.get(to.id) : undefined
  }
  const texts = dereferenced
    ? await readIncludes(open, from, written, includeAt)
    : new Map<string, string>()

  const address = (file = from, target: string): string => {
    // What the page itself writes is right already.
    if (!stable && file === from) return target
    const { to, fragment } = classify(file, { target })
    const tail = fragment ? `#${fragment}` : ''
    if (to.kind !== 'page' && to.kind !== 'file') return target
    if (stable) return `/${to.kind}s/${to.id}${tail}`
    const { path } =
      (to.kind === 'page' ? content.pageById.get(to.id)?.file : content.fileById.get(to.id)) ?? {}
    return path === undefined ? target : encodePath(relativePath(from, path)) + tail
  }

  const include = (file = from, target: string) => {
    const path = includeAt(file, target)?.path
    const markdown = path === undefined ? undefined : texts.get(path)
    return path === undefined || markdown === undefined ? undefined : { path, markdown }
  }

  return inSlices(addressedSteps(written.text, from, { address, include }), written.signal)
}

/** Returns the reusable content that a text names, and that it names in turn, by path. */
async function readIncludes(
  { ctx, space, repo, view, audience }: OpenContent,
  from: string,
  { text, mode, signal }: Written,
  includeAt: (file: string, target: string) => IncludeNode | undefined,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const place = { organizationId: space.organization_id, spaceId: space.id, view, signal }
  const waiting = [{ path: from, text }]
  let room = mostIncluded

  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { path, text } = next
    const { links } = await inSlices(withinLimits(linkSteps(text), noFindings), signal)
    for (const { tag, target } of links) {
      const include = tag === 'include' ? includeAt(path, target) : undefined
      if (!include || texts.has(include.path) || texts.size === mostIncludes || room < 0) continue
      const bytes = await readBlob(repo, include.oid, mostIncluded)
      const source = decode(bytes ?? Buffer.alloc(0)).text
      const reading = mode && { ...place, mode, claims: audience?.claims }
      const shown = reading ? await shownInclude(ctx, reading, source, include.path) : source
      const markdown = withoutFrontMatter(shown)
      room -= markdown.length
      texts.set(include.path, markdown)
      waiting.push({ path: include.path, text: markdown })
    }
  }

  return texts
}
