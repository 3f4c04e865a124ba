import { decode } from '../../content/text/bytes.ts'
import { Fault, missing } from '../../errors.ts'
import { objectInfo, readBlob, streamBlobs } from '../../git/objects/objects.ts'
import type { Oid } from '../../git/values/oid.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { inSlices } from '../../lib/slices.ts'
import { answer } from './answer.ts'
import type { OpenContent } from './open-content.ts'
import { type PageShown, pagesAsJson } from './present-page.ts'
import { PageList, ReusableContent } from './schema.ts'

type Tree = { metadata?: boolean | undefined; format?: 'markdown' | 'document' | undefined }

/** The most bytes of text that a tree with `format=markdown` may carry. */
const treeTextLimit = 16 * 1024 * 1024
const reusableLimit = 32 * 1024 * 1024

/** The page tree. */
export const answerPages = (open: OpenContent, tree: Tree): Promise<Bytes> =>
  answer(
    open,
    { asked: `pages ${treeKey(tree)}`, schema: PageList, once: tree.format === 'markdown' },
    async signal =>
      Buffer.concat([Buffer.from('{"pages":'), await jsonOfPages(open, tree, signal), Buffer.from('}')]),
  )

/** What makes one tree another. */
export const treeKey = ({ metadata, format }: Tree): string => `${metadata !== false} ${format ?? ''}`

/** The pages of a revision as JSON text. Throws 'too_large' when all their text is wanted and too long. */
export const jsonOfPages = async (open: OpenContent, tree: Tree, signal?: AbortSignal): Promise<Buffer> =>
  inSlices(pagesAsJson(open.shown.content.pages, await shownOf(open, tree)), signal)

async function shownOf(open: OpenContent, { metadata, format }: Tree): Promise<PageShown> {
  const markdown = format === 'markdown' ? await textsOf(open) : undefined
  return { content: open.shown.content, location: open.location, metadata: metadata !== false, markdown }
}

/** The texts of all pages, by blob, and by the page's id where they were made. */
async function textsOf({ repo, shown }: OpenContent): Promise<Map<string, string>> {
  const { content, stamp, textOf } = shown
  const oids = [...content.pageByFile.values()].flatMap(page => (page.file ? [page.file.oid as Oid] : []))
  const infos = await objectInfo(repo, oids)
  let size = [...infos.values()].reduce((sum, info) => sum + info.size, 0)
  checkSize(size)
  const texts = new Map<string, string>()
  for (const page of stamp === '' ? [] : content.pageById.values()) {
    const text = await textOf(page)
    if (text === undefined) continue
    texts.set(page.id, text)
    size += Buffer.byteLength(text)
    checkSize(size)
  }
  for await (const [oid, bytes] of streamBlobs(repo, oids, treeTextLimit)) texts.set(oid, decode(bytes).text)
  return texts
}

function checkSize(bytes: number): void {
  if (bytes <= treeTextLimit) return
  const message = 'The pages are too long to be sent at once. Leave "format" out and read them one by one.'
  throw new Fault('too_large', message, { bytes, limit: treeTextLimit })
}

/** The pieces of reusable content of a revision. */
export const reusableContentsOf = ({ view }: OpenContent, metadata: boolean | undefined) =>
  view.content.includes.map(({ id, title, path, oid }) => ({
    id,
    title,
    ...(metadata !== false && { git: { oid, path } }),
  }))

/** One piece of reusable content with its text, exactly as it is in Git. Throws 'missing'. */
export async function answerReusableContent(
  open: OpenContent,
  id: string,
  metadata: boolean | undefined,
): Promise<Bytes> {
  const found = open.view.content.includes.find(include => include.id === id)
  if (!found) throw missing('reusable content', id)
  const asked = `reusable ${id} ${metadata !== false}`
  return answer(open, { asked, schema: ReusableContent, own: true }, async () => {
    const bytes = await readBlob(open.repo, found.oid as Oid, reusableLimit)
    const [shown] = reusableContentsOf(open, metadata).filter(each => each.id === id)
    return { ...shown, markdown: decode(bytes ?? Buffer.alloc(0)).text }
  })
}
