import type { OpenContent } from '../../actions/audience/open-content.ts'
import { specsOnPage } from '../../actions/audience/shown-text.ts'
import { readerInclude, readerText } from '../../actions/reading/reader-texts.ts'
import { specFileSteps } from '../../content/openapi/blocks.ts'
import { decode } from '../../content/text/bytes.ts'
import { Fault, missing } from '../../errors.ts'
import { objectInfo, readBlob, streamBlobs } from '../../git/objects/objects.ts'
import type { Bytes } from '../../http/endpoint.ts'
import { jsonObject } from '../../http/json-text.ts'
import { inSlices } from '../../lib/slices.ts'
import { answer, whileRows } from './answer.ts'
import { type PageShown, pagesAsJson } from './present-page.ts'
import { PageList, ReusableContent } from './schema.ts'

type Tree = { metadata?: boolean | undefined; format?: 'markdown' | 'document' | undefined }

/** The maximum size of all texts of a tree with `format=markdown`, in bytes. */
const treeTextLimit = 16 * 1024 * 1024
const reusableLimit = 32 * 1024 * 1024

/** Answers with the page tree. */
export const answerPages = (open: OpenContent, tree: Tree): Promise<Bytes> =>
  answer(
    open,
    { key: `pages ${treeKey(tree)}`, schema: PageList, keep: tree.format !== 'markdown' },
    async signal =>
      Buffer.concat(jsonObject({}, { pages: [await jsonOfPages(open, tree, signal)] })),
  )

/** Returns the part of a cache key that distinguishes the forms of a tree. */
export const treeKey = ({ metadata, format }: Tree): string =>
  `${metadata !== false} ${format ?? ''}`

/**
 * Returns the pages of a revision as JSON text, with the wanted fields alone. Throws 'too_large' when their texts are requested
 * and too long.
 */
export const jsonOfPages = async (
  open: OpenContent,
  tree: Tree,
  signal?: AbortSignal,
): Promise<Buffer> =>
  inSlices(
    pagesAsJson(
      open.shown.content.pages,
      await shownOf(open, tree, signal),
      open.fields?.of('pages'),
    ),
    signal,
  )

async function shownOf(
  open: OpenContent,
  { metadata, format }: Tree,
  signal: AbortSignal | undefined,
): Promise<PageShown> {
  const wantsTexts = open.fields?.of('pages')?.has('markdown') ?? true
  const written = format === 'markdown' && wantsTexts ? await textsOf(open) : undefined
  const markdown = written && open.audience ? await readerTexts(open, written, signal) : written
  const { app, home, shown } = open
  const { content } = shown
  const variables = open.audience === undefined
  return { content, app, home, metadata: metadata !== false, variables, markdown }
}

/** Returns the texts of all pages, by blob, or by page id for computed pages. */
async function textsOf({ repo, shown }: OpenContent): Promise<Map<string, string>> {
  const { content, stamp, textOf } = shown
  const oids = [...content.pageByFile.values()].flatMap(page => (page.file ? [page.file.oid] : []))
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

  for await (const [oid, bytes] of streamBlobs(repo, oids, treeTextLimit))
    texts.set(oid, decode(bytes).text)

  return texts
}

/** The most pages of a tree whose texts are evaluated. */
const mostEvaluated = 500

/**
 * Returns the same texts as the reader is shown them: those with specs in files of the space by
 * path, because the names of these files are relative to it.
 */
async function readerTexts(
  { ctx, space, view, audience, shown }: OpenContent,
  written: ReadonlyMap<string, string>,
  signal: AbortSignal | undefined,
): Promise<Map<string, string>> {
  const texts = new Map(written)
  const pages = [...shown.content.pageByFile.values()]
  if (!audience) return texts
  if (pages.filter(({ facts }) => facts?.varies).length > mostEvaluated) throw tooManyTexts()

  let size = 0
  const reading = {
    organizationId: space.organization_id,
    spaceId: space.id,
    view,
    audience,
    signal,
  }
  const done = new Set<string>()

  for (const page of pages) {
    const { oid, path } = page.file ?? { oid: '', path: '' }
    const text = written.get(oid)
    if (text === undefined || done.has(oid)) continue
    const isRelative = (await inSlices(specFileSteps(text), signal)).length > 0
    const key = isRelative ? path : oid
    done.add(key)
    const evaluated = await readerText(ctx, reading, page, text)
    texts.set(key, evaluated)
    size += Buffer.byteLength(evaluated)
    checkSize(size)
  }

  return texts
}

const tooManyTexts = () =>
  new Fault(
    'invalid_input',
    `More than ${mostEvaluated} pages have expressions or conditions. Leave "format" out and read the pages one by one.`,
  )

function checkSize(bytes: number): void {
  if (bytes <= treeTextLimit) return
  const message =
    'The pages are too long for one answer. Leave "format" out and read the pages one by one.'
  throw new Fault('result_too_large', message, { bytes, limit: treeTextLimit })
}

/** Returns the pieces of reusable content of a revision. */
export const reusableContentsOf = ({ shown }: OpenContent, metadata: boolean | undefined) =>
  shown.content.includes.map(({ id, title, path, oid }) => ({
    id,
    title,
    ...(metadata !== false && { git: { oid, path } }),
  }))

/**
 * Answers with one piece of reusable content and its text: exactly as in Git, or as the reader is
 * shown it. Throws 'missing'.
 */
export async function answerReusableContent(
  open: OpenContent,
  id: string,
  metadata: boolean | undefined,
): Promise<Bytes> {
  const { ctx, space, repo, view, audience } = open
  const found = open.shown.content.includes.find(include => include.id === id)
  if (!found) throw missing('reusable content', id)

  const organizationId = space.organization_id
  const specs = audience ? await specsOnPage(open, { file: found }) : ''
  const question = {
    key: `reusable ${id} ${metadata !== false}`,
    schema: ReusableContent,
    holds: whileRows(specs),
    ownTag: true,
  }

  return answer(open, question, async signal => {
    const bytes = await readBlob(repo, found.oid, reusableLimit)
    const [shown] = reusableContentsOf(open, metadata).filter(each => each.id === id)
    const written = decode(bytes ?? Buffer.alloc(0)).text
    const reading = audience && { organizationId, spaceId: space.id, view, audience, signal }
    return {
      ...shown,
      markdown: reading ? await readerInclude(ctx, reading, written, found.path) : written,
    }
  })
}
