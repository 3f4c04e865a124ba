import type { z } from 'zod'
import { outgoingRoute } from '../../../actions/outgoing-route.ts'
import type { TakeUpload } from '../../../actions/uploads/use-uploads.ts'
import type { JSONDocument } from '../../../content/document/to-page.ts'
import type { Body, Change } from '../../../content/edit/changes.ts'
import type { Context } from '../../../context.ts'
import { Fault, invalid } from '../../../errors.ts'
import { FetchError } from '../../../net/fetch-error.ts'
import { type FetchLimits, fetchUrl } from '../../../net/fetch-url.ts'
import type { Route } from '../../../net/public-connection.ts'
import type { Change as ChangeSchema } from './schema.ts'

type Sent = z.output<typeof ChangeSchema>
type SentFile = Extract<Sent, { operation: 'insert_files' }>['files'][number]

const mostBytes = 1_000_000
/**
 * The maximum total size of the fetched files of one request: all of them are in memory at the same
 * time.
 */
const mostFetched = 100 * 1024 * 1024

/** The limits for a single file that is fetched by URL. */
const fetchLimits = {
  headersMs: 10_000,
  allMs: 10_000,
  mostBytes: 20 * 1024 * 1024,
  allowHttp: true,
}

/**
 * Returns the changes of a request with the bytes of their files; fetches files that are given by
 * URL. Throws 'invalid' with the place in the request, 'too_large' when the fetched files are too
 * large together.
 */
export async function readChanges(
  ctx: Context,
  sent: readonly Sent[],
  user: string,
  take: TakeUpload,
): Promise<Change[]> {
  const changes: Change[] = []
  const fetch = {
    route: outgoingRoute(ctx, { user }),
    limits: { ...fetchLimits, budget: { left: mostFetched } },
  }

  for (const [index, change] of sent.entries()) {
    if (change.operation === 'insert_files') {
      const files = await Promise.all(
        change.files.map(async (file, i) => ({
          name: file.name,
          ref: file.ref,
          ...(await bytesOf(
            file,
            { ...fetch, take },
            `Change ${index} (insert_files): "files.${i}`,
          )),
        })),
      )
      changes.push({ operation: 'insert_files', files })
    } else if (change.operation === 'insert_page' || change.operation === 'update_page')
      changes.push({
        ...change,
        ...(change.document && { document: bodyOf(change.document) }),
      } as Change)
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

/** Returns the keys of the uploads that changes use. */
export const uploadsIn = (sent: readonly Sent[]): string[] =>
  sent.flatMap(change =>
    change.operation === 'insert_files' ? change.files.flatMap(file => file.upload ?? []) : [],
  )

type Sources = {
  route: Route
  limits: FetchLimits & { budget: { left: number } }
  take: TakeUpload
}

async function takeUpload(
  { name, upload }: SentFile,
  take: TakeUpload,
  where: string,
): ReturnType<TakeUpload> {
  try {
    return await take(upload!, name)
  } catch (error) {
    throw error instanceof Fault
      ? new Fault(error.reason, `${where}.upload": ${error.message}`)
      : error
  }
}

async function bytesOf(
  file: SentFile,
  { route, limits, take }: Sources,
  where: string,
): ReturnType<TakeUpload> {
  if (file.upload !== undefined) return takeUpload(file, take, where)
  if (file.base64 !== undefined) {
    const bytes = Buffer.from(file.base64, 'base64')
    if (bytes.length > mostBytes)
      throw invalid(
        `${where}.base64" is larger than 1 MB. Send larger files by "upload" or "url", or with git.`,
      )
    return { bytes }
  }
  try {
    return { bytes: (await fetchUrl(file.url!, route, limits)).bytes }
  } catch (error) {
    if (!(error instanceof FetchError)) throw error
    if (limits.budget.left < 0)
      throw new Fault(
        'too_large',
        'The files given by "url" are larger than 100 MB together. Split them over several requests, or use git.',
      )
    throw new Fault('address_unreachable', `${where}.url" cannot be fetched: ${error.message}`)
  }
}
