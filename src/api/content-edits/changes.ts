import type { z } from 'zod'
import { type ByteBudget, fetchFile } from '../../actions/fetch-file.ts'
import type { JSONDocument } from '../../content/document.ts'
import type { Body, Change } from '../../content/edit-changes.ts'
import type { Context } from '../../context.ts'
import { Fault, invalid } from '../../errors.ts'
import type { Change as ChangeSchema } from './schema.ts'

type Sent = z.output<typeof ChangeSchema>
type SentFile = Extract<Sent, { operation: 'insert_files' }>['files'][number]

const mostBytes = 1_000_000
/** What the files of one request that are fetched may have together: all of it is in memory at once. */
const mostFetched = 100 * 1024 * 1024

/** The changes of a request with the bytes of their files, those named by a URL fetched. Throws 'invalid' naming the change. */
export async function readChanges(ctx: Context, sent: readonly Sent[]): Promise<Change[]> {
  const changes: Change[] = []
  const budget = { left: mostFetched }
  for (const [index, change] of sent.entries()) {
    if (change.operation === 'insert_files') {
      const files = await Promise.all(
        change.files.map(async (file, i) => ({
          name: file.name,
          ref: file.ref,
          bytes: await bytesOf(ctx, file, budget, `Change ${index} (insert_files): "files.${i}`),
        })),
      )
      changes.push({ operation: 'insert_files', files })
    } else if (change.operation === 'insert_page' || change.operation === 'update_page')
      changes.push({ ...change, ...(change.document && { document: bodyOf(change.document) }) } as Change)
    else if (change.operation === 'revert_page')
      changes.push({ operation: 'revert_page', page: change.page, revision: change.revision })
    else changes.push(change)
  }
  return changes
}

type SentBody = NonNullable<Extract<Sent, { operation: 'update_page' }>['document']>

function bodyOf(document: SentBody): Body {
  if (document.markdown !== undefined) return { markdown: document.markdown }
  return document.document === undefined ? {} : { document: document.document as JSONDocument }
}

async function bytesOf(ctx: Context, file: SentFile, budget: ByteBudget, where: string): Promise<Uint8Array> {
  if (file.base64 !== undefined) {
    const bytes = Buffer.from(file.base64, 'base64')
    if (bytes.length > mostBytes)
      throw invalid(`${where}.base64" is larger than 1 MB: send such a file by "url", or with git.`)
    return bytes
  }
  try {
    return await fetchFile(file.url!, { allowPrivate: ctx.config.allowPrivateRemotes }, budget)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.kind === 'too_large')
      throw new Fault(
        'too_large',
        'The files that are named by "url" have more than 100 MB together: send them in several requests, or with git.',
      )
    throw invalid(`${where}.url" cannot be fetched: ${error.message}.`)
  }
}
